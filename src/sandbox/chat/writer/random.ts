/** A seeded random number generator. */
export class Random {
  #state: number;

  /** `seed` is any text. */
  constructor(seed: string) {
    let hash = 2_166_136_261;
    for (const character of seed.slice(0, 10_000))
      hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619);
    this.#state = hash >>> 0;
  }

  /** From 0 to 1, exclusive. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer from `low` to `high`, inclusive. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[Math.floor(this.next() * choices.length)] ?? choices[0];
  }
}

/** Words to choose from, by slot name. */
export type Slots = Readonly<Record<string, readonly [string, ...string[]]>>;

/** Fills the `{slots}` of a template with random words and capitalizes it. */
export function fillTemplate(template: string, slots: Slots, random: Random): string {
  const text = template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const choices = slots[name];
    return choices ? random.pick(choices) : whole;
  });
  return text.replace(/^\P{L}*\p{L}/u, (start) => start.toUpperCase());
}
