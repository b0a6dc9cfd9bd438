import { createCanvas } from '@napi-rs/canvas';
import { captionFont, paintCaption } from './caption.ts';
import { compose } from './compose.ts';
import { Glyphs } from './glyphs.ts';
import { paintReferences, type Reference, readReferences } from './references.ts';
import type { Layer, Pen } from './stage.ts';
import { paintMark } from './watermark.ts';

/** A request of `POST /images/generations` (service description, section 4). */
export interface PictureRequest {
  readonly prompt: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Data URLs, which are drawn, and https URLs, which are shown by name and never fetched. */
  readonly references?: readonly string[];
  /** Another seed gives another picture of the same prompt; 0 by default. */
  readonly seed?: number;
}

/** Draws a PNG from a prompt; the same request gives the same bytes. @throws UnreadableReference */
export async function drawPicture(request: PictureRequest): Promise<Uint8Array<ArrayBuffer>> {
  const { prompt, width, height, seed = 0 } = request;
  const references = await readReferences(request.references ?? []);
  const canvas = createCanvas(width, height);
  const pen = canvas.getContext('2d');
  for (const layer of compose({ prompt, seed, width, height, margin: Math.round(width * 0.08) }))
    paintLayer(pen, layer);
  paintTop(pen, { prompt, width, height, references });
  return new Uint8Array(await canvas.encode('png'));
}

function paintLayer(pen: Pen, layer: Layer): void {
  const { x = 0, y = 0, alpha = 1 } = layer.motion?.(0) ?? {};
  pen.save();
  pen.translate(x, y);
  pen.globalAlpha = alpha;
  layer.paint(pen, 0);
  pen.restore();
}

interface Top {
  readonly prompt: string;
  readonly width: number;
  readonly height: number;
  readonly references: readonly Reference[];
}

/** Paints the overlay of every image and frame: vignette, caption, watermark, references. */
export function paintTop(pen: Pen, { prompt, width, height, references }: Top): void {
  const unit = Math.min(width, height) / 100;
  const glyphs = new Glyphs(captionFont);
  vignette(pen, width, height);
  paintCaption(pen, glyphs, prompt, width, height, unit);
  paintReferences(pen, glyphs, references, width, unit);
  paintMark(pen, unit);
}

function vignette(pen: Pen, width: number, height: number): void {
  const radius = Math.hypot(width, height) / 2;
  const gradient = pen.createRadialGradient(
    width / 2,
    height / 2,
    radius * 0.62,
    width / 2,
    height / 2,
    radius,
  );
  gradient.addColorStop(0, 'rgba(0, 0, 0, 0)');
  gradient.addColorStop(1, 'rgba(0, 0, 0, 0.28)');
  pen.fillStyle = gradient;
  pen.fillRect(0, 0, width, height);
}
