import { Path2D } from '@napi-rs/canvas';
import { mix, translucent } from '../colors.ts';
import { disc, fillShape, glow, type Layer, type Stage, vertical } from '../stage.ts';

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
