import { mix, translucent } from '../color.ts';
import { disc, glow, type Layer, type Pen, type Stage, vertical } from '../stage.ts';

/** The sky with what shines in it: for every world that has one. */
export function sky(stage: Stage, stars: boolean): Layer[] {
  const layers = [backdrop(stage)];
  if (stars) layers.push(starField(stage, 0.3), starField(stage, 2.1));
  layers.push(lightBody(stage));
  return layers;
}

function backdrop(stage: Stage): Layer {
  const { width, height, margin, horizon, light, palette } = stage;
  return {
    depth: 0,
    paint(pen) {
      pen.fillStyle = vertical(pen, 0, horizon, palette.sky);
      pen.fillRect(-margin, 0, width + 2 * margin, height);
      const reach = Math.max(width, height) * (light.isMoon ? 0.45 : 0.75);
      glow(
        pen,
        light.x,
        light.y,
        reach,
        translucent(palette.light, light.isMoon ? 0.22 : 0.5),
        translucent(palette.light, 0),
      );
    },
  };
}

/** Two fields that grow bright and dim in turns make the sky twinkle. */
function starField(stage: Stage, phase: number): Layer {
  const { width, horizon, margin, unit, palette, random } = stage;
  const stars = Array.from({ length: Math.round((width / unit) * 0.8) }, () => ({
    x: random.between(-margin, width + margin),
    y: random.next() ** 1.4 * horizon * 0.95,
    size: unit * (0.08 + 0.22 * random.next() ** 4),
    alpha: random.between(0.35, 1),
  }));
  return {
    depth: 0,
    motion: (seconds) => ({ alpha: 0.72 + 0.28 * Math.sin(seconds * 2.2 + phase) }),
    paint(pen) {
      for (const { x, y, size, alpha } of stars) {
        disc(pen, x, y, size, translucent(palette.light, alpha * (1 - (0.6 * y) / horizon)));
        if (size > unit * 0.22) sparkle(pen, x, y, size * 5, translucent(palette.light, 0.75));
      }
    },
  };
}

function sparkle(pen: Pen, x: number, y: number, reach: number, fill: string): void {
  pen.beginPath();
  for (let corner = 0; corner < 8; corner++) {
    const radius = corner % 2 === 0 ? reach : reach * 0.08;
    const angle = (corner * Math.PI) / 4;
    pen.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
  }
  pen.closePath();
  pen.fillStyle = fill;
  pen.fill();
}

function lightBody(stage: Stage): Layer {
  const { light, palette, random } = stage;
  const craters = Array.from({ length: 6 }, () => ({
    angle: random.between(0, 2 * Math.PI),
    distance: random.between(0.1, 0.72),
    size: random.between(0.07, 0.2),
  }));
  return {
    depth: 0.02,
    paint(pen) {
      const { x, y, radius } = light;
      for (const [reach, alpha] of [
        [2.5, 0.1],
        [1.85, 0.13],
        [1.35, 0.2],
      ] as const) {
        disc(pen, x, y, radius * reach, translucent(palette.light, light.isMoon ? alpha * 0.5 : alpha));
      }
      disc(pen, x, y, radius, palette.light);
      if (!light.isMoon) return;
      const shadow = translucent(mix(palette.light, palette.sky[1], 0.5), 0.28);
      for (const { angle, distance, size } of craters) {
        disc(
          pen,
          x + radius * distance * Math.cos(angle),
          y + radius * distance * Math.sin(angle),
          radius * size,
          shadow,
        );
      }
    },
  };
}

/** Flat-bottomed clouds that drift slowly; `count` of them between the top and `lowest`. */
export function clouds(stage: Stage, count: number, lowest: number): Layer[] {
  return [0.06, 0.14].map((depth, row) => ({
    depth,
    motion: (seconds: number) => ({ x: seconds * stage.unit * (0.3 + row * 0.35) }),
    paint: cloudRow(stage, Math.ceil(count / 2), lowest * (0.45 + 0.5 * row), row),
  }));
}

function cloudRow(stage: Stage, count: number, level: number, row: number): (pen: Pen) => void {
  const { width, margin, unit, palette, random } = stage;
  const span = (width + 2 * margin) / count;
  const placed = Array.from({ length: count }, (_, index) => ({
    x: -margin + span * (index + random.between(0.1, 0.9)),
    y: level * random.between(0.45, 1),
    size: unit * random.between(9, 17) * (0.8 + 0.4 * row),
    puffs: Array.from({ length: 5 }, () => random.next()),
  }));
  const lit = mix(palette.light, palette.sky[2], 0.35);
  return (pen) => {
    for (const { x, y, size, puffs } of placed) paintCloud(pen, x, y, size, puffs, lit);
  };
}

function paintCloud(
  pen: Pen,
  x: number,
  y: number,
  size: number,
  puffs: readonly number[],
  color: `#${string}`,
): void {
  pen.beginPath();
  for (const [index, puff] of puffs.entries()) {
    const offset = (index / (puffs.length - 1) - 0.5) * 2;
    const radius = size * (0.16 + 0.3 * (1 - Math.abs(offset)) + 0.1 * puff);
    const middle = x + offset * size * 0.8;
    pen.moveTo(middle - radius, y);
    pen.arc(middle, y, radius, Math.PI, 0);
  }
  pen.roundRect(x - size * 1.15, y - size * 0.12, size * 2.3, size * 0.24, size * 0.12);
  pen.fillStyle = vertical(pen, y - size * 0.55, y + size * 0.12, [
    translucent(color, 0.92),
    translucent(color, 0.3),
  ]);
  pen.fill();
}
