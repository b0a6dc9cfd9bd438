import { createParser } from 'eventsource-parser';
import { request } from 'undici';

const { SERVICE_BASE_URL: service = '', SERVICE_API_KEY: key = '' } = process.env;

/** Characters of a message. */
export const limits = { discord: 2_000, slack: 3_000 } as const;

/** The beginning of a text that fits into a message, cut between words. */
export function fitting(text: string, limit: number): string {
  return text.length <= limit ? text : text.slice(0, text.lastIndexOf(' ', limit) + 1);
}

/** Streams an answer of the service: `add` for each chunk, `show` once a second and at the end. */
export async function stream(
  question: string,
  add: (text: string) => unknown,
  show: () => Promise<void>,
): Promise<void> {
  const { body, parser } = await answerTo(question, add);
  let showing = Promise.resolve();
  let next = performance.now();
  for await (const text of body) {
    parser.feed(text as string);
    if (performance.now() < next) continue;
    next = performance.now() + 1_000;
    showing = showing.then(show);
  }
  await showing;
  await show();
}

/** The chunks of an answer of the service. */
export async function* chunks(question: string): AsyncIterable<string> {
  const read: string[] = [];
  const { body, parser } = await answerTo(question, (text) => read.push(text));
  for await (const text of body) {
    parser.feed(text as string);
    yield* read.splice(0);
  }
}

async function answerTo(question: string, add: (text: string) => unknown) {
  const { body } = await request(`${service}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({
      model: 'svc-llm-1.5',
      stream: true,
      messages: [{ role: 'user', content: question }],
    }),
  });
  body.setEncoding('utf8');
  const parser = createParser({
    onEvent({ data }) {
      if (data !== '[DONE]') add(JSON.parse(data).choices[0].delta.content ?? '');
    },
  });
  return { body, parser };
}
