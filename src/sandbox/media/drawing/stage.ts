import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import type { Random } from '../../random.ts';
import { type Color, mix, type Palette, type TimeOfDay, translucent } from './colors.ts';

export type Pen = SKRSContext2D;
export type Fill = Pen['fillStyle'];

/** The height of an outline, such as a hill's, at each `x`. */
export type Line = (x: number) => number;

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
  readonly light: { readonly x: number; readonly y: number; readonly radius: number };
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

/** A world for subjects. */
export interface Scenery {
  readonly layers: readonly Layer[];
  /** The ground that the main subject stands on, and its depth. */
  readonly ground: Line;
  readonly depth: number;
  /** The water line for boats and whales, if there is water. */
  readonly water?: { readonly level: number; readonly depth: number };
}

/** From the left margin to the right one in steps of `step` pixels, both inclusive. */
export function* across({ margin, width }: Stage, step: number): Generator<number> {
  for (let x = -margin; x < width + margin; x += step) yield x;
  yield width + margin;
}

/** Things from the left margin to the right one, each `gap()` pixels after the one before. */
export function spread<T>({ margin, width }: Stage, gap: () => number, make: (x: number) => T): T[] {
  const made: T[] = [];
  for (let x = -margin; x < width + margin; x += gap()) made.push(make(x));
  return made;
}

/** Fills everything below a line. */
export function fillBelow(pen: Pen, stage: Stage, line: Line, fill: Fill): void {
  pen.beginPath();
  pen.moveTo(-stage.margin, stage.height);
  for (const x of across(stage, stage.unit / 2)) pen.lineTo(x, line(x));
  pen.lineTo(stage.width + stage.margin, stage.height);
  pen.fillStyle = fill;
  pen.fill();
}

/** Fills the whole width between two heights with a gradient. */
export function band(pen: Pen, stage: Stage, top: number, bottom: number, colors: readonly string[]): void {
  pen.fillStyle = vertical(pen, top, bottom, colors);
  pen.fillRect(-stage.margin, top, stage.width + 2 * stage.margin, bottom - top);
}

/** A gradient from `top` to `bottom` through the colors, evenly spread. */
export function vertical(pen: Pen, top: number, bottom: number, colors: readonly string[]) {
  const gradient = pen.createLinearGradient(0, top, 0, bottom);
  for (const [index, color] of colors.entries())
    gradient.addColorStop(index / Math.max(1, colors.length - 1), color);
  return gradient;
}

/** A round glow of so much opacity that fades out at `radius`. */
export function glow(pen: Pen, x: number, y: number, radius: number, color: Color, alpha: number): void {
  const gradient = pen.createRadialGradient(x, y, 0, x, y, radius);
  gradient.addColorStop(0, translucent(color, alpha));
  gradient.addColorStop(1, translucent(color, 0));
  pen.fillStyle = gradient;
  pen.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
}

/** A filled circle. */
export function disc(pen: Pen, x: number, y: number, radius: number, fill: Fill): void {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fillStyle = fill;
  pen.fill();
}

/** Fills a shape that is 100 wide and tall at another size, mirrored where `wide` is negative. */
export function fillShape(
  pen: Pen,
  shape: Path2D,
  fill: Fill,
  { x, y, wide, tall }: Readonly<Record<'x' | 'y' | 'wide' | 'tall', number>>,
): void {
  pen.save();
  pen.translate(x, y);
  pen.scale(wide / 100, tall / 100);
  pen.fillStyle = fill;
  pen.fill(shape);
  pen.restore();
}

export function polygon(pen: Pen, fill: Fill, points: readonly (readonly [x: number, y: number])[]): void {
  pen.beginPath();
  for (const [x, y] of points) pen.lineTo(x, y);
  pen.fillStyle = fill;
  pen.fill();
}

/** The color of ground at a depth: the farther, the more of the horizon is in it. */
export function hazy({ palette }: Stage, depth: number): Color {
  return mix(palette.ground, mix(palette.sky[2], palette.sky[1], 0.45), (1 - depth) ** 1.25);
}

/** The colors a subject is drawn in. */
export interface Ink {
  readonly dark: Color;
  /** The side of a dark shape that catches light. */
  readonly lit: Color;
  readonly accent: Color;
  readonly light: Color;
}

/** Draws a subject 100 units tall, its foot at the origin, facing right. Paths are those of SVG. */
export type Draw = (brush: Brush, ink: Ink) => void;
export type Brush = ReturnType<typeof brushOf>;

/** What subjects are drawn with; it changes the pen's settings. */
export function brushOf(pen: Pen) {
  return {
    pen,
    fill(fill: Fill, path: string): void {
      pen.fillStyle = fill;
      pen.fill(new Path2D(path));
    },
    /** A line with round ends. */
    line(color: string, thick: number, path: string): void {
      pen.lineCap = 'round';
      pen.lineWidth = thick;
      pen.strokeStyle = color;
      pen.stroke(new Path2D(path));
    },
    oval(fill: Fill, x: number, y: number, rx: number, ry = rx): void {
      pen.beginPath();
      pen.ellipse(x, y, rx, ry, 0, 0, 2 * Math.PI);
      pen.fillStyle = fill;
      pen.fill();
    },
    box(fill: Fill, x: number, y: number, wide: number, tall: number, round = 0): void {
      pen.beginPath();
      pen.roundRect(x, y, wide, tall, round);
      pen.fillStyle = fill;
      pen.fill();
    },
    /** Draws once more as in a mirror. */
    both(draw: () => void): void {
      for (let side = 0; side < 2; side++) {
        draw();
        pen.scale(-1, 1);
      }
    },
  };
}
