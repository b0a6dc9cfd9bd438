import { mix } from '../color.ts';
import type { Scenery } from '../scenery.ts';
import { fillBelow, type Layer, type Stage, vertical } from '../stage.ts';
import { hill, hillLine, mist } from './terrain.ts';
import { pineRow } from './trees.ts';

/** White hills with dark pines between them. */
export function snow(stage: Stage): Scenery {
  const { height, unit, random } = stage;
  const line = (level: number, rise: number) => hillLine(random, height * level, unit * rise, unit * 46);
  const [far, middle, near] = [line(0.64, 6), line(0.73, 5), line(0.8, 4)];
  const ground = line(0.88, 2.5);
  return {
    behind: [
      hill(stage, 0.1, line(0.55, 12), height * 0.4),
      mist(stage, 0.2, height * 0.58, unit * 12, 0.5),
      pineRow(stage, 0.26, far, unit * 9, 0.4),
      drift(stage, 0.28, far),
      pineRow(stage, 0.48, middle, unit * 15, 0.8),
      drift(stage, 0.5, middle),
      pineRow(stage, 0.74, near, unit * 26, 1.3),
      drift(stage, 0.76, near),
      drift(stage, 0.96, ground),
    ],
    ground,
    depth: 0.96,
    front: [],
  };
}

function drift(stage: Stage, depth: number, line: (x: number) => number): Layer {
  const { palette, height } = stage;
  const white = mix('#ffffff', palette.sky[2], 0.18);
  const shadow = mix(mix('#ffffff', palette.sky[1], 0.6), palette.sky[0], 0.2 + 0.15 * depth);
  return {
    depth,
    paint(pen) {
      fillBelow(pen, stage, line, vertical(pen, height * (0.5 + 0.3 * depth), height * 1.1, [white, shadow]));
    },
  };
}
