import { mix, translucent } from '../color.ts';
import { box, type Draw, oval, shape, stroke } from './ink.ts';

/** A round-cornered machine with kind eyes. */
export const robot: Draw = (pen, { dark, lit, accent, light }) => {
  const metal = mix(lit, light, 0.35);
  stroke(pen, dark, 0.02, [0, -0.86], [0, -0.9, 0, -0.93, 0, -0.97]);
  oval(pen, accent, 0, -0.985, 0.035, 0.035);
  for (const side of [-1, 1]) {
    stroke(pen, dark, 0.06, [side * 0.2, -0.46], [side * 0.34, -0.42, side * 0.36, -0.3, side * 0.32, -0.22]);
    oval(pen, accent, side * 0.32, -0.2, 0.05, 0.05);
    box(pen, dark, side * 0.11 - 0.05, -0.16, 0.1, 0.13);
    box(pen, mix(dark, accent, 0.4), side * 0.12 - 0.085, -0.06, 0.17, 0.06, 0.03);
  }
  box(pen, metal, -0.22, -0.53, 0.44, 0.4, 0.08);
  box(pen, translucent(dark, 0.16), 0.06, -0.53, 0.16, 0.4, 0.08);
  box(pen, dark, -0.13, -0.45, 0.26, 0.14, 0.03);
  stroke(pen, accent, 0.018, [-0.1, -0.38], [-0.04, -0.38, -0.04, -0.44, 0, -0.38]);
  stroke(pen, accent, 0.018, [0, -0.38], [0.04, -0.34, 0.06, -0.38, 0.1, -0.38]);
  box(pen, metal, -0.26, -0.87, 0.52, 0.32, 0.1);
  box(pen, dark, -0.21, -0.82, 0.42, 0.22, 0.08);
  for (const side of [-1, 1]) {
    oval(pen, accent, side * 0.1, -0.72, 0.05, 0.055);
    oval(pen, light, side * 0.1 + 0.015, -0.74, 0.016, 0.018);
    box(pen, dark, side * 0.28 - 0.03, -0.78, 0.06, 0.13, 0.02);
  }
  stroke(pen, accent, 0.016, [-0.05, -0.645], [-0.02, -0.625, 0.02, -0.625, 0.05, -0.645]);
};

/** A heart with a shine. */
export const heart: Draw = (pen, { accent, light }) => {
  shape(
    pen,
    mix('#e5345a', accent, 0.2),
    [0, -0.72],
    [
      [0.1, -1.02, 0.56, -1, 0.54, -0.6],
      [0.52, -0.32, 0.2, -0.18, 0, 0],
      [-0.2, -0.18, -0.52, -0.32, -0.54, -0.6],
      [-0.56, -1, -0.1, -1.02, 0, -0.72],
    ],
  );
  stroke(pen, translucent(light, 0.75), 0.06, [-0.4, -0.6], [-0.41, -0.7, -0.37, -0.79, -0.28, -0.82]);
};

/** A cup of something hot. */
export const cup: Draw = (pen, { dark, accent, light }) => {
  oval(pen, translucent(dark, 0.35), 0, -0.02, 0.56, 0.07);
  oval(pen, mix(light, dark, 0.12), 0, -0.05, 0.52, 0.065);
  pen.lineWidth = 0.07;
  pen.strokeStyle = accent;
  pen.beginPath();
  pen.ellipse(0.36, -0.34, 0.14, 0.13, 0, 0, 2 * Math.PI);
  pen.stroke();
  shape(
    pen,
    accent,
    [-0.36, -0.56],
    [
      [-0.36, -0.2, -0.24, -0.06, -0.14, -0.06],
      [-0.04, -0.05, 0.04, -0.05, 0.14, -0.06],
      [0.24, -0.06, 0.36, -0.2, 0.36, -0.56],
    ],
  );
  oval(pen, mix(accent, light, 0.3), 0, -0.56, 0.36, 0.075);
  oval(pen, mix('#4a2c1a', dark, 0.2), 0, -0.55, 0.31, 0.055);
  for (const x of [-0.12, 0.02, 0.16])
    stroke(pen, translucent(light, 0.5), 0.03, [x, -0.66], [x - 0.1, -0.76, x + 0.1, -0.86, x, -0.98]);
};
