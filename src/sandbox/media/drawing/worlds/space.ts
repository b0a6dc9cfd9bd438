import { type Color, mix, translucent, turnHue } from '../colors.ts';
import {
  band,
  disc,
  fillBelow,
  glow,
  type Layer,
  type Line,
  type Pen,
  type Scenery,
  type Stage,
  vertical,
} from '../stage.ts';
import { hillLine, starField } from './scenery.ts';

/** A planet with rings over the dust of a moon. */
export function space(stage: Stage): Scenery {
  const { height } = stage;
  const ground = hillLine(stage, height * 0.86, 3, 36);
  return {
    layers: [
      nebula(stage),
      starField(stage, 0, height),
      starField(stage, 2, height),
      planet(stage),
      surface(stage, ground),
    ],
    ground,
    depth: 0.95,
  };
}

function nebula(stage: Stage): Layer {
  const { width, height, palette, random } = stage;
  const [accent, horizon] = [palette.accent, palette.sky[2]];
  const clouds = Array.from({ length: 9 }, (_, index) => ({
    x: width * (0.1 + 0.1 * index + random.between(-0.1, 0.1)),
    y: height * (0.75 - 0.07 * index + random.between(-0.12, 0.12)),
    radius: Math.max(width, height) * random.between(0.14, 0.32),
    color: random.pick([accent, horizon, turnHue(horizon, 50), turnHue(accent, -60)]),
  }));
  return {
    depth: 0,
    paint(pen) {
      band(pen, stage, 0, height, ['#04040c', mix('#04040c', palette.sky[0], 0.7)]);
      for (const { x, y, radius, color } of clouds) glow(pen, x, y, radius, color, 0.26);
    },
  };
}

function planet({ width, height, unit, light, palette, random }: Stage): Layer {
  const radius = light.radius * 2.3;
  const base = mix(palette.accent, palette.sky[2], 0.35);
  const tilt = random.between(-0.5, 0.5);
  const bands = Array.from({ length: 9 }, (_, index) => ({
    y: (index / 4.5 - 1) * radius,
    thick: radius * random.between(0.06, 0.2),
    color: random.pick([mix(base, '#ffffff', 0.28), turnHue(base, 25), mix(base, palette.ground, 0.35)]),
  }));
  const moon = light.x < width / 2 ? width * 0.82 : width * 0.16;
  return {
    depth: 0.08,
    motion: (seconds) => ({ y: unit * 0.8 * Math.sin(seconds * 0.5) }),
    paint(pen) {
      disc(pen, moon, height * 0.2, unit * 4, mix(palette.light, palette.sky[1], 0.35));
      disc(pen, moon + unit * 1.1, height * 0.2 + unit * 0.9, unit * 0.9, translucent(palette.sky[0], 0.25));
      disc(pen, moon - unit * 1.4, height * 0.2 - unit * 1.1, unit * 0.6, translucent(palette.sky[0], 0.25));
      pen.save();
      pen.translate(light.x, light.y);
      pen.rotate(tilt);
      glow(pen, 0, 0, radius * 1.6, base, 0.35);
      paintRings(pen, radius, base, Math.PI);
      pen.save();
      disc(pen, 0, 0, radius, base);
      pen.clip();
      for (const { y, thick, color } of bands) {
        pen.beginPath();
        pen.ellipse(0, y, radius * 1.2, thick, 0.04, 0, 2 * Math.PI);
        pen.fillStyle = translucent(color, 0.6);
        pen.fill();
      }
      const near = -radius * 0.35;
      const shadow = pen.createRadialGradient(near, near, radius * 0.3, near, near, radius * 1.45);
      shadow.addColorStop(0, 'rgba(0, 0, 0, 0)');
      shadow.addColorStop(1, 'rgba(0, 0, 10, 0.82)');
      pen.fillStyle = shadow;
      pen.fillRect(-radius, -radius, 2 * radius, 2 * radius);
      pen.restore();
      paintRings(pen, radius, base, 0);
      pen.restore();
    },
  };
}

/** Half of the rings, from this angle on: the other half passes behind the planet. */
function paintRings(pen: Pen, radius: number, base: Color, from: number): void {
  for (const [reach, thick, alpha] of [
    [1.55, 0.13, 0.75],
    [1.8, 0.08, 0.5],
    [1.98, 0.04, 0.35],
  ] as const) {
    pen.beginPath();
    pen.ellipse(0, 0, radius * reach, radius * reach * 0.24, 0, from, from + Math.PI);
    pen.lineWidth = radius * thick;
    pen.strokeStyle = translucent(mix(base, '#ffffff', 0.45), alpha);
    pen.stroke();
  }
}

function surface(stage: Stage, ground: Line): Layer {
  const { width, height, margin, unit, palette, random } = stage;
  const craters = Array.from({ length: 14 }, () => ({
    x: random.between(-margin, width + margin),
    down: random.between(0.25, 0.95),
    size: unit * random.between(1.5, 5),
  }));
  const dust = mix('#a7a4bd', palette.sky[2], 0.35);
  const dark = mix(dust, '#05050f', 0.6);
  return {
    depth: 0.95,
    paint(pen) {
      fillBelow(pen, stage, ground, vertical(pen, height * 0.8, height * 1.05, [dust, dark]));
      pen.fillStyle = translucent(dark, 0.75);
      pen.lineWidth = unit * 0.25;
      pen.strokeStyle = translucent('#ffffff', 0.2);
      for (const { x, down, size } of craters) {
        pen.beginPath();
        pen.ellipse(x, ground(x) + (height - ground(x)) * down, size, size * 0.32, 0, 0, 2 * Math.PI);
        pen.fill();
        pen.stroke();
      }
    },
  };
}
