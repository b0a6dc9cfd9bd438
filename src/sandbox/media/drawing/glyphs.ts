import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';

const size = 24;

/** A code point that no font has: what it looks like is what a missing character looks like. */
const missing = '\u{10fffe}';

/** Spaces, accents and joiners change what stands before them, or nothing. */
const invisible = /[\s\p{M}\p{Cf}]/u;

/** Tells which characters this machine's fonts can show, by drawing them and looking. */
export class Glyphs {
  readonly #pen: SKRSContext2D;
  readonly #missing: string;
  readonly #known = new Map<string, boolean>();

  /** `font` is a CSS family list, as it will be drawn with. */
  constructor(font: string) {
    this.#pen = createCanvas(size * 2, size * 2).getContext('2d');
    this.#pen.font = `${size}px ${font}`;
    this.#missing = this.#picture(missing);
  }

  /** Whether every visible character of `text` can be shown. */
  has(text: string): boolean {
    return [...text].every((character) => invisible.test(character) || this.#hasOne(character));
  }

  #hasOne(character: string): boolean {
    const known = this.#known.get(character);
    if (known !== undefined) return known;
    const picture = this.#picture(character);
    const isShown = picture !== this.#missing && /[1-9a-f]/.test(picture);
    this.#known.set(character, isShown);
    return isShown;
  }

  #picture(character: string): string {
    this.#pen.clearRect(0, 0, size * 2, size * 2);
    this.#pen.fillText(character, size / 2, size * 1.5);
    return Buffer.from(this.#pen.getImageData(0, 0, size * 2, size * 2).data).toString('hex');
  }
}
