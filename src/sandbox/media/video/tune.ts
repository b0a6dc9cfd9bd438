import { Random } from '../../random.ts';

/** Samples per second of the sound track, in two channels. */
export const tuneRate = 48_000;

const notesPerSecond = 3;
const notesPerBar = 8;

type Choices = readonly [readonly number[], ...(readonly number[])[]];

/** Major and minor pentatonic scales, in semitones: nothing in them clashes. */
const scales: Choices = [
  [0, 2, 4, 7, 9],
  [0, 3, 5, 7, 10],
];

/** Chord roots as steps of the scale, one a bar. */
const progressions: Choices = [
  [0, 3, 4, 2],
  [0, 2, 3, 1],
  [4, 3, 0, 2],
];

/**
 * A gentle plucked tune over a slow bass; the same seed gives the same tune.
 * @returns left and right samples, one after the other, between -1 and 1
 */
export function tune(seed: string, seconds: number): Float32Array {
  const interleaved = new Float32Array(2 * Math.round(seconds * tuneRate));
  const random = new Random(seed);
  const scale = random.pick(scales);
  const progression = random.pick(progressions);
  const root = 220 * 2 ** (random.whole(-4, 4) / 12);
  const pitch = (step: number) => {
    const octave = Math.floor(step / scale.length);
    return root * 2 ** (octave + (scale[step - octave * scale.length] ?? 0) / 12);
  };
  let melody = 5;
  for (let index = 0; index < seconds * notesPerSecond; index++) {
    const at = index / notesPerSecond;
    const chord = progression[Math.floor(index / notesPerBar) % progression.length] ?? 0;
    const place = random.between(0.25, 0.75);
    if (index % 4 === 0) {
      pluck(interleaved, { at, hertz: pitch(chord) / 2, loudness: 0.3, decay: 1.1, place: 0.5 });
      pluck(interleaved, { at, hertz: pitch(chord + 2), loudness: 0.09, decay: 1.4, place: 0.35 });
    }
    melody = Math.max(3, Math.min(12, melody + random.whole(-2, 2)));
    if (index % 2 === 0 || random.chance(0.45))
      pluck(interleaved, {
        at,
        hertz: pitch(melody),
        loudness: random.between(0.12, 0.2),
        decay: 0.5,
        place,
      });
  }
  // The last second goes out softly.
  const tail = Math.min(interleaved.length, 2 * tuneRate);
  return interleaved.map((sample, index) => sample * Math.min(1, (interleaved.length - index) / tail));
}

interface Note {
  /** Seconds from the start. */
  readonly at: number;
  readonly hertz: number;
  readonly loudness: number;
  /** Seconds until it has faded to about a third. */
  readonly decay: number;
  /** 0 is left, 1 is right. */
  readonly place: number;
}

/** A string that begins bright and ends soft. */
function pluck(interleaved: Float32Array, { at, hertz, loudness, decay, place }: Note): void {
  const start = Math.round(at * tuneRate);
  const length = Math.min(interleaved.length / 2 - start, Math.round(decay * 4 * tuneRate));
  const turn = (2 * Math.PI * hertz) / tuneRate;
  const attack = 0.006 * tuneRate;
  for (let i = 0; i < length; i++) {
    const life = Math.exp(-i / (decay * tuneRate));
    const overtones = 0.35 * life * Math.sin(2 * i * turn) + 0.16 * life * life * Math.sin(3 * i * turn);
    const sample = loudness * life * Math.min(1, i / attack) * (Math.sin(i * turn) + overtones);
    const index = 2 * (start + i);
    interleaved[index] = (interleaved[index] ?? 0) + sample * (1 - place);
    interleaved[index + 1] = (interleaved[index + 1] ?? 0) + sample * place;
  }
}
