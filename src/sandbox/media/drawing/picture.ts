import { createCanvas } from '@napi-rs/canvas';
import { Random } from '../../random.ts';
import type { Size } from '../sizes.ts';
import type { PictureRequest } from '../studio.ts';
import {
  choosePalette,
  type Color,
  findMotifs,
  mix,
  type Motifs,
  type Palette,
  type Subject,
  type TimeOfDay,
  translucent,
  turnHue,
  type Weather,
  type World,
} from './colors.ts';
import { figures, type Place } from './figures.ts';
import { paintTop, readReferences } from './overlay.ts';
import {
  band,
  brushOf,
  disc,
  fillBelow,
  glow,
  type Ink,
  type Layer,
  type Pen,
  type Scenery,
  type Stage,
  vertical,
} from './stage.ts';
import { city } from './worlds/city.ts';
import { desert, forest, meadow, mountains, snow } from './worlds/land.ts';
import { hillLine, sky, smoothNoise } from './worlds/scenery.ts';
import { sea, underwater } from './worlds/sea.ts';
import { space } from './worlds/space.ts';

/** Draws a PNG from a prompt; the same request gives the same bytes. @throws UnreadableReference */
export async function drawPicture(request: PictureRequest): Promise<Uint8Array<ArrayBuffer>> {
  const { prompt, width, height, seed = 0 } = request;
  const references = await readReferences(request.references ?? []);
  const canvas = createCanvas(width, height);
  const pen = canvas.getContext('2d');
  const margin = Math.round(width * 0.08);
  for (const { motion, paint } of compose({ prompt, seed, width, height, margin })) {
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

/** For prompts without a known motif: abstract shapes. */
function abstract(stage: Stage): Scenery {
  const { height, palette } = stage;
  const base: Layer = {
    depth: 0,
    paint: (pen) => band(pen, stage, 0, height, [palette.sky[1], palette.sky[2]]),
  };
  return { layers: [base, ...ribbons(stage)], ground: () => height * 0.84, depth: 0.9 };
}

function anyColor({ palette, random }: Stage): Color {
  const [zenith, middle, horizon] = palette.sky;
  return random.pick([
    palette.accent,
    zenith,
    mix(middle, palette.light, 0.3),
    palette.light,
    palette.ground,
    turnHue(palette.accent, 40),
    mix(horizon, palette.accent, 0.4),
    turnHue(zenith, -30),
  ]);
}

/** Broad bands that flow across like folded paper. */
function ribbons(stage: Stage): Layer[] {
  const { height, unit, random, palette } = stage;
  const count = random.whole(7, 10);
  return Array.from({ length: count }, (_, index): Layer => {
    const part = index / count;
    const line = hillLine(stage, height * (0.1 + 0.92 * part), random.between(7, 15), random.between(32, 60));
    const color = mix(anyColor(stage), palette.ground, 0.08 + 0.3 * part);
    const colors = [mix(color, palette.light, 0.14), color];
    return {
      depth: 0.1 + 0.85 * part,
      motion: (seconds) => ({ y: unit * 2 * Math.sin(seconds * 0.7 + index) }),
      paint(pen) {
        pen.save();
        pen.shadowColor = 'rgba(0, 0, 0, 0.28)';
        pen.shadowBlur = unit * 3;
        pen.shadowOffsetY = -unit * 0.6;
        // Below the edge, so that nothing shows when it moves up.
        const deep = { ...stage, height: height * 1.2, margin: stage.margin + unit * 9 };
        fillBelow(pen, deep, line, vertical(pen, height * part * 0.8, height, colors));
        pen.restore();
      },
    };
  });
}

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
    ...weather.flatMap((kind) => kinds[kind]?.(stage) ?? []),
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

/** The most subjects that fit without covering each other. */
const most = 4;

/** The layers with the prompt's subjects, each on the ground, in the water or in the air. */
function subjectLayers(
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

/** Kinds of weather with a layer of their own: clouds belong to the worlds' sky. */
const kinds: Readonly<Partial<Record<Weather, (stage: Stage) => Layer>>> = {
  rain: (stage) => falling(stage, 120, 150, -18, rainDrop),
  snowfall: (stage) => falling(stage, 130, 14, 3, snowFlake),
  petals: (stage) => falling(stage, 46, 11, 9, petal),
  fireflies,
  aurora,
  rainbow,
};

/** `near` goes from 0 to 1: the nearer, the larger and faster. */
interface Particle {
  readonly x: number;
  readonly y: number;
  readonly near: number;
  readonly phase: number;
}
type PaintParticle = (pen: Pen, stage: Stage, particle: Particle, seconds: number) => void;

/** Particles that leave at the bottom re-enter at the top; `speed` and `drift` are units a second of the nearest. */
function falling(stage: Stage, count: number, speed: number, drift: number, paint: PaintParticle): Layer {
  const { width, height, unit, random } = stage;
  const particles = Array.from({ length: count }, () => ({
    x: random.next() * width,
    y: random.next() * height,
    near: random.next(),
    phase: random.between(0, 6),
  }));
  const wrap = (value: number, size: number) => ((value % size) + size) % size;
  return {
    depth: 1,
    live: true,
    paint(pen, seconds) {
      for (const particle of particles) {
        const pace = unit * (0.45 + 0.55 * particle.near) * seconds;
        const x = wrap(particle.x + drift * pace, width);
        const y = wrap(particle.y + speed * pace, height);
        paint(pen, stage, { ...particle, x, y }, seconds);
      }
    },
  };
}

const rainDrop: PaintParticle = (pen, { unit }, { x, y, near }) => {
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x - unit * (0.3 + 0.5 * near), y + unit * (2.5 + 4 * near));
  pen.lineWidth = unit * (0.08 + 0.16 * near);
  pen.strokeStyle = translucent('#eaf4ff', 0.2 + 0.35 * near);
  pen.stroke();
};

const snowFlake: PaintParticle = (pen, { unit }, { x, y, near, phase }, seconds) => {
  const sway = unit * Math.sin(seconds * 1.4 + phase);
  disc(pen, x + sway, y, unit * (0.16 + 0.55 * near ** 2), translucent('#ffffff', 0.45 + 0.5 * near));
};

const petal: PaintParticle = (pen, { unit, palette }, { x, y, near, phase }, seconds) => {
  const size = unit * (0.5 + 0.9 * near);
  const sway = unit * 2 * Math.sin(seconds + phase);
  const turn = phase + seconds * (1 + near);
  pen.beginPath();
  pen.ellipse(x + sway, y, size, size * (0.3 + 0.3 * Math.abs(Math.sin(turn))), turn, 0, 2 * Math.PI);
  pen.fillStyle = translucent(near > 0.5 ? palette.accent : palette.light, 0.8);
  pen.fill();
};

function fireflies({ width, height, unit, palette, random }: Stage): Layer {
  const placed = Array.from({ length: 34 }, () => ({
    x: random.between(0, width),
    y: random.between(0.45, 0.95) * height,
    phase: random.between(0, 6),
    size: unit * random.between(0.25, 0.55),
  }));
  return {
    depth: 1,
    live: true,
    paint(pen, seconds) {
      for (const fly of placed) {
        const { phase, size } = fly;
        const bright = 0.55 + 0.45 * Math.sin(seconds * 2.4 + phase);
        const x = fly.x + unit * 3 * Math.sin(seconds * 0.7 + phase);
        const y = fly.y + unit * 2 * Math.cos(seconds * 0.9 + phase * 2);
        glow(pen, x, y, size * 6, palette.light, 0.55 * bright);
        pen.fillStyle = translucent('#ffffff', 0.4 + 0.6 * bright);
        pen.fillRect(x - size / 2, y - size / 2, size, size);
      }
    },
  };
}

/** Curtains of light that hang from a wandering line. */
function aurora({ width, margin, horizon, unit, palette, random }: Stage): Layer {
  const colors: readonly Color[] = ['#5dffb0', turnHue('#5dffb0', 40), turnHue(palette.accent, 20)];
  const shifts = colors.map(() => random.between(0, 6));
  return {
    depth: 0.03,
    motion: (seconds) => ({
      x: unit * 4 * Math.sin(seconds * 0.5),
      alpha: 0.8 + 0.2 * Math.sin(seconds * 1.3),
    }),
    paint(pen) {
      for (const [index, color] of colors.entries()) {
        const shift = shifts[index] ?? 0;
        const [clear, bright] = [translucent(color, 0), translucent(color, 0.3)];
        for (let x = -margin; x < width + margin; x += unit * 0.7) {
          const wave = Math.sin(x / (unit * 17) + shift) + 0.5 * Math.sin(x / (unit * 7) + shift * 2);
          const foot = horizon * (0.3 + 0.16 * index) + unit * 7 * wave;
          const tall = unit * (24 + 9 * Math.sin(x / (unit * 3.1) + shift));
          pen.fillStyle = vertical(pen, foot - tall, foot, [clear, bright, bright, clear]);
          pen.fillRect(x, foot - tall, unit * 0.75, tall);
        }
      }
    },
  };
}

const rainbowColors = ['#e5484d', '#f5a142', '#f7e26b', '#57c27a', '#4a9be8', '#8a63d2'] as const;

function rainbow({ width, height, horizon, unit }: Stage): Layer {
  const radius = Math.min(width * 0.46, height * 0.62);
  return {
    depth: 0.05,
    paint(pen) {
      pen.lineWidth = unit * 1.75;
      for (const [index, color] of rainbowColors.entries()) {
        pen.beginPath();
        pen.arc(width / 2, horizon * 1.15, radius - index * unit * 1.7, Math.PI, 2 * Math.PI);
        pen.strokeStyle = translucent(color, 0.5);
        pen.stroke();
      }
    },
  };
}
