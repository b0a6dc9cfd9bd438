import { type Color, mix, translucent, turnHue } from '../color.ts';
import type { Scenery } from '../scenery.ts';
import { disc, fillBelow, glow, type Layer, type Pen, type Stage, vertical } from '../stage.ts';
import { hillLine } from './terrain.ts';

/** A planet with rings over the dust of a moon. */
export function space(stage: Stage): Scenery {
  const { height, unit, random } = stage;
  const ground = hillLine(random, height * 0.86, unit * 3, unit * 36);
  return {
    behind: [
      nebula(stage),
      stars(stage, 0),
      stars(stage, 2),
      planet(stage),
      smallMoon(stage),
      surface(stage, ground),
    ],
    ground,
    depth: 0.95,
    isDark: true,
    front: [],
  };
}

function nebula(stage: Stage): Layer {
  const { width, height, margin, palette, random } = stage;
  const blobs = Array.from({ length: 9 }, (_, index) => ({
    x: width * (0.1 + 0.1 * index) + random.between(-0.1, 0.1) * width,
    y: height * (0.75 - 0.07 * index) + random.between(-0.12, 0.12) * height,
    radius: Math.max(width, height) * random.between(0.14, 0.32),
    color: random.pick([
      palette.accent,
      palette.sky[2],
      turnHue(palette.sky[2], 50),
      turnHue(palette.accent, -60),
    ]),
  }));
  return {
    depth: 0,
    paint(pen) {
      pen.fillStyle = vertical(pen, 0, height, ['#04040c', mix('#04040c', palette.sky[0], 0.7)]);
      pen.fillRect(-margin, 0, width + 2 * margin, height);
      for (const { x, y, radius, color } of blobs)
        glow(pen, x, y, radius, translucent(color, 0.26), translucent(color, 0));
    },
  };
}

function stars(stage: Stage, phase: number): Layer {
  const { width, height, margin, unit, random } = stage;
  const placed = Array.from({ length: Math.round(((width * height) / unit ** 2) * 0.018) }, () => ({
    x: random.between(-margin, width + margin),
    y: random.between(0, height),
    size: unit * (0.07 + 0.24 * random.next() ** 5),
    alpha: random.between(0.3, 1),
  }));
  return {
    depth: 0.02,
    motion: (seconds) => ({ alpha: 0.75 + 0.25 * Math.sin(seconds * 2 + phase) }),
    paint(pen) {
      for (const { x, y, size, alpha } of placed) disc(pen, x, y, size, translucent('#ffffff', alpha));
    },
  };
}

function planet(stage: Stage): Layer {
  const { unit, light, palette, random } = stage;
  const radius = light.radius * 2.3;
  const base = mix(palette.accent, palette.sky[2], 0.35);
  const tilt = random.between(-0.5, 0.5);
  const bands = Array.from({ length: 9 }, (_, index) => ({
    y: (index / 4.5 - 1) * radius,
    thick: radius * random.between(0.06, 0.2),
    color: random.pick([mix(base, '#ffffff', 0.28), turnHue(base, 25), mix(base, palette.ground, 0.35)]),
  }));
  return {
    depth: 0.08,
    motion: (seconds) => ({ y: unit * 0.8 * Math.sin(seconds * 0.5) }),
    paint(pen) {
      pen.save();
      pen.translate(light.x, light.y);
      pen.rotate(tilt);
      glow(pen, 0, 0, radius * 1.6, translucent(base, 0.35), translucent(base, 0));
      ring(pen, radius, base, Math.PI, 2 * Math.PI);
      ball(pen, radius, base, bands);
      ring(pen, radius, base, 0, Math.PI);
      pen.restore();
    },
  };
}

function ball(
  pen: Pen,
  radius: number,
  base: Color,
  bands: readonly { y: number; thick: number; color: Color }[],
): void {
  pen.save();
  pen.beginPath();
  pen.arc(0, 0, radius, 0, 2 * Math.PI);
  pen.clip();
  pen.fillStyle = base;
  pen.fillRect(-radius, -radius, 2 * radius, 2 * radius);
  for (const { y, thick, color } of bands) {
    pen.beginPath();
    pen.ellipse(0, y, radius * 1.2, thick, 0.04, 0, 2 * Math.PI);
    pen.fillStyle = translucent(color, 0.6);
    pen.fill();
  }
  const shadow = pen.createRadialGradient(
    -radius * 0.5,
    -radius * 0.5,
    radius * 0.3,
    -radius * 0.2,
    -radius * 0.2,
    radius * 1.35,
  );
  shadow.addColorStop(0, 'rgba(0, 0, 0, 0)');
  shadow.addColorStop(1, 'rgba(0, 0, 10, 0.82)');
  pen.fillStyle = shadow;
  pen.fillRect(-radius, -radius, 2 * radius, 2 * radius);
  pen.restore();
}

/** Half a ring at a time: one half passes behind the planet. */
function ring(pen: Pen, radius: number, base: Color, from: number, to: number): void {
  for (const [reach, thick, alpha] of [
    [1.55, 0.13, 0.75],
    [1.8, 0.08, 0.5],
    [1.98, 0.04, 0.35],
  ] as const) {
    pen.beginPath();
    pen.ellipse(0, 0, radius * reach, radius * reach * 0.24, 0, from, to);
    pen.lineWidth = radius * thick;
    pen.strokeStyle = translucent(mix(base, '#ffffff', 0.45), alpha);
    pen.stroke();
  }
}

function smallMoon(stage: Stage): Layer {
  const { width, height, unit, light, palette } = stage;
  const x = light.x < width / 2 ? width * 0.82 : width * 0.16;
  return {
    depth: 0.14,
    paint(pen) {
      disc(pen, x, height * 0.2, unit * 4, mix(palette.light, palette.sky[1], 0.35));
      disc(pen, x + unit * 1.1, height * 0.2 + unit * 0.9, unit * 0.9, translucent(palette.sky[0], 0.25));
      disc(pen, x - unit * 1.4, height * 0.2 - unit * 1.1, unit * 0.6, translucent(palette.sky[0], 0.25));
    },
  };
}

function surface(stage: Stage, ground: (x: number) => number): Layer {
  const { width, height, margin, unit, palette, random } = stage;
  const craters = Array.from({ length: 14 }, () => ({
    x: random.between(-margin, width + margin),
    down: random.between(0.25, 0.95),
    size: unit * random.between(1.5, 5),
  }));
  const dust = mix('#a7a4bd', palette.sky[2], 0.35);
  return {
    depth: 0.95,
    paint(pen) {
      fillBelow(
        pen,
        stage,
        ground,
        vertical(pen, height * 0.8, height * 1.05, [dust, mix(dust, '#05050f', 0.7)]),
      );
      for (const { x, down, size } of craters) {
        const y = ground(x) + (height - ground(x)) * down;
        for (const [shift, color] of [
          [unit * 0.25, mix(dust, '#ffffff', 0.2)],
          [0, mix(dust, '#05050f', 0.55)],
        ] as const) {
          pen.beginPath();
          pen.ellipse(x, y + shift, size, size * 0.32, 0, 0, 2 * Math.PI);
          pen.fillStyle = translucent(color, 0.75);
          pen.fill();
        }
      }
    },
  };
}
