import { type Color, mix } from '../colors.ts';
import { hazy, type Layer, type Line, polygon, type Scenery, type Stage } from '../stage.ts';
import {
  clouds,
  duneShade,
  flowers,
  grass,
  hill,
  hillLine,
  lightShafts,
  mist,
  paintPines,
  peaks,
  pines,
} from './scenery.ts';

/** What makes a meadow of five ranges of hills, or a forest, or a desert. */
interface Look {
  /** How high the ranges rise, in units. */
  readonly rise: number;
  /** The colors of a range at its crest and its foot. */
  readonly colors: (stage: Stage, depth: number) => readonly [Color, Color];
  readonly clouds: number;
  /** Height of the pines of each range, in units, and the gaps between them as a share of it. */
  readonly pines?: readonly (readonly [tall: number, gap: number] | undefined)[];
  /** Size of the flowers of each range, in units. */
  readonly flowers?: readonly (number | undefined)[];
  /** Height of the grass in front, in units. */
  readonly grass?: number;
  readonly hasShade?: boolean;
  /** How many of the farthest ranges it has not. */
  readonly open?: number;
  /** What only this land has. */
  readonly more?: (stage: Stage) => readonly Layer[];
}

/** The ranges from the farthest to the one that subjects stand on: depth, and height as a share of the image's. */
const ranges = [
  [0.16, 0.56],
  [0.28, 0.63],
  [0.48, 0.71],
  [0.72, 0.79],
  [0.96, 0.87],
] as const;

function land(stage: Stage, look: Look): Scenery {
  const { height, horizon, unit } = stage;
  const lines = ranges.map(([depth, level], range) =>
    hillLine(stage, height * level, look.rise * (1 - 0.65 * depth), 58 - 5 * range),
  );
  const hills = ranges.flatMap(([depth, level], range): Layer[] => {
    if (range < (look.open ?? 0)) return [];
    const line = lines[range] ?? (() => height);
    const trees = look.pines?.[range];
    const size = look.flowers?.[range];
    return [
      ...(trees ? [pines(stage, depth - 0.02, line, ...trees)] : []),
      hill(stage, depth, line, look.colors(stage, depth)),
      ...(look.hasShade ? [duneShade(stage, depth, line, mix(...look.colors(stage, depth), 0.6))] : []),
      ...(size ? [flowers(stage, depth + 0.02, (x) => line(x) + unit * 3, size)] : []),
      ...(depth < 0.6 ? [mist(stage, depth + 0.03, height * (level + 0.06), 11, 0.4)] : []),
    ];
  });
  const ground: Line = lines.at(-1) ?? (() => height);
  const layers = [
    ...clouds(stage, look.clouds, horizon * 0.75),
    ...(look.more?.(stage) ?? []),
    ...hills,
    ...(look.grass ? [grass(stage, 1, (x) => ground(x) + unit * 1.5, look.grass)] : []),
  ];
  return { layers, ground, depth: 0.96 };
}

/** Rolling green hills, a field of flowers before them. */
export const meadow = (stage: Stage) =>
  land(stage, {
    rise: 8,
    colors: green,
    clouds: 7,
    pines: [undefined, [6, 1.6]],
    flowers: [undefined, undefined, 0.55, 1, 1.9],
    grass: 5,
  });

/** Pines in four depths with haze between them and light falling through, great ones at the edges. */
export const forest = (stage: Stage) =>
  land(stage, {
    rise: 6,
    colors: dusky,
    clouds: 0,
    pines: [undefined, [20, 0.26], [30, 0.3], [44, 0.5]],
    grass: 4,
    more: () => [lightShafts(stage, 0.6), framingPines(stage, 0.86)],
  });

/** White hills with dark pines between them. */
export const snow = (stage: Stage) =>
  land(stage, {
    rise: 9,
    colors: white,
    clouds: 0,
    pines: [undefined, [9, 0.4], [15, 0.8], [26, 1.3]],
  });

/** Ranges of peaks with snow and shade, pines before them, a dark slope in front. */
export const mountains = (stage: Stage) =>
  land(stage, {
    rise: 5,
    colors: dusky,
    clouds: 5,
    pines: [undefined, undefined, undefined, [9, 0.42]],
    grass: 2.2,
    open: 2,
    more: () => [
      peaks(stage, 0.15, stage.horizon * 1.04, stage.horizon * 0.44),
      mist(stage, 0.2, stage.horizon * 1.02, 12, 0.5),
      peaks(stage, 0.3, stage.horizon * 1.14, stage.horizon * 0.5),
      mist(stage, 0.32, stage.horizon * 1.16, 12, 0.55),
    ],
  });

/** Dunes with a lit and a shaded side, pyramids between them. */
export const desert = (stage: Stage) =>
  land(stage, { rise: 9, colors: sand, clouds: 3, hasShade: true, more: () => [pyramids(stage, 0.24)] });

function dusky(stage: Stage, depth: number): readonly [Color, Color] {
  const color = hazy(stage, depth);
  const { light, sky } = stage.palette;
  return [mix(color, light, 0.06), mix(color, sky[2], 0.35 * (1 - depth))];
}

function green(stage: Stage, depth: number): readonly [Color, Color] {
  const { sky, ground, light } = stage.palette;
  const own = mix(mix('#3f9b53', sky[1], 0.25), ground, 0.15 + 0.55 * depth ** 2);
  const lit = mix(mix(own, hazy(stage, depth), 0.5 * (1 - depth)), light, 0.16);
  return [lit, mix(lit, ground, 0.75)];
}

function white({ palette: { sky } }: Stage, depth: number): readonly [Color, Color] {
  return [mix('#ffffff', sky[2], 0.18), mix(mix('#ffffff', sky[1], 0.6), sky[0], 0.2 + 0.15 * depth)];
}

function sand(stage: Stage, depth: number): readonly [Color, Color] {
  const { accent, ground, light } = stage.palette;
  const own = mix(mix('#e2a85f', accent, 0.16), hazy(stage, depth), 0.32 + 0.2 * depth);
  return [mix(own, light, 0.3), mix(own, ground, 0.3)];
}

function framingPines(stage: Stage, depth: number): Layer {
  const { width, height, unit, random } = stage;
  const placed = [-0.02, 0.09, 0.93, 1.03].map((share) => ({
    x: width * share + unit * random.between(-4, 4),
    foot: height * 0.95,
    tall: unit * random.between(64, 92),
    slim: random.between(0.24, 0.3),
  }));
  return { depth, paint: (pen) => paintPines(pen, stage, depth, placed) };
}

function pyramids({ width, height, unit, random, palette, light }: Stage, depth: number): Layer {
  const foot = height * 0.65;
  const stone = mix(mix('#c98f4f', palette.sky[2], 0.35), palette.ground, 0.12);
  const placed = [0.3, 0.48, 0.72].map((share) => ({
    x: width * share + random.between(-8, 8) * unit,
    tall: unit * random.between(14, 30),
  }));
  return {
    depth,
    paint(pen) {
      for (const { x, tall } of placed) {
        const lit = light.x < x ? -1 : 1;
        const side = (out: number) => [x + lit * out * tall, foot] as const;
        polygon(pen, mix(stone, palette.ground, 0.35), [[x, foot - tall], side(-0.95), side(0.95)]);
        polygon(pen, mix(stone, palette.light, 0.3), [[x, foot - tall], side(0.95), side(-0.25)]);
      }
    },
  };
}
