import { mix, translucent } from '../color.ts';
import type { Scenery } from '../scenery.ts';
import { across, fillBelow, type Layer, type Stage, vertical } from '../stage.ts';
import { clouds } from './sky.ts';
import { grass, hill, hillLine, mist } from './terrain.ts';

/** Open water with the light's path on it, waves, an island far off, a shore in front. */
export function sea(stage: Stage): Scenery {
  const { width, height, horizon, unit, random } = stage;
  const ground = shoreLine(stage);
  return {
    behind: [
      ...clouds(stage, 6, horizon * 0.75),
      island(stage, random.between(0.1, 0.9) * width, unit * random.between(16, 34)),
      water(stage),
      mist(stage, 0.18, horizon, unit * 7, 0.3),
      wave(stage, 0.14, 0),
      wave(stage, 0.34, 1),
      glitter(stage),
      wave(stage, 0.56, 2),
      wave(stage, 0.8, 3),
      hill(stage, 0.95, ground, height * 0.84),
    ],
    ground,
    depth: 0.95,
    water: { level: horizon + (height - horizon) * 0.3, depth: 0.42 },
    front: [grass(stage, 1, (x) => ground(x) + unit * 1.2, unit * 2.6)],
  };
}

/** A headland on the side of the main subject that falls off to the water on the other. */
function shoreLine(stage: Stage): (x: number) => number {
  const { width, height, unit, focus, random } = stage;
  const rough = hillLine(random, 0, unit * 1.2, unit * 16);
  const outwards = focus < 0.5 ? 1 : -1;
  return (x) => {
    const beyond = ((x / width - focus) * outwards * width) / (unit * 42);
    const fall = 1 / (1 + Math.exp(-6 * (beyond - 0.75)));
    return height * (0.865 + 0.2 * fall) + rough(x);
  };
}

function water(stage: Stage): Layer {
  const { width, height, margin, horizon, palette } = stage;
  const far = mix(palette.sky[2], palette.sky[1], 0.35);
  const near = mix(palette.sky[0], palette.ground, 0.45);
  return {
    depth: 0.15,
    paint(pen) {
      pen.fillStyle = vertical(pen, horizon, height, [far, mix(far, near, 0.55), near]);
      pen.fillRect(-margin, horizon, width + 2 * margin, height - horizon);
    },
  };
}

/** Dashes of light on the water below the sun or moon; two sheets of them glint in turns. */
function glitter(stage: Stage): Layer {
  const { height, horizon, unit, light, palette, random } = stage;
  const dashes = Array.from({ length: 90 }, () => {
    const down = random.next() ** 1.3;
    const spread = light.radius * (0.5 + 1.9 * down);
    return {
      x: light.x + random.between(-1, 1) * spread,
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

function island(stage: Stage, middle: number, reach: number): Layer {
  const { horizon, unit, palette, random } = stage;
  const rough = hillLine(random, 0, unit * 1.6, unit * 7);
  const color = mix(palette.sky[1], palette.ground, 0.4);
  return {
    depth: 0.15,
    paint(pen) {
      pen.beginPath();
      pen.moveTo(middle - reach, horizon + 1);
      for (let step = 0; step <= 60; step++) {
        const offset = step / 30 - 1;
        const x = middle + offset * reach;
        pen.lineTo(x, horizon + 1 + (1 - offset * offset) * (rough(x) - unit * 5));
      }
      pen.fillStyle = vertical(pen, horizon - unit * 7, horizon, [color, mix(color, palette.sky[2], 0.5)]);
      pen.fill();
    },
  };
}

/** A swell across the whole water; neighbouring rows roll against each other. */
function wave(stage: Stage, row: number, index: number): Layer {
  const { height, horizon, unit, palette, random } = stage;
  const level = horizon + (height - horizon) * row;
  const length = unit * (14 + 26 * row);
  const rise = unit * (0.6 + 2.4 * row);
  const shift = random.between(0, 10);
  const line = (x: number) => {
    const phase = (x / length + shift) * 2 * Math.PI;
    return (
      level - rise * (Math.sin(phase) + 0.45 * Math.sin(phase * 0.53 + 1) + 0.25 * Math.sin(phase * 1.7 + 2))
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
      fillBelow(
        pen,
        stage,
        line,
        vertical(pen, level - rise, height, [translucent(deep, 0.8), translucent(deep, 0.3)]),
      );
      pen.beginPath();
      for (const x of across(stage, unit)) pen.lineTo(x, line(x));
      pen.lineWidth = unit * (0.16 + 0.3 * row);
      pen.strokeStyle = translucent(palette.light, 0.4);
      pen.stroke();
    },
  };
}
