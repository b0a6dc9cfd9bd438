import { actionId, type Job, type Message } from '../../port/index.ts';
import type { Voice } from '../../service/index.ts';
import { words } from '../../words/index.ts';
import { describeVoice } from '../voices/describe-voice.ts';

/** Voices on one page: as many as there can be buttons, with one for more. */
export const voicesPerPage = 20;

/** The action that plays a page's voice; names of actions are letters. */
export function listenAction(index: number): string {
  return `listen_${String.fromCharCode('a'.charCodeAt(0) + index)}`;
}

/** A page of voices, counted from 0: each with its name, its id and a button to listen. */
export function voicePage(
  { id: jobId, requester: { locale } }: Job,
  voices: readonly Voice[],
  { page, isKnownOnly }: { readonly page: number; readonly isKnownOnly: boolean },
): { readonly message: Message; readonly shown: readonly Voice[] } {
  const say = words(locale).spending.voices;
  const first = page * voicesPerPage;
  const shown = voices.slice(first, first + voicesPerPage);
  const lines = shown.map((voice, index) =>
    say.line(first + index + 1, voice.id, describeVoice(voice, locale)),
  );
  const listen = shown.map((_, index) => ({
    id: actionId('voices', listenAction(index), jobId),
    label: say.listen(first + index + 1),
  }));
  const hasMore = voices.length > first + voicesPerPage;
  const text = [say.title(voices.length), ...lines, ...(isKnownOnly ? [`-# ${say.known}`] : [])].join('\n');
  const more = { id: actionId('voices', 'more', jobId), label: say.more };
  return { message: { text, buttons: [...listen, ...(hasMore ? [more] : [])] }, shown };
}
