import { mix, translucent } from '../color.ts';
import { type Layer, type Pen, type Stage, vertical } from '../stage.ts';
import { hazy } from './terrain.ts';

/** A row of pines along a line; `tall` is the height of the highest. */
export function pineRow(
  stage: Stage,
  depth: number,
  line: (x: number) => number,
  tall: number,
  gap = 0.42,
): Layer {
  const { margin, width, random, palette } = stage;
  const trees: { x: number; tall: number; slim: number }[] = [];
  for (let x = -margin - tall; x < width + margin + tall; x += tall * gap * random.between(0.35, 1.4)) {
    trees.push({ x, tall: tall * random.between(0.5, 1), slim: random.between(0.3, 0.42) });
  }
  const color = hazy(stage, depth);
  return {
    depth,
    paint(pen) {
      for (const tree of trees) {
        const foot = line(tree.x) + tree.tall * 0.13;
        const fill = vertical(pen, foot - tree.tall, foot, [mix(color, palette.light, 0.1), color]);
        pine(pen, tree.x, foot, tree.tall, tree.slim, fill);
      }
    },
  };
}

/** A pine of seven ragged storeys, its foot at `x`, `foot`. */
function pine(pen: Pen, x: number, foot: number, tall: number, slim: number, fill: Pen['fillStyle']): void {
  const storeys = 7;
  const half = tall * slim;
  pen.beginPath();
  pen.moveTo(x, foot - tall);
  for (const side of [1, -1]) {
    for (let index = 0; index < storeys; index++) {
      const storey = side === 1 ? index : storeys - 1 - index;
      const spread = half * ((storey + 1.2) / storeys) ** 0.9;
      const low = foot - tall * (0.9 - 0.84 * ((storey + 1) / storeys));
      const inner = [x + side * spread * 0.45, low - tall * 0.035] as const;
      const outer = [x + side * spread, low] as const;
      for (const [px, py] of side === 1 ? [outer, inner] : [inner, outer]) pen.lineTo(px, py);
    }
    if (side === 1) {
      pen.lineTo(x + tall * 0.025, foot - tall * 0.05);
      pen.lineTo(x + tall * 0.025, foot);
      pen.lineTo(x - tall * 0.025, foot);
      pen.lineTo(x - tall * 0.025, foot - tall * 0.05);
    }
  }
  pen.closePath();
  pen.fillStyle = fill;
  pen.fill();
}

/** Great dark pines at both edges that frame the view. */
export function framingPines(stage: Stage, depth: number): Layer {
  const { width, height, unit, random, palette } = stage;
  const color = hazy(stage, depth);
  const placed = [-0.02, 0.09, 0.93, 1.03].map((part) => ({
    x: width * part + unit * random.between(-4, 4),
    tall: unit * random.between(64, 92),
    slim: random.between(0.24, 0.3),
  }));
  return {
    depth,
    paint(pen) {
      for (const { x, tall, slim } of placed) {
        const foot = height * 0.95;
        pine(
          pen,
          x,
          foot,
          tall,
          slim,
          vertical(pen, foot - tall, foot, [mix(color, palette.light, 0.08), color]),
        );
      }
    },
  };
}

/** Slanting shafts of light between trees. */
export function lightShafts(stage: Stage, depth: number): Layer {
  const { width, height, light, unit, palette, random } = stage;
  const shafts = Array.from({ length: 6 }, (_, index) => ({
    angle: (index / 5 - 0.5) * 1.5 + random.between(-0.1, 0.1),
    wide: random.between(0.03, 0.09),
  }));
  const reach = Math.max(width, height) * 1.2;
  return {
    depth,
    motion: (seconds) => ({ alpha: 0.75 + 0.25 * Math.sin(seconds * 0.9) }),
    paint(pen) {
      const gradient = pen.createRadialGradient(light.x, light.y, unit * 4, light.x, light.y, reach);
      gradient.addColorStop(0, translucent(palette.light, 0.3));
      gradient.addColorStop(1, translucent(palette.light, 0));
      pen.fillStyle = gradient;
      for (const { angle, wide } of shafts) {
        pen.beginPath();
        pen.moveTo(light.x, light.y);
        pen.lineTo(light.x + reach * Math.sin(angle - wide), light.y + reach * Math.cos(angle - wide));
        pen.lineTo(light.x + reach * Math.sin(angle + wide), light.y + reach * Math.cos(angle + wide));
        pen.fill();
      }
    },
  };
}
