import { Path2D } from '@napi-rs/canvas';
import type { Color } from './colors.ts';
import type { Fill, Pen } from './stage.ts';

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
