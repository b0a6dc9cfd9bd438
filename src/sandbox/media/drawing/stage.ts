import type { SKRSContext2D } from '@napi-rs/canvas';
import type { TimeOfDay } from './motifs.ts';
import type { Palette } from './palettes.ts';
import type { Random } from './random.ts';

export type Pen = SKRSContext2D;
export type Gradient = ReturnType<Pen['createLinearGradient']>;

/** The canvas and settings of a drawing. Lengths are pixels. */
export interface Stage {
  readonly width: number;
  readonly height: number;
  /** Pixels painted beyond the left and right edge, for layers that move. */
  readonly margin: number;
  /** 1 % of the shorter side, the unit of strokes and details. */
  readonly unit: number;
  readonly palette: Palette;
  readonly random: Random;
  readonly time: TimeOfDay;
  /** Height of the horizon. */
  readonly horizon: number;
  /** The center of the sun or moon. */
  readonly light: {
    readonly x: number;
    readonly y: number;
    readonly radius: number;
    readonly isMoon: boolean;
  };
  /** Where the main subject stands, as a fraction of the width. */
  readonly focus: number;
}

/** A layer of the image. */
export interface Layer {
  /** From 0 (as far as the sky, doesn't move with the camera) to 1 (right in front of it). */
  readonly depth: number;
  /** Paints the layer at `seconds`, which only matter for `live` layers. */
  readonly paint: (pen: Pen, seconds: number) => void;
  /** Painted again for every frame, so it must be cheap; other layers are painted once and moved. */
  readonly live?: boolean;
  /** Pixels the layer is moved by, and its opacity. */
  readonly motion?: (seconds: number) => {
    readonly x?: number;
    readonly y?: number;
    readonly alpha?: number;
  };
}

/** From the left margin to the right one in steps of `step` pixels, both inclusive. */
export function* across(stage: Stage, step: number): Generator<number> {
  for (let x = -stage.margin; x < stage.width + stage.margin; x += step) yield x;
  yield stage.width + stage.margin;
}

/** Fills everything below a line with `fill`. */
export function fillBelow(pen: Pen, stage: Stage, line: (x: number) => number, fill: Pen['fillStyle']): void {
  pen.beginPath();
  pen.moveTo(-stage.margin, stage.height);
  for (const x of across(stage, stage.unit / 2)) pen.lineTo(x, line(x));
  pen.lineTo(stage.width + stage.margin, stage.height);
  pen.closePath();
  pen.fillStyle = fill;
  pen.fill();
}

/** A gradient from `top` to `bottom` through the colors, evenly spread. */
export function vertical(pen: Pen, top: number, bottom: number, colors: readonly string[]): Gradient {
  const gradient = pen.createLinearGradient(0, top, 0, bottom);
  for (const [index, color] of colors.entries())
    gradient.addColorStop(index / Math.max(1, colors.length - 1), color);
  return gradient;
}

/** A round glow that fades out at `radius`. */
export function glow(pen: Pen, x: number, y: number, radius: number, inner: string, outer: string): void {
  const gradient = pen.createRadialGradient(x, y, 0, x, y, radius);
  gradient.addColorStop(0, inner);
  gradient.addColorStop(1, outer);
  pen.fillStyle = gradient;
  pen.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
}

/** A filled circle. */
export function disc(pen: Pen, x: number, y: number, radius: number, fill: Pen['fillStyle']): void {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fillStyle = fill;
  pen.fill();
}
