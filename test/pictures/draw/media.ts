import { Html, html } from './html.ts';

/** A file of a message, on any platform. */
export interface DrawnFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly description?: string | undefined;
  readonly seconds?: number | undefined;
  /** Loudness over time, a byte each, in base64. */
  readonly waveform?: string | undefined;
  readonly spoiler?: boolean;
}

/** Files one below the other, images side by side. */
export function drawFiles(files: readonly DrawnFile[]): Html {
  const images = files.filter(isImage);
  const others = files.filter((file) => !isImage(file));
  return html`${images.length > 0 && drawGallery(images)}${others.map(drawFile)}`;
}

const isImage = ({ contentType }: DrawnFile) => contentType.startsWith('image/');

/** Images and videos in a grid; spoilers are covered. */
export function drawGallery(files: readonly DrawnFile[]): Html {
  const columns = files.length === 1 ? 1 : 2;
  return html`<div class="gallery columns-${columns}">${files.map((file) =>
    file.spoiler
      ? html`<div class="covered">${drawFile(file)}<span class="cover">SPOILER</span></div>`
      : drawFile(file),
  )}</div>`;
}

/** An image, a video or a clip as itself; any other file by its name and size. */
export function drawFile(file: DrawnFile): Html {
  const { name, contentType, bytes, description } = file;
  if (contentType.startsWith('image/'))
    return html`<img class="image" alt="${description ?? name}" src="${address(file)}">`;
  if (contentType.startsWith('video/'))
    return html`<div class="film"><video alt="${name}" muted src="${address(file)}"></video><span class="play">▶</span></div>`;
  if (contentType.startsWith('audio/')) return drawClip(file);
  return html`<div class="file">🗎 <b>${name}</b> <small>${sizeOf(bytes.length)}</small></div>`;
}

function address({ contentType, bytes }: DrawnFile): string {
  return `data:${contentType.split(';')[0]};base64,${Buffer.from(bytes).toString('base64')}`;
}

const bars = 48;

function drawClip({ name, seconds, waveform, bytes }: DrawnFile): Html {
  const levels = waveform === undefined ? [] : [...Buffer.from(waveform, 'base64')];
  const shown = Array.from({ length: Math.min(bars, levels.length) }, (_, index) =>
    Math.round(2 + ((levels[Math.floor((index * levels.length) / bars)] ?? 0) / 255) * 20),
  );
  const wave = shown.map((height) => `<i style="height:${height}px"></i>`).join('');
  const label = waveform === undefined && html`<b>${name}</b> `;
  const length =
    seconds === undefined ? sizeOf(bytes.length) : `0:${String(Math.round(seconds)).padStart(2, '0')}`;
  return html`<div class="clip"><span class="play-small">▶</span>${label}<span class="wave">${new Html(wave)}</span><small>${length}</small></div>`;
}

function sizeOf(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
