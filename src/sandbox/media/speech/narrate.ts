import type { SpeechFormat } from '../../../service-rules/limits.ts';
import type { Clip, SpeechStream } from './formats/clip.ts';
import { encodeMp3 } from './formats/mp3.ts';
import { encodeOpus } from './formats/opus.ts';
import { encodeVorbis } from './formats/vorbis.ts';
import { encodeWav } from './formats/wav.ts';
import { narration } from './narration.ts';
import { Synthesizer, speechRate } from './synthesizer.ts';
import { changeTempo } from './tempo.ts';
import { type Narrator, narrator } from './voice-profiles.ts';

/** What `POST /audio/speech` asks for (service description, section 4). */
export interface SpeechRequest {
  readonly text: string;
  /** A known voice id. */
  readonly voice: string;
  /** Counts where the voice supports it; otherwise the voice's default language does. */
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

/** A file of nothing is no valid file in every format, so unspeakable text is half a second of silence. */
const shortest = speechRate / 2;

/** Speaks a text into a file. */
export async function narrate(request: SpeechRequest): Promise<Clip> {
  const person = narrator(request.voice, request.language);
  const synthesizer = await Synthesizer.create(person.profile);
  return encoders[request.format](speech(synthesizer, person, request));
}

/** One stretch at a time, so that a long text is never in memory as a whole. */
function* speech(synthesizer: Synthesizer, person: Narrator, request: SpeechRequest): Generator<Int16Array> {
  let length = 0;
  let pause = 0;
  for (const utterance of narration(request.text, person)) {
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
