import type { Subject } from '../motifs.ts';
import { smoothNoise } from '../random.ts';
import type { Scenery } from '../scenery.ts';
import type { Layer, Stage } from '../stage.ts';
import { bird, cat, dog, fish, whale } from './animals.ts';
import { house, lighthouse } from './buildings.ts';
import { type Draw, inkOf } from './ink.ts';
import { cup, heart, robot } from './objects.ts';
import { flower, person, tree } from './plants-and-people.ts';
import { balloon, boat, car, rocket } from './vehicles.ts';

type Place = 'ground' | 'water' | 'air';

interface Figure {
  readonly draw: Draw;
  readonly place: Place;
  /** Height in hundredths of the picture's shorter side. */
  readonly tall: number;
}

const figures: Partial<Record<Subject, Figure>> = {
  cat: { draw: cat, place: 'ground', tall: 30 },
  dog: { draw: dog, place: 'ground', tall: 30 },
  robot: { draw: robot, place: 'ground', tall: 34 },
  person: { draw: person, place: 'ground', tall: 26 },
  house: { draw: house, place: 'ground', tall: 27 },
  lighthouse: { draw: lighthouse, place: 'ground', tall: 48 },
  flower: { draw: flower, place: 'ground', tall: 30 },
  tree: { draw: tree, place: 'ground', tall: 44 },
  cup: { draw: cup, place: 'ground', tall: 26 },
  car: { draw: car, place: 'ground', tall: 20 },
  boat: { draw: boat, place: 'water', tall: 26 },
  whale: { draw: whale, place: 'water', tall: 20 },
  fish: { draw: fish, place: 'water', tall: 22 },
  bird: { draw: bird, place: 'air', tall: 14 },
  balloon: { draw: balloon, place: 'air', tall: 30 },
  rocket: { draw: rocket, place: 'air', tall: 36 },
  heart: { draw: heart, place: 'air', tall: 26 },
};

/** The most subjects that fit without covering each other. */
const most = 4;

/** The layers with the prompt's subjects, each on the ground, in the water or in the air. */
export function subjectLayers(stage: Stage, scenery: Scenery, subjects: readonly Subject[]): Layer[] {
  const drawn = subjects.flatMap((subject) => figures[subject] ?? []).slice(0, most);
  const taken: Record<Place, number> = { ground: 0, water: 0, air: 0 };
  return drawn.map((figure) => {
    const place = figure.place === 'water' && !scenery.water ? 'ground' : figure.place;
    const order = taken[place]++;
    return layer(stage, scenery, figure, place, order);
  });
}

function layer(stage: Stage, scenery: Scenery, { draw, tall }: Figure, place: Place, order: number): Layer {
  const { unit, random } = stage;
  const size = tall * unit * (order === 0 ? 1 : 0.8);
  const { x, y, depth } = position(stage, scenery, place, order, size);
  const ink = inkOf(stage.palette, scenery.isDark === true);
  const sway = smoothNoise(random);
  const reach = place === 'ground' ? 0 : unit * (place === 'air' ? 2.6 : 1.1);
  return {
    depth,
    ...(reach > 0 && {
      motion: (seconds: number) => ({
        x: reach * sway(seconds * 0.35),
        y: reach * Math.sin(seconds * 1.2 + order),
      }),
    }),
    paint(pen) {
      pen.save();
      pen.translate(x, y);
      const facing = x > stage.width / 2 ? -1 : 1;
      pen.scale(size * facing, size);
      draw(pen, ink);
      pen.restore();
    },
  };
}

function position(stage: Stage, scenery: Scenery, place: Place, order: number, size: number) {
  const { width, height, unit, focus } = stage;
  const away = focus < 0.5 ? 1 : -1;
  if (place === 'ground') {
    const x = width * focus + away * order * unit * 34;
    return { x, y: scenery.ground(x) + size * 0.02, depth: scenery.depth };
  }
  if (place === 'water' && scenery.water) {
    const x = width * (focus + away * (0.36 - 0.3 * order));
    return { x, y: scenery.water.level + order * unit * 9, depth: scenery.water.depth };
  }
  const x = width * (1 - focus) - away * order * unit * 26;
  return { x, y: height * (0.23 + 0.1 * order) + size * 0.5, depth: 0.35 };
}
