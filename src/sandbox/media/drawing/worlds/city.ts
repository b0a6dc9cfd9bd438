import { type Color, mix, translucent } from '../color.ts';
import type { Scenery } from '../scenery.ts';
import { glow, type Layer, type Pen, type Stage, vertical } from '../stage.ts';
import { clouds } from './sky.ts';
import { hazy, mist } from './terrain.ts';

interface Building {
  readonly x: number;
  readonly wide: number;
  readonly tall: number;
  readonly roof: 'flat' | 'stepped' | 'slanted' | 'spire';
  readonly lit: readonly boolean[];
}

/** Three rows of houses with lit windows, and the roof terrace they are seen from. */
export function city(stage: Stage): Scenery {
  const { height, horizon, unit } = stage;
  const ground = height * 0.88;
  return {
    behind: [
      ...clouds(stage, 4, horizon * 0.6),
      skyline(stage, 0.2, height * 0.82, horizon * 0.62),
      mist(stage, 0.3, height * 0.72, unit * 20, 0.45),
      skyline(stage, 0.34, height * 0.9, horizon * 0.68),
      mist(stage, 0.5, height * 0.82, unit * 16, 0.35),
      skyline(stage, 0.62, height, horizon * 0.55),
      terrace(stage, ground),
    ],
    ground: () => ground,
    depth: 0.96,
    front: [],
  };
}

function skyline(stage: Stage, depth: number, foot: number, highest: number): Layer {
  const { margin, width, random } = stage;
  const buildings: Building[] = [];
  for (let x = -margin; x < width + margin; ) {
    const building = raise(stage, depth, x, highest);
    buildings.push(building);
    x += building.wide * random.between(0.86, 1.12);
  }
  const color = hazy(stage, depth * 0.95);
  return {
    depth,
    paint(pen) {
      for (const building of buildings) paintBuilding(pen, stage, building, foot, color, depth);
    },
  };
}

function raise(stage: Stage, depth: number, x: number, highest: number): Building {
  const { unit, random, time } = stage;
  const isDark = time === 'night' || time === 'dusk';
  return {
    x,
    wide: unit * random.between(7, 15) * (0.55 + depth),
    tall: highest * random.between(0.3, 1) ** 1.2,
    roof: random.pick(['flat', 'flat', 'stepped', 'slanted', 'spire']),
    lit: Array.from({ length: 400 }, () => random.chance(isDark ? 0.42 : 0.16)),
  };
}

function paintBuilding(
  pen: Pen,
  stage: Stage,
  building: Building,
  foot: number,
  color: Color,
  depth: number,
): void {
  const { x, wide, tall } = building;
  const top = foot - tall;
  const { palette, light } = stage;
  const bright = mix(color, palette.light, 0.14);
  const gradient = pen.createLinearGradient(x, 0, x + wide, 0);
  const [left, right] = light.x < x + wide / 2 ? [bright, color] : [color, bright];
  gradient.addColorStop(0, left);
  gradient.addColorStop(1, right);
  pen.fillStyle = gradient;
  pen.fillRect(x, top, wide, stage.height - top);
  paintRoof(pen, stage.unit, building, top);
  paintWindows(pen, stage, building, top, depth);
}

function paintRoof(pen: Pen, unit: number, { x, wide, roof, tall }: Building, top: number): void {
  if (roof === 'stepped') {
    pen.fillRect(x + wide * 0.14, top - unit * 2.2, wide * 0.72, unit * 2.4);
    pen.fillRect(x + wide * 0.3, top - unit * 4, wide * 0.4, unit * 2);
  }
  if (roof === 'spire') {
    pen.beginPath();
    pen.moveTo(x + wide * 0.3, top);
    pen.lineTo(x + wide * 0.5, top - tall * 0.22);
    pen.lineTo(x + wide * 0.7, top);
    pen.fill();
    pen.fillRect(x + wide * 0.5 - unit * 0.12, top - tall * 0.32, unit * 0.24, tall * 0.12);
  }
  if (roof === 'slanted') {
    pen.beginPath();
    pen.moveTo(x, top + 1);
    pen.lineTo(x, top - wide * 0.35);
    pen.lineTo(x + wide, top + 1);
    pen.fill();
  }
}

function paintWindows(
  pen: Pen,
  stage: Stage,
  { x, wide, tall, lit }: Building,
  top: number,
  depth: number,
): void {
  const { unit, palette } = stage;
  const pitch = unit * (1.5 + 1.1 * depth);
  const columns = Math.floor((wide - pitch * 0.6) / pitch);
  const left = x + (wide - columns * pitch) / 2;
  const warm = mix(palette.accent, palette.light, 0.55);
  for (let row = 0; row * pitch * 1.25 < tall - pitch * 2; row++) {
    for (let column = 0; column < columns; column++) {
      const isLit = lit[(row * 7 + column * 13 + row * column) % lit.length];
      pen.fillStyle = isLit ? translucent(warm, 0.45 + 0.45 * depth) : translucent(palette.sky[1], 0.1);
      pen.fillRect(
        left + column * pitch + pitch * 0.22,
        top + pitch * (1 + row * 1.25),
        pitch * 0.52,
        pitch * 0.72,
      );
    }
  }
}

function terrace(stage: Stage, ground: number): Layer {
  const { width, height, margin, unit, palette, random } = stage;
  const color = mix(palette.ground, '#000000', 0.25);
  const lamps = Array.from({ length: Math.ceil(width / (unit * 26)) + 3 }, (_, index) => ({
    x: -margin + index * unit * 26 + random.between(0, unit * 8),
  }));
  return {
    depth: 0.96,
    paint(pen) {
      pen.fillStyle = vertical(pen, ground, height, [mix(color, palette.light, 0.1), color]);
      pen.fillRect(-margin, ground, width + 2 * margin, height - ground);
      pen.fillStyle = mix(color, palette.light, 0.25);
      pen.fillRect(-margin, ground, width + 2 * margin, unit * 0.5);
      for (const { x } of lamps) lampString(pen, stage, x, ground);
    },
  };
}

/** A post with a lantern; the wire to the next one carries little lights. */
function lampString(pen: Pen, stage: Stage, x: number, ground: number): void {
  const { unit, palette } = stage;
  const top = ground - unit * 13;
  const dark = mix(palette.ground, '#000000', 0.25);
  pen.fillStyle = dark;
  pen.fillRect(x - unit * 0.25, top, unit * 0.5, unit * 13);
  for (let step = 1; step < 8; step++) {
    const t = step / 8;
    const y = top + unit * 4.5 * 4 * t * (1 - t) * 0.6 + unit * 0.6;
    const at = x + unit * 26 * t;
    glow(pen, at, y, unit * 1.8, translucent(palette.accent, 0.4), translucent(palette.accent, 0));
    pen.fillStyle = mix(palette.accent, palette.light, 0.7);
    pen.beginPath();
    pen.arc(at, y, unit * 0.36, 0, 2 * Math.PI);
    pen.fill();
  }
}
