/** Type and size of an image as its header states them. */
export interface ImageSize {
  readonly type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/avif' | 'image/heic';
  readonly width: number;
  readonly height: number;
}
