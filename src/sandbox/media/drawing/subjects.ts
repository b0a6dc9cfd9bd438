import { brushOf, type Ink } from './brush.ts';
import { mix, type Palette } from './colors.ts';
import { figures } from './figures.ts';
import type { Subject } from './motifs.ts';
import type { Layer, Scenery, Stage } from './stage.ts';
import { smoothNoise } from './worlds/terrain.ts';

/** The most subjects that fit without covering each other. */
const most = 4;

/** The layers with the prompt's subjects, each on the ground, in the water or in the air. */
export function subjectLayers(
  stage: Stage,
  scenery: Scenery,
  subjects: readonly Subject[],
  isPale: boolean,
): Layer[] {
  const { unit, random } = stage;
  const ink = inkOf(stage.palette, isPale);
  const drawn = subjects.flatMap((subject) => figures[subject] ?? []).slice(0, most);
  const taken = { ground: 0, water: 0, air: 0 };
  return drawn.map(({ draw, place: wanted, tall }): Layer => {
    const place = wanted === 'water' && !scenery.water ? 'ground' : wanted;
    const order = taken[place]++;
    const size = tall * unit * (order === 0 ? 1 : 0.8);
    const { x, y, depth } = position(stage, scenery, place, order, size);
    const sway = smoothNoise(random);
    const reach = unit * { ground: 0, water: 1.1, air: 2.6 }[place];
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
        pen.scale(((x > stage.width / 2 ? -1 : 1) * size) / 100, size / 100);
        draw(brushOf(pen), ink);
        pen.restore();
      },
    };
  });
}

/** Subjects are pale in space, where a dark silhouette wouldn't be visible. */
function inkOf({ ground, sky, light, accent }: Palette, isPale: boolean): Ink {
  const dark = isPale ? mix(mix('#59607f', sky[2], 0.3), light, 0.12) : mix(ground, '#000000', 0.3);
  return { dark, lit: isPale ? mix(dark, light, 0.6) : mix(dark, sky[2], 0.24), accent, light };
}

function position(
  stage: Stage,
  scenery: Scenery,
  place: 'ground' | 'water' | 'air',
  order: number,
  size: number,
) {
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
