import { mix } from '../color.ts';
import { bloom } from '../worlds/meadow.ts';
import { box, type Draw, oval, shape, stroke } from './ink.ts';

/** Three tall flowers on leafy stalks. */
export const flower: Draw = (pen, { dark, accent, light }) => {
  const stalk = mix('#2c7a45', dark, 0.4);
  for (const [x, top, size, lean] of [
    [-0.28, -0.66, 0.14, -0.1],
    [0.26, -0.58, 0.13, 0.1],
    [0, -0.86, 0.2, 0],
  ] as const) {
    stroke(pen, stalk, 0.03, [x * 0.2, 0], [x * 0.3, top * 0.4, x + lean * 0.4, top * 0.6, x, top]);
    shape(
      pen,
      stalk,
      [x * 0.3, top * 0.35],
      [
        [x * 0.3 + 0.1, top * 0.6, x * 0.3 + 0.2, top * 0.62, x * 0.3 + 0.24, top * 0.56],
        [x * 0.3 + 0.18, top * 0.4, x * 0.3 + 0.1, top * 0.34, x * 0.3, top * 0.35],
      ],
    );
    bloom(pen, x, top, size, size > 0.15 ? 9 : 7, x + 0.2, accent, light);
  }
};

/** A broad tree with a round crown. */
export const tree: Draw = (pen, { dark, accent, light }) => {
  const leaves = mix(mix('#2f7a48', dark, 0.45), accent, 0.08);
  shape(
    pen,
    dark,
    [-0.09, 0],
    [
      [-0.04, -0.2, -0.05, -0.3, -0.08, -0.5],
      [0, -0.52, 0.04, -0.52, 0.09, -0.5],
      [0.05, -0.3, 0.05, -0.2, 0.1, 0],
    ],
  );
  stroke(pen, dark, 0.04, [0, -0.32], [0.06, -0.4, 0.14, -0.46, 0.22, -0.52]);
  stroke(pen, dark, 0.04, [0, -0.36], [-0.06, -0.44, -0.12, -0.48, -0.2, -0.54]);
  for (const [x, y, size] of [
    [-0.26, -0.58, 0.2],
    [0.27, -0.58, 0.21],
    [-0.12, -0.76, 0.23],
    [0.16, -0.78, 0.22],
    [0, -0.6, 0.24],
  ] as const) {
    oval(pen, leaves, x, y, size, size * 0.9);
  }
  for (const [x, y, size] of [
    [-0.2, -0.7, 0.1],
    [0.06, -0.86, 0.11],
    [0.26, -0.66, 0.09],
    [-0.02, -0.64, 0.08],
  ] as const) {
    oval(pen, mix(leaves, light, 0.16), x, y, size, size * 0.8);
  }
};

/** A person from behind, with a scarf in the wind. */
export const person: Draw = (pen, { dark, lit, accent }) => {
  for (const side of [-1, 1]) {
    shape(
      pen,
      dark,
      [side * 0.02, -0.42],
      [
        [side * 0.03, -0.3, side * 0.05, -0.12, side * 0.06, 0],
        [side * 0.1, 0.01, side * 0.12, 0.01, side * 0.13, 0],
        [side * 0.12, -0.16, side * 0.12, -0.3, side * 0.12, -0.44],
      ],
    );
    stroke(pen, dark, 0.055, [side * 0.12, -0.7], [side * 0.18, -0.6, side * 0.19, -0.5, side * 0.16, -0.4]);
  }
  shape(
    pen,
    dark,
    [-0.14, -0.36],
    [
      [-0.16, -0.52, -0.16, -0.68, -0.1, -0.76],
      [-0.04, -0.79, 0.04, -0.79, 0.1, -0.76],
      [0.16, -0.68, 0.16, -0.52, 0.14, -0.36],
    ],
  );
  box(pen, mix(dark, accent, 0.5), -0.1, -0.7, 0.2, 0.24, 0.05);
  box(pen, mix(dark, accent, 0.25), -0.07, -0.56, 0.14, 0.09, 0.02);
  oval(pen, dark, 0, -0.88, 0.085, 0.1);
  oval(pen, lit, 0.03, -0.92, 0.04, 0.04);
  shape(
    pen,
    accent,
    [-0.09, -0.79],
    [
      [-0.03, -0.76, 0.05, -0.76, 0.1, -0.79],
      [0.22, -0.82, 0.3, -0.7, 0.42, -0.76],
      [0.34, -0.66, 0.24, -0.66, 0.1, -0.73],
      [0.04, -0.71, -0.04, -0.71, -0.09, -0.79],
    ],
  );
};
