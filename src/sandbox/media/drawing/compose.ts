import { type Color, mix } from './color.ts';
import { findMotifs, type Motifs, type TimeOfDay, type Weather, type World } from './motifs.ts';
import { choosePalette } from './palettes.ts';
import { Random } from './random.ts';
import type { Scenery } from './scenery.ts';
import type { Layer, Stage } from './stage.ts';
import { subjectLayers } from './subjects/index.ts';
import { weatherLayers } from './weather.ts';
import { abstract } from './worlds/abstract.ts';
import { city } from './worlds/city.ts';
import { desert } from './worlds/desert.ts';
import { forest } from './worlds/forest.ts';
import { meadow } from './worlds/meadow.ts';
import { mountains } from './worlds/mountains.ts';
import { sea } from './worlds/sea.ts';
import { sky } from './worlds/sky.ts';
import { snow } from './worlds/snow.ts';
import { space } from './worlds/space.ts';
import { underwater } from './worlds/underwater.ts';

const worlds: Record<World, (stage: Stage) => Scenery> = {
  abstract,
  city,
  desert,
  forest,
  meadow,
  mountains,
  sea,
  snow,
  space,
  underwater,
};

/** Worlds that need no subject. */
const skyless: readonly World[] = ['abstract', 'space', 'underwater'];

/** The input of a drawing. The same scene always gives the same image. */
export interface Scene {
  readonly prompt: string;
  /** Varies the image of a prompt. */
  readonly seed: number;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Pixels painted beyond the left and right edge, for layers that move. */
  readonly margin: number;
}

/** Composes the image; returns its layers, back to front. */
export function compose(scene: Scene): Layer[] {
  const random = new Random(`${scene.seed}:${scene.prompt}`);
  const motifs = findMotifs(scene.prompt);
  const world = motifs.world ?? otherwise(motifs, random);
  const time =
    motifs.time ??
    (motifs.subjects.includes('sun') ? 'day' : random.pick(['dawn', 'day', 'dusk', 'dusk', 'night']));
  const stage = prepareStage(scene, world, time, motifs.tint, random);
  const scenery = worlds[world](stage);
  const background = skyless.includes(world) ? [] : sky(stage, time === 'night');
  const subjects = subjectLayers(stage, scenery, motifs.subjects);
  const weather = shown(motifs.weather, world).flatMap((kind) => weatherLayers(stage, kind));
  const standing = [
    ...background,
    ...scenery.behind,
    ...subjects,
    ...weather.filter(({ depth }) => depth < 1),
  ];
  const nearest = weather.filter(({ depth }) => depth === 1);
  return [...standing.sort((a, b) => a.depth - b.depth), ...scenery.front, ...nearest];
}

/** Chooses the world; a prompt without a known word becomes abstract shapes. */
function otherwise({ subjects, weather, time }: Motifs, random: Random): World {
  if (subjects.includes('boat') || subjects.includes('lighthouse')) return 'sea';
  const isKnown = subjects.length > 0 || weather.length > 0 || time !== undefined;
  return isKnown ? random.pick(['meadow', 'mountains', 'sea', 'forest', 'meadow']) : 'abstract';
}

function shown(weather: readonly Weather[], world: World): readonly Weather[] {
  return skyless.includes(world)
    ? weather.filter((kind) => kind === 'fireflies' || kind === 'petals')
    : weather;
}

function prepareStage(
  scene: Scene,
  world: World,
  time: TimeOfDay,
  tint: Color | undefined,
  random: Random,
): Stage {
  const { width, height, margin } = scene;
  const unit = Math.min(width, height) / 100;
  const palette = choosePalette(time, random, tint && mix(tint, '#ffffff', 0.05));
  const horizon = height * (world === 'sea' ? random.between(0.52, 0.6) : random.between(0.6, 0.68));
  const focus = random.pick([random.between(0.26, 0.36), random.between(0.64, 0.74)]);
  const isLow = time === 'dawn' || time === 'dusk';
  const light = {
    x: width * (focus + (focus < 0.5 ? 1 : -1) * random.between(0.04, 0.34)),
    y: horizon * (isLow ? random.between(0.62, 0.84) : random.between(0.26, 0.42)),
    radius: unit * random.between(isLow ? 8 : 5.5, isLow ? 13 : 8),
    isMoon: time === 'night',
  };
  return { width, height, margin, unit, palette, random, time, horizon, light, focus };
}
