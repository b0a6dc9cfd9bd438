import type { Clip, SpeechRequest } from '../studio.ts';
import { encodeMp3, encodeVorbis, encodeWav } from './encode.ts';
import { encodeOpus } from './opus.ts';
import { joined, type SpeechEngine, speechRate } from './synthesizer.ts';
import { changeTempo } from './tempo.ts';
import { splitUtterances } from './utterances.ts';
import { narrator } from './voices.ts';

export { SpeechEngine } from './synthesizer.ts';

const encoders: Record<SpeechRequest['format'], (speech: Int16Array) => Clip | Promise<Clip>> = {
  mp3: encodeMp3,
  wav: encodeWav,
  opus: encodeOpus,
  ogg: encodeOpus,
  vorbis: encodeVorbis,
};

/** Speaks a text to an audio file; an engine speaks one at a time. */
export async function narrate(engine: SpeechEngine, request: SpeechRequest): Promise<Clip> {
  const person = narrator(request.voice, request.language);
  const synthesizer = engine.begin(person.profile);
  const parts: Int16Array[] = [];
  let pause = 0;
  for (const utterance of splitUtterances(request.text, person)) {
    const spoken = synthesizer.say(utterance.tongue, utterance.text);
    if (spoken.every((sample) => Math.abs(sample) < 100)) continue;
    parts.push(new Int16Array(Math.round((pause * speechRate) / request.speed)));
    parts.push(changeTempo(spoken, request.speed));
    pause = utterance.pause;
  }
  // Text without speech becomes half a second of silence, since an empty file isn't valid in every format.
  if (parts.length === 0) parts.push(new Int16Array(speechRate / 2));
  return encoders[request.format](joined(parts));
}
