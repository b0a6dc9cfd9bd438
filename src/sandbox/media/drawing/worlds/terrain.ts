import { type Color, mix, translucent } from '../color.ts';
import { type Random, smoothNoise } from '../random.ts';
import { fillBelow, type Layer, type Stage, vertical } from '../stage.ts';

/** The color of ground at a depth: the farther, the more of the horizon is in it. */
export function hazy(stage: Stage, depth: number): Color {
  return mix(
    stage.palette.ground,
    mix(stage.palette.sky[2], stage.palette.sky[1], 0.45),
    (1 - depth) ** 1.25,
  );
}

/** The outline of a range of hills around `level`, as high and as wide as asked. */
export function hillLine(
  random: Random,
  level: number,
  height: number,
  length: number,
): (x: number) => number {
  const noise = smoothNoise(random, 3);
  const shift = random.between(0, 200);
  return (x) => level - height * noise(x / length + shift);
}

/** A range of hills that fades into mist towards its foot. */
export function hill(stage: Stage, depth: number, line: (x: number) => number, top: number): Layer {
  const color = hazy(stage, depth);
  const foot = mix(color, stage.palette.sky[2], 0.35 * (1 - depth));
  return {
    depth,
    paint(pen) {
      fillBelow(
        pen,
        stage,
        line,
        vertical(pen, top, stage.height, [mix(color, stage.palette.light, 0.06), foot]),
      );
    },
  };
}

/** A ragged fringe of grass along a line. */
export function grass(stage: Stage, depth: number, line: (x: number) => number, height: number): Layer {
  const { random, unit, margin, width, palette } = stage;
  const blades: { x: number; lean: number; tall: number; lit: boolean }[] = [];
  for (let x = -margin; x < width + margin; x += unit * random.between(0.35, 0.8)) {
    blades.push({
      x,
      lean: random.between(-0.5, 0.5),
      tall: height * random.between(0.3, 1),
      lit: random.chance(0.16),
    });
  }
  const color = hazy(stage, depth);
  return {
    depth,
    paint(pen) {
      for (const lit of [false, true]) {
        pen.beginPath();
        for (const blade of blades) {
          if (blade.lit !== lit) continue;
          const y = line(blade.x) + unit;
          pen.moveTo(blade.x - unit * 0.22, y);
          pen.quadraticCurveTo(
            blade.x,
            y - blade.tall * 0.6,
            blade.x + blade.lean * blade.tall,
            y - blade.tall - unit,
          );
          pen.quadraticCurveTo(blade.x + unit * 0.3, y - blade.tall * 0.5, blade.x + unit * 0.25, y);
        }
        pen.fillStyle = lit ? mix(color, palette.light, 0.2) : color;
        pen.fill();
      }
    },
  };
}

/** A veil of mist that drifts sideways between two ranges. */
export function mist(stage: Stage, depth: number, level: number, thickness: number, strength: number): Layer {
  const { width, margin, palette } = stage;
  const clear = translucent(palette.sky[2], 0);
  return {
    depth,
    paint(pen) {
      const colors = [clear, translucent(palette.sky[2], strength), clear];
      pen.fillStyle = vertical(pen, level - thickness, level + thickness, colors);
      pen.fillRect(-margin, level - thickness, width + 2 * margin, 2 * thickness);
    },
  };
}
