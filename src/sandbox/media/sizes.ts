import { image, type VideoRatio, type VideoResolution } from '../../service-rules/limits.ts';

/** Pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The longest side the sandbox draws, in pixels. */
export const longestImageSide = 4096;

const namedSizes: Readonly<Record<string, number>> = { '2k': 2048, '3k': 3072, '4k': 4096 };

/**
 * The pixels of an image's `size`: `2k`, `3k`, `4k` (square) or `WIDTHxHEIGHT`, each side up to 4096.
 * @throws RangeError that says what is allowed
 */
export function imageSize(size: string): Size {
  const side = namedSizes[size];
  if (side !== undefined) return { width: side, height: side };
  const [, width, height] = /^(\d+)x(\d+)$/.exec(image.sizePattern.test(size) ? size : '') ?? [];
  const pixels = { width: Number(width), height: Number(height) };
  if (pixels.width <= longestImageSide && pixels.height <= longestImageSide) return pixels;
  const allowed = `${image.sizes.join(', ')} or WIDTHxHEIGHT with sides of 10 to ${longestImageSide} pixels`;
  throw new RangeError(`size: '${size}' is not allowed; allowed are ${allowed}`);
}

/** The pixels of a video: the resolution is the shorter side, the ratio gives the longer one, rounded to even. */
export function videoSize(resolution: VideoResolution, ratio: VideoRatio): Size {
  const short = Number.parseInt(resolution, 10);
  const [across = 1, down = 1] = ratio.split(':').map(Number);
  const long = 2 * Math.round((short * Math.max(across, down)) / Math.min(across, down) / 2);
  return across >= down ? { width: long, height: short } : { width: short, height: long };
}

/** The most pixels of a reference image, at four bytes each when decoded: a small file can hold a huge image. */
const maxReferencePixels = 64_000_000;

/** The requirements of a reference image, for errors. */
export const referencePicture = `PNG, JPEG, WebP or GIF image of at most ${maxReferencePixels / 1e6} megapixels`;

/** Whether a reference image takes too much memory to be drawn. */
export function tooManyPixels({ width, height }: Size): boolean {
  return width * height > maxReferencePixels;
}

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
