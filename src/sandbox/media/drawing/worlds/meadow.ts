import { type Color, mix, turnHue } from '../color.ts';
import type { Scenery } from '../scenery.ts';
import { fillBelow, type Layer, type Pen, type Stage, vertical } from '../stage.ts';
import { clouds } from './sky.ts';
import { grass, hazy, hillLine, mist } from './terrain.ts';
import { pineRow } from './trees.ts';

/** Rolling green hills, a field of flowers before them. */
export function meadow(stage: Stage): Scenery {
  const { height, horizon, unit, random } = stage;
  const line = (level: number, rise: number, length: number) =>
    hillLine(random, height * level, unit * rise, unit * length);
  const [first, second, third] = [line(0.6, 7, 50), line(0.68, 6, 44), line(0.76, 4, 40)];
  const ground = line(0.85, 2.5, 40);
  return {
    behind: [
      ...clouds(stage, 7, horizon * 0.8),
      slope(stage, 0.16, line(0.54, 9, 60), 0.15),
      mist(stage, 0.2, height * 0.58, unit * 9, 0.4),
      slope(stage, 0.24, first, 0.35),
      pineRow(stage, 0.26, first, unit * 6, 1.6),
      slope(stage, 0.45, second, 0.55),
      flowers(stage, 0.5, (x) => second(x) + unit * 3, unit * 0.55, 3),
      slope(stage, 0.7, third, 0.75),
      flowers(stage, 0.74, (x) => third(x) + unit * 2.5, unit * 1, 3),
      slope(stage, 0.95, ground, 0.92),
    ],
    ground,
    depth: 0.95,
    front: [
      grass(stage, 0.96, (x) => ground(x) + unit * 2, unit * 5),
      flowers(stage, 1, (x) => ground(x) + unit * 3, unit * 1.9, 2),
    ],
  };
}

/** Ground between the haze and a green of the palette. */
function slope(stage: Stage, depth: number, line: (x: number) => number, near: number): Layer {
  const { palette, height } = stage;
  const green = mix(turnHue(mix('#3f9b53', palette.sky[1], 0.25), 0), palette.ground, 0.15 + 0.6 * near ** 2);
  const lit = mix(mix(green, hazy(stage, depth), 0.5 * (1 - near)), palette.light, 0.16);
  return {
    depth,
    paint(pen) {
      fillBelow(
        pen,
        stage,
        line,
        vertical(pen, height * 0.45, height, [lit, mix(lit, palette.ground, 0.75)]),
      );
    },
  };
}

/** Rows of flowers on stalks below a line, nearer rows larger. */
function flowers(
  stage: Stage,
  depth: number,
  line: (x: number) => number,
  size: number,
  rows: number,
): Layer {
  const { margin, width, random, palette } = stage;
  const colors = [
    palette.accent,
    turnHue(palette.accent, 35),
    palette.light,
    turnHue(palette.accent, -40),
  ] as const;
  const placed: {
    x: number;
    y: number;
    size: number;
    color: Color;
    petals: number;
    turn: number;
    tall: number;
  }[] = [];
  for (let row = 0; row < rows; row++) {
    const scale = size * (0.7 + 0.4 * row);
    for (let x = -margin; x < width + margin; x += scale * random.between(1.6, 6)) {
      placed.push({
        x,
        y: line(x) + row * scale * 3.4 + random.between(-1, 1) * scale,
        size: scale * random.between(0.6, 1.1),
        color: random.pick(colors),
        petals: random.whole(5, 8),
        turn: random.between(0, Math.PI),
        tall: scale * random.between(2.4, 4.6),
      });
    }
  }
  const stalk = mix('#2f7d45', palette.ground, 0.55);
  return {
    depth,
    motion: (seconds) => ({ x: size * 0.35 * Math.sin(seconds * 1.6 + depth * 9) }),
    paint(pen) {
      for (const { x, y, size: wide, color, petals, turn, tall } of placed) {
        pen.fillStyle = stalk;
        pen.fillRect(x - wide * 0.1, y - tall, wide * 0.2, tall);
        bloom(pen, x, y - tall, wide, petals, turn, color, palette.light);
      }
    },
  };
}

/** One open flower seen from above. */
export function bloom(
  pen: Pen,
  x: number,
  y: number,
  size: number,
  petals: number,
  turn: number,
  color: Color,
  light: Color,
): void {
  pen.fillStyle = mix(color, light, 0.12);
  for (let petal = 0; petal < petals; petal++) {
    const angle = turn + (petal * 2 * Math.PI) / petals;
    pen.beginPath();
    pen.ellipse(
      x + Math.cos(angle) * size * 0.6,
      y + Math.sin(angle) * size * 0.6,
      size * 0.52,
      size * 0.3,
      angle,
      0,
      2 * Math.PI,
    );
    pen.fill();
  }
  pen.beginPath();
  pen.arc(x, y, size * 0.34, 0, 2 * Math.PI);
  pen.fillStyle = mix('#f6c445', color, 0.15);
  pen.fill();
}
