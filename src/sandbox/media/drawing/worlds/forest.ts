import type { Scenery } from '../scenery.ts';
import type { Stage } from '../stage.ts';
import { grass, hill, hillLine, mist } from './terrain.ts';
import { framingPines, lightShafts, pineRow } from './trees.ts';

/** Pines in five depths with haze between them and light falling through. */
export function forest(stage: Stage): Scenery {
  const { height, unit, random } = stage;
  const line = (level: number, rise: number) => hillLine(random, height * level, unit * rise, unit * 38);
  const [far, middle, near] = [line(0.66, 4), line(0.72, 4), line(0.8, 3)];
  const ground = line(0.88, 2);
  return {
    behind: [
      hill(stage, 0.1, line(0.56, 8), height * 0.46),
      pineRow(stage, 0.2, far, unit * 20, 0.26),
      hill(stage, 0.22, far, height * 0.6),
      mist(stage, 0.3, height * 0.64, unit * 14, 0.5),
      pineRow(stage, 0.4, middle, unit * 30, 0.3),
      hill(stage, 0.42, middle, height * 0.66),
      mist(stage, 0.5, height * 0.72, unit * 14, 0.45),
      lightShafts(stage, 0.55),
      pineRow(stage, 0.68, near, unit * 44, 0.5),
      hill(stage, 0.7, near, height * 0.76),
      framingPines(stage, 0.86),
      hill(stage, 0.96, ground, height * 0.82),
    ],
    ground,
    depth: 0.96,
    front: [grass(stage, 1, (x) => ground(x) + unit * 1.5, unit * 4)],
  };
}
