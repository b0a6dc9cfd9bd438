import { Path2D } from '@napi-rs/canvas';
import { mix, translucent, turnHue } from '../colors.ts';
import {
  across,
  band,
  fillBelow,
  type Layer,
  type Line,
  type Scenery,
  spread,
  type Stage,
  vertical,
} from '../stage.ts';
import { clouds, grass, hill, hillLine, lightShafts, mist } from './scenery.ts';

/** Open water with the light's path on it, waves, an island far off, a shore in front. */
export function sea(stage: Stage): Scenery {
  const { height, horizon, unit, palette } = stage;
  const ground = shoreLine(stage);
  const far = mix(palette.sky[2], palette.sky[1], 0.35);
  const near = mix(palette.sky[0], palette.ground, 0.45);
  return {
    layers: [
      ...clouds(stage, 6, horizon * 0.75),
      island(stage),
      { depth: 0.15, paint: (pen) => band(pen, stage, horizon, height, [far, mix(far, near, 0.55), near]) },
      mist(stage, 0.18, horizon, 7, 0.3),
      ...[0.14, 0.34, 0.56, 0.8].map((row, index) => wave(stage, row, index)),
      glitter(stage),
      hill(stage, 0.95, ground, [mix(palette.ground, palette.light, 0.06), palette.ground]),
      grass(stage, 1, (x) => ground(x) + unit * 1.2, 2.6),
    ],
    ground,
    depth: 0.95,
    water: { level: horizon + (height - horizon) * 0.3, depth: 0.42 },
  };
}

/** A headland on the side of the main subject that falls off to the water on the other. */
function shoreLine(stage: Stage): Line {
  const { width, height, unit, focus } = stage;
  const rough = hillLine(stage, 0, 1.2, 16);
  const outwards = focus < 0.5 ? 1 : -1;
  return (x) => {
    const beyond = ((x - focus * width) * outwards) / (unit * 42);
    return height * (0.865 + 0.2 / (1 + Math.exp(-6 * (beyond - 0.75)))) + rough(x);
  };
}

function island(stage: Stage): Layer {
  const { width, horizon, unit, palette, random } = stage;
  const middle = random.between(0.1, 0.9) * width;
  const reach = unit * random.between(16, 34);
  const rough = hillLine(stage, 0, 1.6, 7);
  const color = mix(palette.sky[1], palette.ground, 0.4);
  const line = (x: number) => {
    const inside = 1 - ((x - middle) / reach) ** 2;
    return inside > 0 ? horizon + 1 + inside * (rough(x) - unit * 5) : horizon + 2;
  };
  const colors = [color, mix(color, palette.sky[2], 0.5)];
  return {
    depth: 0.14,
    paint: (pen) => fillBelow(pen, stage, line, vertical(pen, horizon - unit * 7, horizon, colors)),
  };
}

/** A swell across the whole water; neighboring rows roll against each other. */
function wave(stage: Stage, row: number, index: number): Layer {
  const { height, horizon, unit, palette, random } = stage;
  const level = horizon + (height - horizon) * row;
  const length = unit * (14 + 26 * row);
  const rise = unit * (0.6 + 2.4 * row);
  const shift = random.between(0, 10);
  const line = (x: number) => {
    const phase = (x / length + shift) * 2 * Math.PI;
    return (
      level - rise * (Math.sin(phase) + 0.45 * Math.sin(phase * 0.53 + 1) + 0.25 * Math.sin(phase * 1.7))
    );
  };
  const deep = mix(mix(palette.sky[1], palette.sky[0], row), palette.ground, 0.2 + 0.35 * row);
  return {
    depth: 0.2 + 0.6 * row,
    motion: (seconds) => ({
      x: unit * (1.5 + 2 * row) * Math.sin(seconds * 0.9 + index * 2),
      y: unit * 0.7 * Math.sin(seconds * 1.3 + index * 1.7),
    }),
    paint(pen) {
      const colors = [translucent(deep, 0.8), translucent(deep, 0.3)];
      fillBelow(pen, stage, line, vertical(pen, level - rise, height, colors));
      pen.beginPath();
      for (const x of across(stage, unit)) pen.lineTo(x, line(x));
      pen.lineWidth = unit * (0.16 + 0.3 * row);
      pen.strokeStyle = translucent(palette.light, 0.4);
      pen.stroke();
    },
  };
}

/** Dashes of light on the water below the sun or moon, glinting in turns. */
function glitter({ height, horizon, unit, light, palette, random }: Stage): Layer {
  const dashes = Array.from({ length: 90 }, () => {
    const down = random.next() ** 1.3;
    return {
      x: light.x + random.between(-1, 1) * light.radius * (0.5 + 1.9 * down),
      y: horizon + unit * 0.6 + down * (height - horizon),
      long: unit * random.between(1, 5) * (0.4 + 1.6 * down),
      thick: unit * (0.18 + 0.45 * down),
      phase: random.between(0, 2 * Math.PI),
    };
  });
  return {
    depth: 0.44,
    live: true,
    paint(pen, seconds) {
      for (const { x, y, long, thick, phase } of dashes) {
        const glint = 0.5 + 0.5 * Math.sin(phase + seconds * 3);
        pen.fillStyle = translucent(palette.light, 0.12 + 0.5 * glint);
        pen.beginPath();
        pen.roundRect(x - long / 2, y, long * (0.7 + 0.3 * glint), thick, thick / 2);
        pen.fill();
      }
    },
  };
}

/** Light from above, weed and coral on the ground, bubbles. */
export function underwater(stage: Stage): Scenery {
  const { height, unit, width, palette } = stage;
  const far = hillLine(stage, height * 0.76, 7, 40);
  const ground = hillLine(stage, height * 0.88, 3, 34);
  const teal = mix('#1a8fa8', palette.sky[1], 0.3);
  const deep = mix('#06283f', palette.ground, 0.4);
  return {
    layers: [
      { depth: 0, paint: (pen) => band(pen, stage, 0, height, [mix(teal, '#d8fff4', 0.55), teal, deep]) },
      lightShafts(stage, 0.05, { x: width * stage.focus, y: -unit * 12 }),
      hill(stage, 0.3, far, [mix(teal, deep, 0.35), deep]),
      weed(stage, 0.45, far, 24),
      coral(stage, 0.9, ground),
      hill(stage, 0.95, ground, [mix(deep, teal, 0.25), deep]),
      weed(stage, 1, (x) => ground(x) + unit * 3, 16),
      bubbles(stage),
    ],
    ground: () => height * 0.58,
    depth: 0.8,
    water: { level: height * 0.5, depth: 0.6 },
  };
}

function weed(stage: Stage, depth: number, line: Line, tall: number): Layer {
  const { unit, random, palette } = stage;
  const stalks = spread(
    stage,
    () => unit * random.between(1.5, 9),
    (x) => ({ x, long: unit * tall * random.between(0.3, 1), bend: random.between(-1, 1) }),
  );
  return {
    depth,
    motion: (seconds) => ({ x: unit * 0.9 * Math.sin(seconds * 1.1 + depth * 4) }),
    paint(pen) {
      pen.strokeStyle = mix('#0e5f57', palette.ground, 0.2 + 0.5 * depth);
      pen.lineCap = 'round';
      pen.lineWidth = unit * (0.5 + 0.7 * depth);
      for (const { x, long, bend } of stalks) {
        const [foot, out] = [line(x) + unit * 2, bend * long * 0.5];
        pen.beginPath();
        pen.moveTo(x, foot);
        pen.bezierCurveTo(x + out, foot - long * 0.35, x - out, foot - long * 0.65, x + out / 2, foot - long);
        pen.stroke();
      }
    },
  };
}

/** Seven branches, 100 tall. */
const coralShape = new Path2D(
  'M0 0Q-16-40-66-52M0 0Q-10-50-44-82M0 0Q-6-50-16-70M0 0Q2-50 4-100M0 0Q8-40 24-66M0 0Q12-50 50-90M0 0Q16-40 64-56',
);

function coral({ width, unit, random, palette }: Stage, depth: number, line: Line): Layer {
  const placed = Array.from({ length: 8 }, () => ({
    x: random.between(0, width),
    size: (unit * random.between(7, 15)) / 100,
    lean: random.between(-0.4, 0.4),
    color: mix(turnHue(palette.accent, random.pick([0, 60, -50])), palette.ground, 0.18),
  }));
  return {
    depth,
    paint(pen) {
      pen.lineCap = 'round';
      pen.lineWidth = 8;
      for (const { x, size, lean, color } of placed) {
        pen.save();
        pen.transform(size, 0, lean * size, size, x, line(x) + unit);
        pen.strokeStyle = color;
        pen.stroke(coralShape);
        pen.restore();
      }
    },
  };
}

function bubbles({ width, height, unit, random }: Stage): Layer {
  const placed = Array.from({ length: 34 }, () => ({
    x: random.between(0, width),
    y: random.between(0, height),
    size: unit * random.between(0.3, 1.5),
    speed: unit * random.between(5, 13),
    phase: random.between(0, 6),
  }));
  return {
    depth: 1,
    live: true,
    paint(pen, seconds) {
      pen.fillStyle = translucent('#ffffff', 0.12);
      pen.strokeStyle = translucent('#ffffff', 0.55);
      pen.lineWidth = unit * 0.14;
      for (const { x, y, size, speed, phase } of placed) {
        const risen = (((y - seconds * speed) % height) + height) % height;
        pen.beginPath();
        pen.arc(x + unit * Math.sin(seconds * 2 + phase), risen, size, 0, 2 * Math.PI);
        pen.fill();
        pen.stroke();
      }
    },
  };
}
