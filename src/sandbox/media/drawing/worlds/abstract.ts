import { type Color, mix, translucent, turnHue } from '../colors.ts';
import { band, fillBelow, type Layer, type Scenery, type Stage, vertical } from '../stage.ts';
import { hillLine } from './terrain.ts';

/** For prompts without a known motif: one of two kinds of abstract shapes. */
export function abstract(stage: Stage): Scenery {
  const { height, palette, random } = stage;
  const base: Layer = {
    depth: 0,
    paint: (pen) => band(pen, stage, 0, height, [palette.sky[1], palette.sky[2]]),
  };
  const shapes = random.pick([ribbons, circles])(stage);
  return { layers: [base, ...shapes], ground: () => height * 0.84, depth: 0.9 };
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

/** Overlapping discs and rings, like a mobile. */
function circles(stage: Stage): Layer[] {
  const { width, height, unit, random } = stage;
  return Array.from({ length: 5 }, (_, sheet): Layer => {
    const placed = Array.from({ length: 4 }, () => ({
      x: random.between(0, width),
      y: random.between(0.05, 0.95) * height,
      radius: unit * random.between(7, 30) * (1.2 - 0.14 * sheet),
      color: anyColor(stage),
      isRing: random.chance(0.4),
    }));
    return {
      depth: 0.15 + 0.18 * sheet,
      motion: (seconds) => ({
        x: unit * 2.5 * Math.sin(seconds * 0.6 + sheet * 1.3),
        y: unit * 3.5 * Math.cos(seconds * 0.5 + sheet),
      }),
      paint(pen) {
        for (const { x, y, radius, color, isRing } of placed) {
          pen.beginPath();
          pen.arc(x, y, radius, 0, 2 * Math.PI);
          pen.lineWidth = radius * 0.22;
          pen.strokeStyle = translucent(color, 0.85);
          pen.fillStyle = translucent(color, 0.72);
          if (isRing) pen.stroke();
          else pen.fill();
        }
      },
    };
  });
}
