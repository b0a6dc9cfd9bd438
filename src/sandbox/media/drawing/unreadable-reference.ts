import { maxReferencePixels } from '../picture-size.ts';

/** What a reference picture has to be. */
export const referencePicture = `PNG, JPEG, WebP or GIF image of at most ${maxReferencePixels / 1e6} megapixels`;

/** A data URL that holds no picture, or one that is too large. */
export class UnreadableReference extends Error {
  override readonly name = 'UnreadableReference';
  /** Its place in the list, from 0. */
  readonly index: number;

  constructor(index: number) {
    super(`reference ${index + 1} is no ${referencePicture} as a data URL`);
    this.index = index;
  }
}
