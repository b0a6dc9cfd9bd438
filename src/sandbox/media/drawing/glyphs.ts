import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';

const size = 24;

/** A code point that no font has, to see how a missing character is drawn. */
const missing = '\u{10fffe}';

/** Spaces, accents and joiners have no glyph of their own. */
const invisible = /[\s\p{M}\p{Cf}]/u;

/** Finds out which characters the installed fonts have, by drawing them. */
export class Glyphs {
  readonly #pen: SKRSContext2D;
  readonly #missing: string;
  readonly #known = new Map<string, boolean>();

  /** `font` is the CSS font family list. */
  constructor(font: string) {
    this.#pen = createCanvas(size * 2, size * 2).getContext('2d');
    this.#pen.font = `${size}px ${font}`;
    this.#missing = this.#picture(missing);
  }

  /** Whether the fonts have every visible character of `text`. */
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
