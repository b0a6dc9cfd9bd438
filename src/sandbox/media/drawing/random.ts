/** A random number generator seeded by a text, the same on every machine. */
export class Random {
  #state: number;

  constructor(seed: string) {
    this.#state = hash(seed);
  }

  /** From 0 to 1, exclusive. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** An integer from `low` to `high`, inclusive. */
  whole(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[Math.floor(this.next() * choices.length)] ?? choices[0];
  }
}

/** FNV-1a over UTF-16 units, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  }
  return value;
}

/** Smooth 1D noise between about -1 and 1, with features about 1 wide. */
export function smoothNoise(random: Random, octaves = 1): (x: number) => number {
  const knots = Float64Array.from({ length: 256 }, () => random.between(-1, 1));
  const knot = (index: number) => knots[index & 255] ?? 0;
  const single = (x: number) => {
    const left = Math.floor(x);
    const t = x - left;
    const eased = t * t * (3 - 2 * t);
    return knot(left) * (1 - eased) + knot(left + 1) * eased;
  };
  return (x) => {
    let sum = 0;
    for (let octave = 0; octave < octaves; octave++)
      sum += single(x * 2 ** octave + octave * 37) / 2 ** octave;
    return sum;
  };
}
