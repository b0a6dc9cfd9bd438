import { mix, translucent, turnHue } from '../color.ts';
import type { Scenery } from '../scenery.ts';
import { type Layer, type Stage, vertical } from '../stage.ts';
import { hill, hillLine } from './terrain.ts';
import { lightShafts } from './trees.ts';

/** Light from above, weed and coral on the ground, bubbles. */
export function underwater(stage: Stage): Scenery {
  const { height, unit, random } = stage;
  const far = hillLine(random, height * 0.76, unit * 7, unit * 40);
  const ground = hillLine(random, height * 0.88, unit * 3, unit * 34);
  return {
    behind: [
      depths(stage),
      lightShafts({ ...stage, light: { ...stage.light, y: -unit * 12 } }, 0.05),
      hill(stage, 0.3, far, height * 0.64),
      weed(stage, 0.45, far, unit * 24),
      hill(stage, 0.7, hillLine(random, height * 0.83, unit * 4, unit * 30), height * 0.75),
      coral(stage, 0.9, ground),
      hill(stage, 0.95, ground, height * 0.8),
    ],
    ground: () => height * 0.58,
    depth: 0.8,
    water: { level: height * 0.5, depth: 0.6 },
    front: [weed(stage, 1, (x) => ground(x) + unit * 3, unit * 16), bubbles(stage)],
  };
}

function depths(stage: Stage): Layer {
  const { width, height, margin, palette } = stage;
  const teal = mix('#1a8fa8', palette.sky[1], 0.3);
  return {
    depth: 0,
    paint(pen) {
      pen.fillStyle = vertical(pen, 0, height, [
        mix(teal, '#d8fff4', 0.55),
        teal,
        mix('#06283f', palette.ground, 0.4),
      ]);
      pen.fillRect(-margin, 0, width + 2 * margin, height);
    },
  };
}

function weed(stage: Stage, depth: number, line: (x: number) => number, tall: number): Layer {
  const { margin, width, unit, random, palette } = stage;
  const stalks: { x: number; tall: number; bend: number }[] = [];
  for (let x = -margin; x < width + margin; x += unit * random.between(1.5, 9)) {
    stalks.push({ x, tall: tall * random.between(0.3, 1), bend: random.between(-1, 1) });
  }
  const color = mix('#0e5f57', palette.ground, 0.2 + 0.5 * depth);
  return {
    depth,
    motion: (seconds) => ({ x: unit * 0.9 * Math.sin(seconds * 1.1 + depth * 4) }),
    paint(pen) {
      pen.strokeStyle = color;
      pen.lineCap = 'round';
      for (const { x, tall: long, bend } of stalks) {
        const foot = line(x) + unit * 2;
        pen.lineWidth = unit * (0.5 + 0.7 * depth);
        pen.beginPath();
        pen.moveTo(x, foot);
        pen.bezierCurveTo(
          x + bend * long * 0.5,
          foot - long * 0.35,
          x - bend * long * 0.5,
          foot - long * 0.65,
          x + bend * long * 0.2,
          foot - long,
        );
        pen.stroke();
      }
    },
  };
}

function coral(stage: Stage, depth: number, line: (x: number) => number): Layer {
  const { width, unit, random, palette } = stage;
  const placed = Array.from({ length: 7 }, () => ({
    x: random.between(0, width),
    tall: unit * random.between(7, 15),
    color: random.pick([palette.accent, turnHue(palette.accent, 60), turnHue(palette.accent, -50)]),
    turns: Array.from({ length: 7 }, () => random.between(-0.9, 0.9)),
  }));
  return {
    depth,
    paint(pen) {
      pen.lineCap = 'round';
      for (const { x, tall, color, turns } of placed) {
        const foot = line(x) + unit;
        pen.strokeStyle = mix(color, palette.ground, 0.18);
        for (const turn of turns) {
          pen.lineWidth = tall * 0.11;
          pen.beginPath();
          pen.moveTo(x, foot);
          pen.quadraticCurveTo(
            x + turn * tall * 0.2,
            foot - tall * 0.5,
            x + turn * tall * 0.8,
            foot - tall * (1 - 0.45 * Math.abs(turn)),
          );
          pen.stroke();
        }
      }
    },
  };
}

function bubbles(stage: Stage): Layer {
  const { width, height, unit, random } = stage;
  const placed = Array.from({ length: 34 }, () => ({
    x: random.between(0, width),
    y: random.between(0, height),
    size: unit * random.between(0.3, 1.5),
    speed: unit * random.between(5, 13),
    phase: random.between(0, 6),
  }));
  return {
    depth: 0.9,
    live: true,
    paint(pen, seconds) {
      for (const { x, y, size, speed, phase } of placed) {
        const risen = (((y - seconds * speed) % height) + height) % height;
        const at = x + unit * Math.sin(seconds * 2 + phase);
        pen.beginPath();
        pen.arc(at, risen, size, 0, 2 * Math.PI);
        pen.fillStyle = translucent('#ffffff', 0.12);
        pen.fill();
        pen.lineWidth = unit * 0.14;
        pen.strokeStyle = translucent('#ffffff', 0.55);
        pen.stroke();
      }
    },
  };
}
