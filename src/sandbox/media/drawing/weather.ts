import { translucent, turnHue } from './color.ts';
import type { Weather } from './motifs.ts';
import { glow, type Layer, type Pen, type Stage } from './stage.ts';

/** The layers of one kind of weather; clouds belong to the worlds' sky. */
export function weatherLayers(stage: Stage, weather: Weather): Layer[] {
  switch (weather) {
    case 'rain':
      return [falling(stage, 120, { speed: 150, drift: -18, paint: rainDrop })];
    case 'snowfall':
      return [falling(stage, 130, { speed: 14, drift: 3, paint: snowFlake })];
    case 'petals':
      return [falling(stage, 46, { speed: 11, drift: 9, paint: petal })];
    case 'fireflies':
      return [fireflies(stage)];
    case 'aurora':
      return [aurora(stage)];
    case 'rainbow':
      return [rainbow(stage)];
    case 'clouds':
      return [];
  }
}

interface Particle {
  readonly x: number;
  readonly y: number;
  /** 0 to 1: the nearer, the larger and faster. */
  readonly near: number;
  readonly phase: number;
}

interface Fall {
  /** Units a second, for the nearest. */
  readonly speed: number;
  readonly drift: number;
  readonly paint: (pen: Pen, stage: Stage, particle: Particle, x: number, y: number, seconds: number) => void;
}

/** Particles that leave at the bottom re-enter at the top. */
function falling(stage: Stage, count: number, { speed, drift, paint }: Fall): Layer {
  const { width, height, unit, random } = stage;
  const particles: Particle[] = Array.from({ length: count }, () => ({
    x: random.next(),
    y: random.next(),
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
        const x = wrap(particle.x * width + drift * pace, width);
        const y = wrap(particle.y * height + speed * pace, height);
        paint(pen, stage, particle, x, y, seconds);
      }
    },
  };
}

function rainDrop(pen: Pen, { unit }: Stage, { near }: Particle, x: number, y: number): void {
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x - unit * (0.3 + 0.5 * near), y + unit * (2.5 + 4 * near));
  pen.lineWidth = unit * (0.08 + 0.16 * near);
  pen.strokeStyle = translucent('#eaf4ff', 0.2 + 0.35 * near);
  pen.stroke();
}

function snowFlake(
  pen: Pen,
  { unit }: Stage,
  { near, phase }: Particle,
  x: number,
  y: number,
  seconds: number,
): void {
  pen.beginPath();
  pen.arc(x + unit * Math.sin(seconds * 1.4 + phase), y, unit * (0.16 + 0.55 * near ** 2), 0, 2 * Math.PI);
  pen.fillStyle = translucent('#ffffff', 0.45 + 0.5 * near);
  pen.fill();
}

function petal(
  pen: Pen,
  { unit, palette }: Stage,
  { near, phase }: Particle,
  x: number,
  y: number,
  seconds: number,
): void {
  const size = unit * (0.5 + 0.9 * near);
  const turn = phase + seconds * (1 + near);
  pen.beginPath();
  pen.ellipse(
    x + unit * 2 * Math.sin(seconds + phase),
    y,
    size,
    size * (0.3 + 0.3 * Math.abs(Math.sin(turn))),
    turn,
    0,
    2 * Math.PI,
  );
  pen.fillStyle = translucent(near > 0.5 ? palette.accent : palette.light, 0.8);
  pen.fill();
}

function fireflies(stage: Stage): Layer {
  const { width, height, unit, palette, random } = stage;
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
      for (const { x, y, phase, size } of placed) {
        const bright = 0.55 + 0.45 * Math.sin(seconds * 2.4 + phase);
        const at = [
          x + unit * 3 * Math.sin(seconds * 0.7 + phase),
          y + unit * 2 * Math.cos(seconds * 0.9 + phase * 2),
        ] as const;
        glow(
          pen,
          at[0],
          at[1],
          size * 6,
          translucent(palette.light, 0.55 * bright),
          translucent(palette.light, 0),
        );
        pen.fillStyle = translucent('#ffffff', 0.4 + 0.6 * bright);
        pen.fillRect(at[0] - size / 2, at[1] - size / 2, size, size);
      }
    },
  };
}

/** Curtains of light that hang from a wandering line. */
function aurora(stage: Stage): Layer {
  const { width, margin, horizon, unit, palette, random } = stage;
  const colors = ['#5dffb0', turnHue('#5dffb0', 40), turnHue(palette.accent, 20)] as const;
  const curtains = colors.map((color, index) => ({
    color,
    level: horizon * (0.3 + 0.16 * index),
    shift: random.between(0, 6),
  }));
  return {
    depth: 0.03,
    motion: (seconds) => ({
      x: unit * 4 * Math.sin(seconds * 0.5),
      alpha: 0.8 + 0.2 * Math.sin(seconds * 1.3),
    }),
    paint(pen) {
      for (const { color, level, shift } of curtains) {
        for (let x = -margin; x < width + margin; x += unit * 0.7) {
          const wave = Math.sin(x / (unit * 17) + shift) + 0.5 * Math.sin(x / (unit * 7) + shift * 2);
          const foot = level + unit * 7 * wave;
          const tall = unit * (24 + 9 * Math.sin(x / (unit * 3.1) + shift));
          const gradient = pen.createLinearGradient(0, foot - tall, 0, foot);
          gradient.addColorStop(0, translucent(color, 0));
          gradient.addColorStop(0.85, translucent(color, 0.3));
          gradient.addColorStop(1, translucent(color, 0));
          pen.fillStyle = gradient;
          pen.fillRect(x, foot - tall, unit * 0.75, tall);
        }
      }
    },
  };
}

function rainbow(stage: Stage): Layer {
  const { width, height, horizon, unit } = stage;
  const radius = Math.min(width * 0.46, height * 0.62);
  return {
    depth: 0.05,
    paint(pen) {
      for (const [index, color] of [
        '#e5484d',
        '#f5a142',
        '#f7e26b',
        '#57c27a',
        '#4a9be8',
        '#8a63d2',
      ].entries()) {
        pen.beginPath();
        pen.arc(width / 2, horizon * 1.15, radius - index * unit * 1.7, Math.PI, 2 * Math.PI);
        pen.lineWidth = unit * 1.75;
        pen.strokeStyle = translucent(color as `#${string}`, 0.5);
        pen.stroke();
      }
    },
  };
}
