import { mix, translucent } from '../color.ts';
import { glow } from '../stage.ts';
import { box, type Draw, oval, polygon } from './ink.ts';

/** A cottage with light in its windows and smoke over the chimney. */
export const house: Draw = (pen, { dark, lit, accent, light }) => {
  const warm = mix(accent, light, 0.6);
  for (const [x, y, size] of [
    [0.3, -1.02, 0.05],
    [0.36, -1.14, 0.07],
    [0.46, -1.28, 0.09],
  ] as const) {
    oval(pen, translucent(light, 0.28), x, y, size, size * 0.8);
  }
  box(pen, lit, 0.22, -0.92, 0.12, 0.3);
  box(pen, mix(dark, accent, 0.14), -0.42, -0.5, 0.84, 0.5);
  polygon(pen, dark, [
    [-0.54, -0.47],
    [0, -0.96],
    [0.54, -0.47],
  ]);
  polygon(pen, lit, [
    [0, -0.96],
    [0.54, -0.47],
    [0.46, -0.47],
    [-0.04, -0.92],
  ]);
  glow(pen, -0.2, -0.28, 0.34, translucent(warm, 0.4), translucent(warm, 0));
  for (const x of [-0.32, 0.1]) {
    box(pen, warm, x, -0.38, 0.22, 0.2, 0.01);
    box(pen, dark, x + 0.1, -0.38, 0.02, 0.2);
    box(pen, dark, x, -0.29, 0.22, 0.02);
  }
  box(pen, dark, -0.06, -0.3, 0.12, 0.3, 0.02);
  oval(pen, warm, 0, -0.66, 0.07, 0.07);
};

/** A striped tower whose lamp throws two beams. */
export const lighthouse: Draw = (pen, { dark, accent, light }) => {
  for (const side of [-1, 1]) {
    const beam = pen.createLinearGradient(0, 0, side * 1.5, 0);
    beam.addColorStop(0, translucent(light, 0.6));
    beam.addColorStop(1, translucent(light, 0));
    polygon(pen, beam, [
      [0, -0.88],
      [side * 1.5, -1.08],
      [side * 1.5, -0.72],
    ]);
  }
  const wall = mix(light, dark, 0.08);
  polygon(pen, wall, [
    [-0.17, 0],
    [-0.1, -0.78],
    [0.1, -0.78],
    [0.17, 0],
  ]);
  for (const [top, bottom] of [
    [-0.2, 0],
    [-0.6, -0.4],
  ] as const) {
    const half = (y: number) => 0.17 + (0.07 * y) / 0.78;
    polygon(pen, accent, [
      [-half(bottom), bottom],
      [-half(top), top],
      [half(top), top],
      [half(bottom), bottom],
    ]);
  }
  polygon(pen, translucent(dark, 0.25), [
    [0.04, 0],
    [0.03, -0.78],
    [0.1, -0.78],
    [0.17, 0],
  ]);
  box(pen, dark, -0.15, -0.81, 0.3, 0.04);
  box(pen, mix(light, accent, 0.3), -0.08, -0.95, 0.16, 0.14);
  box(pen, dark, -0.012, -0.95, 0.024, 0.14);
  polygon(pen, dark, [
    [-0.12, -0.95],
    [0, -1.06],
    [0.12, -0.95],
  ]);
  glow(pen, 0, -0.88, 0.3, translucent(light, 0.8), translucent(light, 0));
  box(pen, dark, -0.04, -0.12, 0.08, 0.12, 0.04);
};
