import type { Answered } from './service.ts';

type Json = Answered['body'];

/** The JSON events of a streamed answer, `[DONE]` as the string it is. */
export function readEvents(text: string): Json[] {
  return text
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).replace(/^ /, ''))
        .join('\n'),
    )
    .filter((data) => data !== '')
    .map((data) => (data === '[DONE]' ? data : JSON.parse(data)));
}

/** The text the deltas of a stream make. */
export function textOf(events: Json[]): string {
  return events.map((event) => event.choices?.[0]?.delta?.content ?? '').join('');
}
