import { type Color, translucent, turnHue } from './colors.ts';
import type { Weather } from './motifs.ts';
import { glow, type Layer, type Pen, type Stage, vertical } from './stage.ts';

const kinds: Readonly<Record<Weather, ((stage: Stage) => Layer) | undefined>> = {
  rain: (stage) => falling(stage, 120, 150, -18, rainDrop),
  snowfall: (stage) => falling(stage, 130, 14, 3, snowFlake),
  petals: (stage) => falling(stage, 46, 11, 9, petal),
  fireflies,
  aurora,
  rainbow,
  // Those belong to the worlds' sky.
  clouds: undefined,
};

/** The layer of one kind of weather, if it has its own. */
export function weatherLayers(stage: Stage, weather: Weather): Layer[] {
  const layer = kinds[weather]?.(stage);
  return layer ? [layer] : [];
}

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
  pen.beginPath();
  pen.arc(x + sway, y, unit * (0.16 + 0.55 * near ** 2), 0, 2 * Math.PI);
  pen.fillStyle = translucent('#ffffff', 0.45 + 0.5 * near);
  pen.fill();
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
        const inner = translucent(palette.light, 0.55 * bright);
        glow(pen, x, y, size * 6, inner, translucent(palette.light, 0));
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
