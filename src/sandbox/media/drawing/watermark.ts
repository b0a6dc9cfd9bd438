import type { Pen } from './stage.ts';

/** The letters as strokes on a 4 × 6 grid, for machines without fonts. */
const letters: Readonly<Record<string, readonly (readonly [number, number])[][]>> = {
  S: [
    [
      [4, 0.6],
      [3.2, 0],
      [0.8, 0],
      [0, 0.8],
      [0, 2.1],
      [0.8, 3],
      [3.2, 3],
      [4, 3.9],
      [4, 5.2],
      [3.2, 6],
      [0.8, 6],
      [0, 5.4],
    ],
  ],
  A: [
    [
      [0, 6],
      [2, 0],
      [4, 6],
    ],
    [
      [0.8, 4],
      [3.2, 4],
    ],
  ],
  N: [
    [
      [0, 6],
      [0, 0],
      [4, 6],
      [4, 0],
    ],
  ],
  D: [
    [
      [0, 0],
      [0, 6],
      [2.4, 6],
      [4, 4.6],
      [4, 1.4],
      [2.4, 0],
      [0, 0],
    ],
  ],
  B: [
    [
      [0, 3],
      [0, 0],
      [2.8, 0],
      [3.8, 0.8],
      [3.8, 2.2],
      [2.8, 3],
      [0, 3],
      [0, 6],
      [3, 6],
      [4, 5.1],
      [4, 3.9],
      [3, 3],
    ],
  ],
  O: [
    [
      [1, 0],
      [3, 0],
      [4, 1.2],
      [4, 4.8],
      [3, 6],
      [1, 6],
      [0, 4.8],
      [0, 1.2],
      [1, 0],
    ],
  ],
  X: [
    [
      [0, 0],
      [4, 6],
    ],
    [
      [4, 0],
      [0, 6],
    ],
  ],
};
const word = 'SANDBOX';
const advance = 6;
const grid = { wide: word.length * advance - 2, tall: 6 };

/** Draws the SANDBOX watermark in the upper left corner; `unit` is 1 % of the shorter side. */
export function paintMark(pen: Pen, unit: number): void {
  const scale = unit * 0.44;
  const padding = { x: unit * 1.9, y: unit * 1.5 };
  const [left, top] = [unit * 3, unit * 3];
  pen.save();
  pen.beginPath();
  pen.roundRect(left, top, grid.wide * scale + 2 * padding.x, grid.tall * scale + 2 * padding.y, unit * 1.4);
  pen.fillStyle = 'rgba(8, 10, 18, 0.62)';
  pen.fill();
  pen.translate(left + padding.x, top + padding.y);
  pen.scale(scale, scale);
  pen.lineWidth = 1.05;
  pen.lineCap = 'round';
  pen.lineJoin = 'round';
  pen.strokeStyle = '#ffffff';
  for (const [index, letter] of [...word].entries()) paintLetter(pen, letters[letter] ?? [], index * advance);
  pen.restore();
}

function paintLetter(
  pen: Pen,
  strokes: readonly (readonly (readonly [number, number])[])[],
  left: number,
): void {
  pen.beginPath();
  for (const stroke of strokes) {
    for (const [index, [x, y]] of stroke.entries()) {
      if (index === 0) pen.moveTo(left + x, y);
      else pen.lineTo(left + x, y);
    }
  }
  pen.stroke();
}
