import { mix, turnHue } from '../color.ts';
import { smoothNoise } from '../random.ts';
import type { Scenery } from '../scenery.ts';
import { across, fillBelow, type Layer, type Pen, type Stage, vertical } from '../stage.ts';
import { clouds } from './sky.ts';
import { hazy, mist } from './terrain.ts';

/** Dunes with a lit and a shaded side, pyramids or cacti among them. */
export function desert(stage: Stage): Scenery {
  const { height, horizon, unit, random } = stage;
  const near = duneLine(stage, height * 0.86, unit * 5);
  const middle = duneLine(stage, height * 0.76, unit * 7);
  const landmarks = random.chance(0.5) ? pyramids(stage, 0.24) : cacti(stage, 0.62, middle);
  return {
    behind: [
      ...clouds(stage, 3, horizon * 0.6),
      dune(stage, 0.16, duneLine(stage, height * 0.6, unit * 6)),
      mist(stage, 0.2, height * 0.6, unit * 8, 0.4),
      ...(landmarks.depth < 0.4 ? [landmarks] : []),
      dune(stage, 0.34, duneLine(stage, height * 0.68, unit * 8)),
      dune(stage, 0.6, middle),
      ...(landmarks.depth > 0.4 ? [landmarks] : []),
      dune(stage, 0.92, near),
    ],
    ground: near,
    depth: 0.92,
    front: [],
  };
}

function duneLine(stage: Stage, level: number, height: number): (x: number) => number {
  const noise = smoothNoise(stage.random);
  const shift = stage.random.between(0, 200);
  return (x) => level - height * 1.3 * noise(x / (stage.unit * 52) + shift);
}

function dune(stage: Stage, depth: number, line: (x: number) => number): Layer {
  const { palette, height, unit } = stage;
  const sand = mix(mix('#e2a85f', palette.accent, 0.16), hazy(stage, depth), 0.32 + 0.2 * depth);
  const lit = mix(sand, palette.light, 0.3);
  const dark = mix(sand, palette.ground, 0.5);
  const crest = smoothNoise(stage.random, 2);
  return {
    depth,
    paint(pen) {
      fillBelow(pen, stage, line, vertical(pen, height * 0.5, height * 1.05, [lit, sand]));
      pen.beginPath();
      for (const x of across(stage, unit)) pen.lineTo(x, line(x));
      for (const x of [...across(stage, unit)].reverse()) {
        pen.lineTo(x, line(x) + unit * (3 + 17 * depth) * Math.max(0, crest(x / (unit * 44)) + 0.25));
      }
      pen.closePath();
      pen.fillStyle = vertical(pen, height * 0.5, height, [mix(dark, sand, 0.35), dark]);
      pen.fill();
    },
  };
}

function pyramids(stage: Stage, depth: number): Layer {
  const { width, height, unit, random, palette, light } = stage;
  const placed = [0.3, 0.48, 0.72].map((part) => ({
    x: width * part + random.between(-1, 1) * unit * 8,
    tall: unit * random.between(12, 26),
  }));
  const sand = mix(mix('#c98f4f', palette.sky[2], 0.35), palette.ground, 0.12);
  return {
    depth,
    paint(pen) {
      for (const { x, tall } of placed) {
        const foot = height * 0.68;
        const sunSide = light.x < x ? -1 : 1;
        triangle(
          pen,
          [x, foot - tall],
          [x - tall * 0.95, foot],
          [x + tall * 0.95, foot],
          mix(sand, palette.ground, 0.35),
        );
        triangle(
          pen,
          [x, foot - tall],
          [x + sunSide * tall * 0.95, foot],
          [x - sunSide * tall * 0.25, foot],
          mix(sand, palette.light, 0.3),
        );
      }
    },
  };
}

type Point = readonly [x: number, y: number];

function triangle(pen: Pen, a: Point, b: Point, c: Point, fill: string): void {
  pen.beginPath();
  for (const [x, y] of [a, b, c]) pen.lineTo(x, y);
  pen.closePath();
  pen.fillStyle = fill;
  pen.fill();
}

function cacti(stage: Stage, depth: number, line: (x: number) => number): Layer {
  const { width, unit, random, palette } = stage;
  const placed = Array.from({ length: 5 }, () => ({
    x: random.between(0, 1) * width,
    tall: unit * random.between(7, 15),
    arms: [random.between(0.35, 0.6), random.between(0.45, 0.7)] as const,
  }));
  const color = turnHue(mix(palette.ground, '#2e6f4e', 0.35), 0);
  return {
    depth,
    paint(pen) {
      pen.strokeStyle = color;
      pen.lineCap = 'round';
      pen.lineJoin = 'round';
      for (const { x, tall, arms } of placed) {
        const foot = line(x) + unit;
        pen.lineWidth = tall * 0.15;
        pen.beginPath();
        pen.moveTo(x, foot);
        pen.lineTo(x, foot - tall);
        for (const [index, arm] of arms.entries()) {
          const out = (index === 0 ? -1 : 1) * tall * 0.26;
          pen.moveTo(x, foot - tall * (arm - 0.12));
          pen.lineTo(x + out, foot - tall * (arm - 0.12));
          pen.lineTo(x + out, foot - tall * (arm + 0.16));
        }
        pen.stroke();
      }
    },
  };
}
