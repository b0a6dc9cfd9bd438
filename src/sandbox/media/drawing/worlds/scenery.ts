import { Path2D } from '@napi-rs/canvas';
import type { Random } from '../../../random.ts';
import { type Color, mix, translucent, turnHue } from '../colors.ts';
import {
  across,
  band,
  disc,
  fillBelow,
  fillShape,
  glow,
  hazy,
  type Layer,
  type Line,
  type Pen,
  polygon,
  spread,
  type Stage,
  vertical,
} from '../stage.ts';

/** Smooth noise between about -1 and 1, with features about 1 wide and, with octaves, finer ones on them. */
export function smoothNoise(random: Random, octaves = 1): Line {
  const knots = Float64Array.from({ length: 256 }, () => random.between(-1, 1));
  const single = (x: number) => {
    const left = Math.floor(x);
    const t = x - left;
    const [from = 0, to = 0] = [knots[left & 255], knots[(left + 1) & 255]];
    return from + (to - from) * t * t * (3 - 2 * t);
  };
  return (x) => {
    let sum = 0;
    for (let octave = 0; octave < octaves; octave++)
      sum += single(x * 2 ** octave + octave * 37) / 2 ** octave;
    return sum;
  };
}

/** The outline of a range of hills around a height; `rise` and `length` are those of one, in units. */
export function hillLine({ random, unit }: Stage, level: number, rise: number, length: number): Line {
  const noise = smoothNoise(random, 3);
  const shift = random.between(0, 200);
  return (x) => level - rise * unit * noise(x / (length * unit) + shift);
}

/** Ground below a line that changes its color towards its foot. */
export function hill(stage: Stage, depth: number, line: Line, colors: readonly [Color, Color]): Layer {
  const { height } = stage;
  return {
    depth,
    paint(pen) {
      fillBelow(pen, stage, line, vertical(pen, height * (0.42 + 0.4 * depth), height * 1.02, colors));
    },
  };
}

/** A veil of mist around a height, `thickness` units to either side. */
export function mist(stage: Stage, depth: number, level: number, thickness: number, alpha: number): Layer {
  const { palette, unit } = stage;
  const clear = translucent(palette.sky[2], 0);
  const colors = [clear, translucent(palette.sky[2], alpha), clear];
  return {
    depth,
    paint: (pen) => band(pen, stage, level - thickness * unit, level + thickness * unit, colors),
  };
}

/** A ragged fringe of grass along a line; `tall` is the highest blade, in units. */
export function grass(stage: Stage, depth: number, line: Line, tall: number): Layer {
  const { random, unit, palette } = stage;
  const blades = spread(
    stage,
    () => unit * random.between(0.35, 0.8),
    (x) => ({ x, lean: random.between(-0.5, 0.5), tall: unit * tall * random.between(0.3, 1) }),
  );
  const color = hazy(stage, depth);
  return {
    depth,
    paint(pen) {
      for (const [index, blade] of blades.entries()) {
        const { x, lean } = blade;
        const y = line(x) + unit;
        pen.beginPath();
        pen.moveTo(x - unit * 0.22, y);
        pen.quadraticCurveTo(x, y - blade.tall * 0.6, x + lean * blade.tall, y - blade.tall - unit);
        pen.quadraticCurveTo(x + unit * 0.3, y - blade.tall * 0.5, x + unit * 0.25, y);
        pen.fillStyle = index % 6 === 0 ? mix(color, palette.light, 0.2) : color;
        pen.fill();
      }
    },
  };
}

/** A row of pines along a line; the highest is `tall` units, and `gap` of its height lies between two. */
export function pines(stage: Stage, depth: number, line: Line, tall: number, gap: number): Layer {
  const { random, unit } = stage;
  const trees = spread(
    stage,
    () => tall * unit * gap * random.between(0.35, 1.4),
    (x) => ({ x, tall: tall * unit * random.between(0.5, 1), slim: random.between(0.3, 0.42) }),
  );
  const placed = trees.map((tree) => ({ ...tree, foot: line(tree.x) + tree.tall * 0.13 }));
  return { depth, paint: (pen) => paintPines(pen, stage, depth, placed) };
}

/** Where a pine stands; `slim` is half its width as a share of its height. */
type Pine = Readonly<Record<'x' | 'foot' | 'tall' | 'slim', number>>;

/** A pine of seven ragged storeys, 100 tall and 100 to either side. */
const pineShape = new Path2D(
  'M0-100L20-78 9-81.5 35-66 16-69.5 49-54 22-57.5 63-42 28-45.5 77-30 34-33.5 90-18 40-21.5 103-6 6-6 6 0' +
    '-6 0-6-6-103-6-40-21.5-90-18-34-33.5-77-30-28-45.5-63-42-22-57.5-49-54-16-69.5-35-66-9-81.5-20-78',
);

/** Paints pines in the haze of a depth. */
export function paintPines(pen: Pen, stage: Stage, depth: number, trees: readonly Pine[]): void {
  const color = hazy(stage, depth);
  // In the shape's own measures.
  const fill = vertical(pen, -100, 0, [mix(color, stage.palette.light, 0.1), color]);
  for (const { x, foot, tall, slim } of trees)
    fillShape(pen, pineShape, fill, { x, y: foot, wide: tall * slim, tall });
}

/** Rows of flowers on stalks below a line, nearer rows larger; `size` is that of the farthest, in units. */
export function flowers(stage: Stage, depth: number, line: Line, size: number): Layer {
  const { random, palette, unit } = stage;
  const colors = [palette.accent, turnHue(palette.accent, 35), palette.light, turnHue(palette.accent, -40)];
  const placed = [0, 1, 2].flatMap((row) => {
    const scale = size * unit * (0.7 + 0.4 * row);
    return spread(
      stage,
      () => scale * random.between(1.6, 6),
      (x) => ({
        x,
        y: line(x) + row * scale * 2.4 + random.between(-1, 1) * scale,
        size: scale * random.between(0.6, 1.1),
        color: colors[random.whole(0, 3)] ?? palette.accent,
      }),
    );
  });
  const stalk = mix('#2f7d45', palette.ground, 0.55);
  return {
    depth,
    motion: (seconds) => ({ x: size * unit * 0.35 * Math.sin(seconds * 1.6 + depth * 9) }),
    paint(pen) {
      for (const { x, y: foot, size: wide, color } of placed) {
        const y = foot - wide * 3.5;
        pen.fillStyle = stalk;
        pen.fillRect(x - wide * 0.1, y, wide * 0.2, wide * 3.5);
        fillShape(pen, blossomShape, mix(color, palette.light, 0.12), { x, y, wide, tall: wide });
        disc(pen, x, y, wide * 0.34, mix('#f6c445', color, 0.15));
      }
    },
  };
}

/** Six petals around the middle, 100 to each side. */
const blossomShape = new Path2D(
  'M0 0C52-34 119-7 107 33 95 73 24 58 0 0M0 0C56 28 66 100 25 109-16 119-38 50 0 0M0 0C3 62-54 107-82 76-111 45-62-8 0 0' +
    'M0 0C-52 34-119 7-107-33-95-73-24-58 0 0M0 0C-56-28-66-100-25-109 16-119 38-50 0 0M0 0C-3-62 54-107 82-76 111-45 62 8 0 0',
);

/** Peaks whose flanks away from the light are shaded, with snow on top; heights are pixels. */
export function peaks(stage: Stage, depth: number, base: number, height: number): Layer {
  const { unit, random, palette, light } = stage;
  const spacing = unit * (26 + 22 * depth);
  const tops = spread(
    stage,
    () => spacing * random.between(0.6, 1.25),
    (x) => {
      const tall = height * random.between(0.45, 1);
      return { x, tall, y: base - tall, reach: tall * random.between(0.8, 1.15) };
    },
  );
  const rough = smoothNoise(random, 3);
  const slope = (x: number, { x: top, y, tall, reach }: (typeof tops)[number]) =>
    y + (Math.abs(x - top) / reach) * tall;
  const line = (x: number) =>
    unit * 1.1 * rough(x / (unit * 3)) + Math.min(base, ...tops.map((top) => slope(x, top)));
  const color = hazy(stage, depth + 0.12);
  const snow = mix(palette.light, palette.sky[2], 0.25);
  return {
    depth,
    paint(pen) {
      pen.save();
      const colors = [color, mix(color, palette.sky[2], 0.45)];
      fillBelow(pen, stage, line, vertical(pen, base - height, base, colors));
      pen.clip();
      for (const { x, y, tall, reach } of tops) {
        const away = light.x < x ? 1 : -1;
        const shaded = { x, y, wide: away * reach, tall };
        fillShape(pen, shadedFlank, translucent(palette.ground, 0.16 + 0.1 * depth), shaded);
        fillShape(pen, snowedFlank, translucent(snow, 0.45), shaded);
        fillShape(pen, snowedFlank, translucent(snow, 0.9), { x, y, wide: -away * reach, tall });
      }
      pen.restore();
    },
  };
}

/** One flank of a peak that reaches 100 to the side and down. */
const shadedFlank = new Path2D('M0-10 6 20-8 42 10 62-4 100H110');
const snowedFlank = new Path2D('M0-15 43 31 26 24 20 36 12 22 6 32 0 21');

/** Slanting shafts of light. */
export function lightShafts(
  stage: Stage,
  depth: number,
  from: { x: number; y: number } = stage.light,
): Layer {
  const { width, height, unit, palette, random } = stage;
  const { x, y } = from;
  const reach = Math.max(width, height) * 1.2;
  const shafts = [-0.75, -0.45, -0.15, 0.15, 0.45, 0.75].map((angle) => ({
    angle: angle + random.between(-0.1, 0.1),
    wide: random.between(0.03, 0.09),
  }));
  return {
    depth,
    motion: (seconds) => ({ alpha: 0.75 + 0.25 * Math.sin(seconds * 0.9) }),
    paint(pen) {
      const fill = pen.createRadialGradient(x, y, unit * 4, x, y, reach);
      fill.addColorStop(0, translucent(palette.light, 0.3));
      fill.addColorStop(1, translucent(palette.light, 0));
      const at = (angle: number) => [x + reach * Math.sin(angle), y + reach * Math.cos(angle)] as const;
      for (const { angle, wide } of shafts) polygon(pen, fill, [[x, y], at(angle - wide), at(angle + wide)]);
    },
  };
}

/** The shaded side of dunes, below the crest of a line. */
export function duneShade(stage: Stage, depth: number, line: Line, color: Color): Layer {
  const { unit, height, random } = stage;
  const crest = smoothNoise(random, 2);
  return {
    depth,
    paint(pen) {
      const xs = [...across(stage, unit)];
      const deep = (x: number) => unit * (3 + 17 * depth) * Math.max(0, crest(x / (unit * 44)) + 0.25);
      const fill = vertical(pen, height * 0.5, height, [translucent(color, 0.75), color]);
      const upper = xs.map((x) => [x, line(x)] as const);
      polygon(pen, fill, [...upper, ...xs.toReversed().map((x) => [x, line(x) + deep(x)] as const)]);
    },
  };
}

/** The sky of every world that has one: its colors, at night stars, and the sun or moon. */
export function sky(stage: Stage): Layer[] {
  const stars = stage.time === 'night' ? [starField(stage, 0.3), starField(stage, 2.1)] : [];
  return [backdrop(stage), ...stars, sunOrMoon(stage)];
}

function backdrop(stage: Stage): Layer {
  const { width, height, margin, horizon, light, palette, time } = stage;
  const [share, alpha] = time === 'night' ? [0.45, 0.22] : [0.75, 0.5];
  return {
    depth: 0,
    paint(pen) {
      pen.fillStyle = vertical(pen, 0, horizon, palette.sky);
      pen.fillRect(-margin, 0, width + 2 * margin, height);
      glow(pen, light.x, light.y, Math.max(width, height) * share, palette.light, alpha);
    },
  };
}

/** Two fields that grow bright and dim in turns make the sky twinkle. */
export function starField(stage: Stage, phase: number, lowest = stage.horizon * 0.95): Layer {
  const { width, margin, unit, palette, random } = stage;
  const stars = Array.from({ length: Math.round((0.9 * width * lowest) / unit ** 2 / 48) }, () => ({
    x: random.between(-margin, width + margin),
    y: random.next() ** 1.4 * lowest,
    size: unit * (0.08 + 0.22 * random.next() ** 4),
    alpha: random.between(0.35, 1),
  }));
  return {
    depth: 0.01,
    motion: (seconds) => ({ alpha: 0.72 + 0.28 * Math.sin(seconds * 2.2 + phase) }),
    paint(pen) {
      for (const { x, y, size, alpha } of stars) {
        const fill = translucent(palette.light, alpha * (1 - (0.6 * y) / lowest));
        disc(pen, x, y, size, fill);
        // The brightest have four rays.
        if (size >= unit * 0.22) fillShape(pen, starShape, fill, { x, y, wide: size * 10, tall: size * 10 });
      }
    },
  };
}

const starShape = new Path2D('M50 0 3 3 0 50-3 3-50 0-3-3 0-50 3-3');

function sunOrMoon({ light: { x, y, radius }, palette, random, time }: Stage): Layer {
  const isMoon = time === 'night';
  const shadow = translucent(mix(palette.light, palette.sky[1], 0.5), 0.28);
  const craters = Array.from({ length: isMoon ? 6 : 0 }, () => ({
    angle: random.between(0, 2 * Math.PI),
    distance: radius * random.between(0.1, 0.72),
    size: radius * random.between(0.07, 0.2),
  }));
  return {
    depth: 0.02,
    paint(pen) {
      for (const reach of [2.5, 1.85, 1.35])
        disc(pen, x, y, radius * reach, translucent(palette.light, (isMoon ? 0.12 : 0.25) / reach));
      disc(pen, x, y, radius, palette.light);
      for (const { angle, distance, size } of craters)
        disc(pen, x + distance * Math.cos(angle), y + distance * Math.sin(angle), size, shadow);
    },
  };
}

/** Flat-bottomed clouds that drift slowly, in two rows of about `count` together, none below `lowest`. */
export function clouds(stage: Stage, count: number, lowest: number): Layer[] {
  return [0, 1].map((row) => cloudRow(stage, Math.ceil(count / 2), lowest * (0.45 + 0.5 * row), row));
}

function cloudRow(stage: Stage, count: number, lowest: number, row: number): Layer {
  const { width, margin, unit, palette, random } = stage;
  const span = (width + 2 * margin) / count;
  const placed = Array.from({ length: count }, (_, index) => ({
    x: -margin + span * (index + random.between(0.1, 0.9)),
    y: lowest * random.between(0.45, 1),
    size: unit * random.between(9, 17) * (0.8 + 0.4 * row),
    puffs: [-1, -0.5, 0, 0.5, 1].map((at) => ({
      at,
      radius: 0.16 + 0.3 * (1 - Math.abs(at)) + 0.1 * random.next(),
    })),
  }));
  const lit = mix(palette.light, palette.sky[2], 0.35);
  return {
    depth: 0.06 + 0.08 * row,
    motion: (seconds) => ({ x: seconds * unit * (0.3 + row * 0.35) }),
    paint(pen) {
      for (const { x, y, size, puffs } of placed) {
        pen.beginPath();
        for (const { at, radius } of puffs) {
          const middle = x + at * size * 0.8;
          pen.moveTo(middle - radius * size, y);
          pen.arc(middle, y, radius * size, Math.PI, 0);
        }
        pen.roundRect(x - size * 1.15, y - size * 0.12, size * 2.3, size * 0.24, size * 0.12);
        const colors = [translucent(lit, 0.92), translucent(lit, 0.3)];
        pen.fillStyle = vertical(pen, y - size * 0.55, y + size * 0.12, colors);
        pen.fill();
      }
    },
  };
}
