import { maxReferencePixels } from './image-size.ts';

/** The requirements of a reference image, for errors. */
export const referencePicture = `PNG, JPEG, WebP or GIF image of at most ${maxReferencePixels / 1e6} megapixels`;

/** A data URL without a readable image, or with one that is too large. */
export class UnreadableReference extends Error {
  override readonly name = 'UnreadableReference';
  /** Its index in the list. */
  readonly index: number;

  constructor(index: number) {
    super(`reference ${index + 1} is no ${referencePicture} as a data URL`);
    this.index = index;
  }
}
