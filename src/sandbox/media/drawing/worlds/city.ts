import { Path2D } from '@napi-rs/canvas';
import { mix, translucent } from '../colors.ts';
import {
  band,
  disc,
  fillShape,
  glow,
  hazy,
  type Layer,
  type Pen,
  type Scenery,
  spread,
  type Stage,
} from '../stage.ts';
import { clouds, mist } from './scenery.ts';

/** Three rows of houses with lit windows, and the roof terrace they are seen from. */
export function city(stage: Stage): Scenery {
  const { height, horizon } = stage;
  const ground = height * 0.88;
  return {
    layers: [
      ...clouds(stage, 4, horizon * 0.6),
      skyline(stage, 0.2, height * 0.82, horizon * 0.62),
      mist(stage, 0.3, height * 0.72, 20, 0.45),
      skyline(stage, 0.34, height * 0.9, horizon * 0.68),
      mist(stage, 0.5, height * 0.82, 16, 0.35),
      skyline(stage, 0.62, height, horizon * 0.55),
      terrace(stage, ground),
    ],
    ground: () => ground,
    depth: 0.96,
  };
}

interface Building {
  readonly x: number;
  readonly wide: number;
  readonly tall: number;
  readonly roof: keyof typeof roofs;
  /** Which of its windows are lit, repeated over all. */
  readonly lit: readonly boolean[];
}

function skyline(stage: Stage, depth: number, foot: number, highest: number): Layer {
  const { unit, random, time, palette, light } = stage;
  const share = time === 'night' || time === 'dusk' ? 0.42 : 0.16;
  let lastWide = 0;
  const buildings = spread(
    stage,
    () => lastWide * random.between(0.86, 1.12),
    (x): Building => {
      const wide = unit * random.between(7, 15) * (0.55 + depth);
      lastWide = wide;
      const tall = highest * random.between(0.3, 1) ** 1.2;
      const roof = random.pick(['flat', 'flat', 'stepped', 'slanted', 'spire']);
      return { x, wide, tall, roof, lit: Array.from({ length: 97 }, () => random.chance(share)) };
    },
  );
  const color = hazy(stage, depth * 0.95);
  const bright = mix(color, palette.light, 0.14);
  return {
    depth,
    paint(pen) {
      for (const building of buildings) {
        const { x, wide, tall } = building;
        const [left, right] = light.x < x + wide / 2 ? [bright, color] : [color, bright];
        const gradient = pen.createLinearGradient(x, 0, x + wide, 0);
        gradient.addColorStop(0, left);
        gradient.addColorStop(1, right);
        pen.fillStyle = gradient;
        pen.fillRect(x, foot - tall, wide, stage.height - foot + tall);
        fillShape(pen, roofs[building.roof], mix(color, bright, 0.5), {
          x,
          y: foot - tall,
          wide,
          tall: wide,
        });
        paintWindows(pen, stage, building, foot - tall, depth);
      }
    },
  };
}

/** Roofs of buildings 100 wide, from the top of the wall. */
const roofs = {
  flat: new Path2D(),
  stepped: new Path2D('M14 0V-18H30V-34H70V-18H86V0Z'),
  slanted: new Path2D('M0 1V-35L100 1Z'),
  spire: new Path2D('M30 1 49-50V-90H51V-50L70 1Z'),
};

function paintWindows(pen: Pen, stage: Stage, { x, wide, tall, lit }: Building, top: number, depth: number) {
  const { unit, palette } = stage;
  const pitch = unit * (1.5 + 1.1 * depth);
  const columns = Math.floor((wide - pitch * 0.6) / pitch);
  const left = x + (wide - columns * pitch) / 2 + pitch * 0.22;
  const warm = translucent(mix(palette.accent, palette.light, 0.55), 0.45 + 0.45 * depth);
  const dark = translucent(palette.sky[1], 0.1);
  for (let row = 0; row * pitch * 1.25 < tall - pitch * 2; row++) {
    for (let column = 0; column < columns; column++) {
      pen.fillStyle = lit[(row * 7 + column * 13 + row * column) % lit.length] ? warm : dark;
      pen.fillRect(left + column * pitch, top + pitch * (1 + row * 1.25), pitch * 0.52, pitch * 0.72);
    }
  }
}

/** Posts along the terrace; the wire from one to the next carries little lights. */
function terrace(stage: Stage, ground: number): Layer {
  const { height, unit, palette, random } = stage;
  const color = mix(palette.ground, '#000000', 0.25);
  const posts = spread(
    stage,
    () => unit * random.between(22, 30),
    (x) => x,
  );
  const lamp = mix(palette.accent, palette.light, 0.7);
  return {
    depth: 0.96,
    paint(pen) {
      band(pen, stage, ground, height, [mix(color, palette.light, 0.1), color]);
      band(pen, stage, ground, ground + unit * 0.5, [mix(color, palette.light, 0.25)]);
      for (const [index, x] of posts.entries()) {
        pen.fillStyle = color;
        pen.fillRect(x - unit * 0.25, ground - unit * 13, unit * 0.5, unit * 13);
        // Beyond the edge, where nobody sees it, the last one hangs from nothing.
        const wire = (posts[index + 1] ?? x + unit * 26) - x;
        for (const share of [0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875]) {
          const y = ground - unit * (12.4 - 10.8 * share * (1 - share));
          glow(pen, x + wire * share, y, unit * 1.8, palette.accent, 0.4);
          disc(pen, x + wire * share, y, unit * 0.36, lamp);
        }
      }
    },
  };
}
