/** What an image's header tells of it, before anything is decoded. */
export interface ImageSize {
  readonly type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/avif' | 'image/heic';
  readonly width: number;
  readonly height: number;
}
