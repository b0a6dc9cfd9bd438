import type { SpeechFormat } from '../../../service-rules/limits.ts';
import type { Clip, SpeechStream } from './formats/clip.ts';
import { encodeMp3 } from './formats/mp3.ts';
import { encodeOpus } from './formats/opus.ts';
import { encodeVorbis } from './formats/vorbis.ts';
import { encodeWav } from './formats/wav.ts';
import { type SpeechEngine, type Synthesizer, speechRate } from './synthesizer.ts';
import { changeTempo } from './tempo.ts';
import { splitUtterances } from './utterances.ts';
import { type Narrator, narrator } from './voice-profiles.ts';

/** A request of `POST /audio/speech` (service description, section 4). */
export interface SpeechRequest {
  readonly text: string;
  /** A known voice id. */
  readonly voice: string;
  /** Used if the voice speaks it; otherwise the voice's default. */
  readonly language?: string;
  readonly format: SpeechFormat | 'vorbis';
  /** 0.5 to 2; the clip's length is divided by it. */
  readonly speed: number;
}

const encoders: Record<SpeechRequest['format'], (speech: SpeechStream) => Clip | Promise<Clip>> = {
  mp3: encodeMp3,
  wav: encodeWav,
  opus: encodeOpus,
  ogg: encodeOpus,
  vorbis: encodeVorbis,
};

/** Text without speech becomes half a second of silence, since an empty file isn't valid in every format. */
const shortest = speechRate / 2;

/** Speaks a text to an audio file; an engine speaks one at a time. */
export async function narrate(engine: SpeechEngine, request: SpeechRequest): Promise<Clip> {
  const person = narrator(request.voice, request.language);
  return encoders[request.format](speech(engine.begin(person.profile), person, request));
}

/** One utterance at a time, so that a long clip is never in memory as a whole. */
function* speech(synthesizer: Synthesizer, person: Narrator, request: SpeechRequest): Generator<Int16Array> {
  let length = 0;
  let pause = 0;
  for (const utterance of splitUtterances(request.text, person)) {
    const spoken = synthesizer.say(utterance.tongue, utterance.text);
    if (isSilent(spoken)) continue;
    const before = Math.round((pause * speechRate) / request.speed);
    if (before > 0) yield new Int16Array(before);
    yield changeTempo(spoken, request.speed);
    length += before + spoken.length;
    pause = utterance.pause;
  }
  if (length === 0) yield new Int16Array(shortest);
}

function isSilent(samples: Int16Array): boolean {
  return samples.every((sample) => Math.abs(sample) < 100);
}
