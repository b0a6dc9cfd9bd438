import { createCanvas } from '@napi-rs/canvas';
import { Random } from '../../random.ts';
import type { Size } from '../sizes.ts';
import type { PictureRequest } from '../studio.ts';
import { choosePalette, mix } from './colors.ts';
import { findMotifs, type Motifs, type TimeOfDay, type World } from './motifs.ts';
import { paintTop, readReferences } from './overlay.ts';
import type { Layer, Scenery, Stage } from './stage.ts';
import { subjectLayers } from './subjects.ts';
import { weatherLayers } from './weather.ts';
import { abstract } from './worlds/abstract.ts';
import { city } from './worlds/city.ts';
import { desert, forest, meadow, mountains, snow } from './worlds/land.ts';
import { sea, underwater } from './worlds/sea.ts';
import { sky } from './worlds/sky.ts';
import { space } from './worlds/space.ts';

/** Draws a PNG from a prompt; the same request gives the same bytes. @throws UnreadableReference */
export async function drawPicture(request: PictureRequest): Promise<Uint8Array<ArrayBuffer>> {
  const { prompt, width, height, seed = 0 } = request;
  const references = await readReferences(request.references ?? []);
  const canvas = createCanvas(width, height);
  const pen = canvas.getContext('2d');
  for (const { motion, paint } of compose({
    prompt,
    seed,
    width,
    height,
    margin: Math.round(width * 0.08),
  })) {
    const { x = 0, y = 0, alpha = 1 } = motion?.(0) ?? {};
    pen.save();
    pen.translate(x, y);
    pen.globalAlpha = alpha;
    paint(pen, 0);
    pen.restore();
  }
  paintTop(pen, { prompt, width, height, references });
  return new Uint8Array(await canvas.encode('png'));
}

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

/** Worlds without a sky, where only these fall or float. */
const skyless: readonly World[] = ['abstract', 'space', 'underwater'];
const skylessWeather = ['fireflies', 'petals'];

/** The input of a drawing. The same scene always gives the same image. */
export interface Scene extends Size {
  readonly prompt: string;
  /** Varies the image of a prompt. */
  readonly seed: number;
  /** Pixels painted beyond the left and right edge, for layers that move. */
  readonly margin: number;
}

/** Composes the image; returns its layers, back to front. */
export function compose(scene: Scene): Layer[] {
  const random = new Random(`${scene.seed}:${scene.prompt}`);
  const motifs = findMotifs(scene.prompt);
  const world = motifs.world ?? otherwise(motifs, random);
  const anyTime = motifs.subjects.includes('sun')
    ? 'day'
    : random.pick(['dawn', 'day', 'dusk', 'dusk', 'night']);
  const stage = prepareStage(scene, world, motifs.time ?? anyTime, motifs.tint, random);
  const scenery = worlds[world](stage);
  const hasSky = !skyless.includes(world);
  const weather = motifs.weather.filter((kind) => hasSky || skylessWeather.includes(kind));
  const layers = [
    ...(hasSky ? sky(stage) : []),
    ...scenery.layers,
    ...subjectLayers(stage, scenery, motifs.subjects, world === 'space'),
    ...weather.flatMap((kind) => weatherLayers(stage, kind)),
  ];
  return layers.sort((a, b) => a.depth - b.depth);
}

/** The world of a prompt that names none; without any known word it becomes abstract shapes. */
function otherwise({ subjects, weather, time }: Motifs, random: Random): World {
  if (subjects.includes('boat') || subjects.includes('lighthouse')) return 'sea';
  const isKnown = subjects.length > 0 || weather.length > 0 || time !== undefined;
  return isKnown ? random.pick(['meadow', 'mountains', 'sea', 'forest', 'meadow']) : 'abstract';
}

function prepareStage(
  { width, height, margin }: Scene,
  world: World,
  time: TimeOfDay,
  tint: Motifs['tint'],
  random: Random,
): Stage {
  const unit = Math.min(width, height) / 100;
  const palette = choosePalette(time, random, tint && mix(tint, '#ffffff', 0.05));
  const horizon = height * (world === 'sea' ? random.between(0.52, 0.6) : random.between(0.6, 0.68));
  const focus = random.pick([random.between(0.26, 0.36), random.between(0.64, 0.74)]);
  const isLow = time === 'dawn' || time === 'dusk';
  const light = {
    x: width * (focus + (focus < 0.5 ? 1 : -1) * random.between(0.04, 0.34)),
    y: horizon * (isLow ? random.between(0.62, 0.84) : random.between(0.26, 0.42)),
    radius: unit * random.between(isLow ? 8 : 5.5, isLow ? 13 : 8),
  };
  return { width, height, margin, unit, palette, random, time, horizon, light, focus };
}
