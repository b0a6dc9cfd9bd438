import { mix, translucent } from '../color.ts';
import { smoothNoise } from '../random.ts';
import type { Scenery } from '../scenery.ts';
import { fillBelow, type Layer, type Pen, type Stage, vertical } from '../stage.ts';
import { clouds } from './sky.ts';
import { grass, hazy, hill, hillLine, mist } from './terrain.ts';
import { pineRow } from './trees.ts';

/** Ranges of peaks with snow and shade, pines before them, a dark slope in front. */
export function mountains(stage: Stage): Scenery {
  const { height, horizon, unit, random } = stage;
  const ridge = (level: number) => hillLine(random, height * level, unit * 3, unit * 40);
  const pines = ridge(0.8);
  const ground = ridge(0.87);
  return {
    behind: [
      ...clouds(stage, 5, horizon * 0.7),
      peaks(stage, 0.15, horizon * 1.04, horizon * 0.42),
      mist(stage, 0.2, horizon * 1.02, unit * 12, 0.5),
      peaks(stage, 0.3, horizon * 1.14, horizon * 0.5),
      mist(stage, 0.32, horizon * 1.16, unit * 12, 0.55),
      hill(stage, 0.5, hillLine(random, height * 0.75, unit * 6, unit * 45), height * 0.66),
      mist(stage, 0.6, height * 0.78, unit * 9, 0.4),
      pineRow(stage, 0.68, pines, unit * 9),
      hill(stage, 0.7, pines, height * 0.74),
      hill(stage, 0.96, ground, height * 0.8),
    ],
    ground,
    depth: 0.96,
    front: [grass(stage, 1, (x) => ground(x) + unit * 1.5, unit * 2.2)],
  };
}

interface Peak {
  readonly x: number;
  readonly y: number;
  readonly reach: number;
}

function peaks(stage: Stage, depth: number, base: number, height: number): Layer {
  const { width, margin, unit, random, palette } = stage;
  const tops: Peak[] = [];
  const spacing = unit * (26 + 22 * depth);
  for (let x = -margin - spacing; x < width + margin + spacing; x += spacing * random.between(0.6, 1.25)) {
    const tall = height * random.between(0.45, 1);
    tops.push({ x, y: base - tall, reach: tall * random.between(0.8, 1.15) });
  }
  const rough = smoothNoise(random, 3);
  const line = (x: number) => {
    const jag = unit * 1.1 * rough(x / (unit * 3));
    return (
      jag + Math.min(base, ...tops.map((top) => top.y + (Math.abs(x - top.x) / top.reach) * (base - top.y)))
    );
  };
  const color = hazy(stage, depth + 0.12);
  return {
    depth,
    paint(pen) {
      fillBelow(
        pen,
        stage,
        line,
        vertical(pen, base - height, base, [color, mix(color, palette.sky[2], 0.45)]),
      );
      pen.save();
      clipBelow(pen, stage, line);
      for (const top of tops) {
        shade(pen, stage, top, base, translucent(palette.ground, 0.16 + 0.1 * depth));
        snow(pen, stage, top, base, mix(palette.light, palette.sky[2], 0.25));
      }
      pen.restore();
    },
  };
}

function clipBelow(pen: Pen, stage: Stage, line: (x: number) => number): void {
  fillBelow(pen, stage, line, 'transparent');
  pen.clip();
}

/** The flank that is turned away from the light. */
function shade(pen: Pen, stage: Stage, top: Peak, base: number, fill: string): void {
  const side = stage.light.x < top.x ? 1 : -1;
  const drop = base - top.y;
  pen.beginPath();
  pen.moveTo(top.x, top.y - stage.unit * 2);
  for (const [down, out] of [
    [0.2, 0.06],
    [0.42, -0.08],
    [0.62, 0.1],
    [1, -0.04],
  ] as const) {
    pen.lineTo(top.x + side * out * top.reach, top.y + down * drop);
  }
  pen.lineTo(top.x + side * top.reach * 1.1, base);
  pen.closePath();
  pen.fillStyle = fill;
  pen.fill();
}

function snow(pen: Pen, stage: Stage, top: Peak, base: number, color: `#${string}`): void {
  const drop = (base - top.y) * 0.34;
  const reach = top.reach * 0.36;
  const away = stage.light.x < top.x ? 1 : -1;
  for (const side of [-1, 1]) {
    pen.beginPath();
    pen.moveTo(top.x, top.y - stage.unit * 3);
    pen.lineTo(top.x + side * reach * 1.2, top.y + drop * 0.9);
    for (const [out, down] of [
      [0.72, 0.72],
      [0.55, 1.05],
      [0.34, 0.66],
      [0.16, 0.95],
      [0, 0.62],
    ] as const) {
      pen.lineTo(top.x + side * reach * out, top.y + drop * down);
    }
    pen.closePath();
    pen.fillStyle = translucent(color, side === away ? 0.45 : 0.9);
    pen.fill();
  }
}
