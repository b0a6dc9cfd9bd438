import { type Color, mix, translucent, turnHue } from '../color.ts';
import type { Scenery } from '../scenery.ts';
import { across, disc, type Layer, type Pen, type Stage, vertical } from '../stage.ts';
import { hillLine } from './terrain.ts';

/** For prompts without a known motif: one of three kinds of abstract shapes. */
export function abstract(stage: Stage): Scenery {
  const { height, width, margin, palette, random } = stage;
  const base: Layer = {
    depth: 0,
    paint(pen) {
      pen.fillStyle = vertical(pen, 0, height, [palette.sky[1], palette.sky[2]]);
      pen.fillRect(-margin, 0, width + 2 * margin, height);
    },
  };
  const shapes = random.pick([ribbons, circles, quilt])(stage);
  return { behind: [base, ...shapes], ground: () => height * 0.84, depth: 0.9, front: [] };
}

function colors({ palette }: Stage): readonly [Color, ...Color[]] {
  const [zenith, middle, horizon] = palette.sky;
  return [
    palette.accent,
    zenith,
    mix(middle, palette.light, 0.3),
    palette.light,
    palette.ground,
    turnHue(palette.accent, 40),
    mix(horizon, palette.accent, 0.4),
    turnHue(zenith, -30),
  ];
}

/** Broad bands that flow across like folded paper. */
function ribbons(stage: Stage): Layer[] {
  const { height, unit, random } = stage;
  const count = random.whole(7, 10);
  return Array.from({ length: count }, (_, index) => {
    const part = index / count;
    const line = hillLine(
      random,
      height * (0.1 + 0.92 * part),
      unit * random.between(7, 15),
      unit * random.between(32, 60),
    );
    const color = mix(random.pick(colors(stage)), stage.palette.ground, 0.08 + 0.3 * part);
    return {
      depth: 0.1 + 0.85 * part,
      motion: (seconds: number) => ({ y: unit * 2 * Math.sin(seconds * 0.7 + index) }),
      paint: (pen: Pen) => {
        pen.save();
        pen.shadowColor = 'rgba(0, 0, 0, 0.28)';
        pen.shadowBlur = unit * 3;
        pen.shadowOffsetY = -unit * 0.6;
        pen.beginPath();
        pen.moveTo(-stage.margin - unit * 9, height * 1.2);
        for (const x of across(stage, unit / 2)) pen.lineTo(x, line(x));
        pen.lineTo(stage.width + stage.margin + unit * 9, height * 1.2);
        pen.closePath();
        pen.fillStyle = vertical(pen, height * part * 0.8, height, [
          mix(color, stage.palette.light, 0.14),
          color,
        ]);
        pen.fill();
        pen.restore();
      },
    };
  });
}

/** Overlapping discs and rings, like a mobile. */
function circles(stage: Stage): Layer[] {
  const { width, height, unit, random } = stage;
  return Array.from({ length: 5 }, (_, sheet) => {
    const placed = Array.from({ length: 4 }, () => ({
      x: random.between(0, width),
      y: random.between(0.05, 0.95) * height,
      radius: unit * random.between(7, 30) * (1.2 - 0.14 * sheet),
      color: random.pick(colors(stage)),
      isRing: random.chance(0.4),
    }));
    return {
      depth: 0.15 + 0.18 * sheet,
      motion: (seconds: number) => ({
        x: unit * 2.5 * Math.sin(seconds * 0.6 + sheet * 1.3),
        y: unit * 3.5 * Math.cos(seconds * 0.5 + sheet),
      }),
      paint: (pen: Pen) => {
        for (const { x, y, radius, color, isRing } of placed) {
          if (!isRing) {
            disc(pen, x, y, radius, translucent(color, 0.72));
            continue;
          }
          pen.lineWidth = radius * 0.22;
          pen.strokeStyle = translucent(color, 0.85);
          pen.beginPath();
          pen.arc(x, y, radius, 0, 2 * Math.PI);
          pen.stroke();
        }
      },
    };
  });
}

/** Tiles with quarter circles and half squares. */
function quilt(stage: Stage): Layer[] {
  const { width, height, margin, unit, random } = stage;
  const size = 2 * Math.ceil((unit * 50) / random.whole(4, 7));
  const columns = Math.ceil((width + 2 * margin) / size);
  const rows = Math.ceil(height / size);
  const tiles = Array.from({ length: columns * rows }, (_, index) => ({
    x: (index % columns) * size - margin,
    y: Math.floor(index / columns) * size,
    back: random.pick(colors(stage)),
    front: random.pick(colors(stage)),
    turn: random.whole(0, 3),
    shape: random.pick(['quarter', 'quarter', 'rings', 'half', 'disc']),
  }));
  return [0, 1].map((parity) => ({
    depth: 0.35,
    motion: (seconds: number) => ({ y: parity === 0 ? 0 : unit * 0.9 * Math.sin(seconds * 0.9) }),
    paint: (pen: Pen) => {
      for (const [index, tile] of tiles.entries()) {
        if ((Math.floor(index / columns) + index) % 2 === parity) paintTile(pen, tile, size);
      }
    },
  }));
}

interface Tile {
  readonly x: number;
  readonly y: number;
  readonly back: Color;
  readonly front: Color;
  readonly turn: number;
  readonly shape: string;
}

function paintTile(pen: Pen, { x, y, back, front, turn, shape }: Tile, size: number): void {
  pen.save();
  pen.translate(x + size / 2, y + size / 2);
  pen.rotate((turn * Math.PI) / 2);
  pen.fillStyle = back;
  pen.fillRect(-size / 2, -size / 2, size, size);
  pen.fillStyle = front;
  pen.beginPath();
  if (shape === 'half') {
    pen.moveTo(-size / 2, -size / 2);
    pen.lineTo(size / 2, -size / 2);
    pen.lineTo(-size / 2, size / 2);
  } else if (shape === 'disc') {
    pen.arc(0, 0, size * 0.3, 0, 2 * Math.PI);
  } else {
    pen.moveTo(-size / 2, -size / 2);
    pen.arc(-size / 2, -size / 2, size, 0, Math.PI / 2);
  }
  pen.fill();
  if (shape === 'rings') {
    pen.fillStyle = back;
    pen.beginPath();
    pen.moveTo(-size / 2, -size / 2);
    pen.arc(-size / 2, -size / 2, size * 0.6, 0, Math.PI / 2);
    pen.fill();
  }
  pen.restore();
}
