/** A data URL that holds no picture. */
export class UnreadableReference extends Error {
  override readonly name = 'UnreadableReference';
  /** Its place in the list, from 0. */
  readonly index: number;

  constructor(index: number) {
    super(`reference ${index + 1} is no PNG, JPEG, WebP, GIF or AVIF image as a data URL`);
    this.index = index;
  }
}
