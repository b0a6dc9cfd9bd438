import { type Color, mix } from '../color.ts';
import type { Palette } from '../palettes.ts';
import type { Pen } from '../stage.ts';

/** The colors a subject is drawn in. */
export interface Ink {
  readonly dark: Color;
  /** The side of a dark shape that catches light. */
  readonly lit: Color;
  readonly accent: Color;
  readonly light: Color;
}

/** Draws a subject one unit tall, its foot at the origin, facing right. */
export type Draw = (pen: Pen, ink: Ink) => void;

/** Subjects are pale in space, where a dark silhouette wouldn't be visible. */
export function inkOf(palette: Palette, isPale: boolean): Ink {
  const dark = isPale
    ? mix(mix('#59607f', palette.sky[2], 0.3), palette.light, 0.12)
    : mix(palette.ground, '#000000', 0.3);
  return {
    dark,
    lit: mix(dark, isPale ? palette.light : palette.sky[2], isPale ? 0.6 : 0.24),
    accent: palette.accent,
    light: palette.light,
  };
}

/** Fills a path of cubic curves: a start, then three points (six numbers) a curve. */
export function shape(
  pen: Pen,
  fill: Pen['fillStyle'],
  start: readonly [number, number],
  curves: readonly Curve[],
): void {
  pen.beginPath();
  pen.moveTo(...start);
  for (const curve of curves) pen.bezierCurveTo(...curve);
  pen.closePath();
  pen.fillStyle = fill;
  pen.fill();
}
export type Curve = readonly [number, number, number, number, number, number];

/** Fills a polygon. */
export function polygon(
  pen: Pen,
  fill: Pen['fillStyle'],
  points: readonly (readonly [number, number])[],
): void {
  pen.beginPath();
  for (const point of points) pen.lineTo(...point);
  pen.closePath();
  pen.fillStyle = fill;
  pen.fill();
}

/** Fills an ellipse. */
export function oval(
  pen: Pen,
  fill: Pen['fillStyle'],
  x: number,
  y: number,
  rx: number,
  ry: number,
  turn = 0,
): void {
  pen.beginPath();
  pen.ellipse(x, y, rx, ry, turn, 0, 2 * Math.PI);
  pen.fillStyle = fill;
  pen.fill();
}

/** Fills a rectangle with round corners. */
export function box(
  pen: Pen,
  fill: Pen['fillStyle'],
  x: number,
  y: number,
  wide: number,
  tall: number,
  round = 0,
): void {
  pen.beginPath();
  pen.roundRect(x, y, wide, tall, round);
  pen.fillStyle = fill;
  pen.fill();
}

/** Strokes one curve with round ends. */
export function stroke(
  pen: Pen,
  color: string,
  thick: number,
  start: readonly [number, number],
  curve: Curve,
): void {
  pen.beginPath();
  pen.moveTo(...start);
  pen.bezierCurveTo(...curve);
  pen.lineCap = 'round';
  pen.lineWidth = thick;
  pen.strokeStyle = color;
  pen.stroke();
}
