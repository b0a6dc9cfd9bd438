import { createCanvas, loadImage } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { ticksTo } from '../../../src/credits/chart/draw.ts';
import { type ChartOrder, drawChart } from '../../../src/credits/index.ts';

const order: ChartOrder = {
  title: 'Credits today, by person',
  legend: { low: 'at least', high: 'at most' },
  bars: [
    { label: 'Ann', low: 310, high: 690 },
    { label: 'Bob', low: 120, high: 120 },
  ],
  theme: 'light',
  locale: 'en',
};

/** Colours of an image, by how many pixels have them. */
async function coloursOf(png: Uint8Array) {
  const image = await loadImage(Buffer.from(png));
  const context = createCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  const counts = new Map<string, number>();
  for (let at = 0; at < data.length; at += 4) {
    const colour = `${data[at]},${data[at + 1]},${data[at + 2]}`;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  return { counts, width: image.width, height: image.height };
}

const luminance = (colour: string) => {
  const [r = 0, g = 0, b = 0] = colour.split(',').map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (one: string, other: string) => {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
};

describe('a chart', () => {
  it.each([
    ['light', '255,255,255', '0,114,178'],
    ['dark', '27,29,33', '86,180,233'],
  ] as const)('that is %s stands on its own ground, bars well apart from it', async (theme, ground, bar) => {
    const { png, labelled } = await drawChart({ ...order, theme });
    const { counts, width, height } = await coloursOf(png!);
    expect(labelled).toBe(true);
    expect([width, height]).toEqual([1_520, 2 * (50 + 2 * 38 + 40)]);
    expect([...counts].toSorted(([, one], [, other]) => other - one).map(([colour]) => colour)[0]).toBe(
      ground,
    );
    expect(counts.get(bar)).toBeGreaterThan(10_000);
    expect(contrast(ground, bar)).toBeGreaterThan(3);
  });

  it('shows by its hatching how much of a bar is certain', async () => {
    const bars = (low: number) => [{ label: 'Ann', low, high: 600 }];
    const solid = await coloursOf((await drawChart({ ...order, bars: bars(600) })).png!);
    const half = await coloursOf((await drawChart({ ...order, bars: bars(300) })).png!);
    const blue = (counts: Map<string, number>) => counts.get('0,114,178') ?? 0;
    expect(blue(half.counts)).toBeLessThan(blue(solid.counts) * 0.9);
    expect(blue(half.counts)).toBeGreaterThan(blue(solid.counts) * 0.5);
  });

  it.each([
    [690, [0, 200, 400, 600, 800]],
    [1_000, [0, 200, 400, 600, 800, 1_000]],
    [123_456, [0, 50_000, 100_000, 150_000]],
    [1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [0.004, [0, 0.001, 0.002, 0.003, 0.004]],
    [0, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  ])('has round figures on its axis, for bars up to %d', (highest, figures) => {
    const ticks = ticksTo(highest);
    expect(ticks).toHaveLength(figures.length);
    for (const [index, figure] of figures.entries()) expect(ticks[index]).toBeCloseTo(figure, 9);
  });

  it('shows the smallest bar there is, and none where nothing was used', async () => {
    const bars = (low: number) => [
      { label: '', low: 1_000, high: 1_000 },
      { label: '', low, high: low },
    ];
    const blueBelow = async (low: number) => {
      const { png } = await drawChart({ ...order, bars: bars(low) });
      const image = await loadImage(Buffer.from(png!));
      const context = createCanvas(image.width, image.height).getContext('2d');
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 2 * (60 + 38), image.width, 2 * 38);
      return data.some((_, at) => at % 4 === 0 && `${data.slice(at, at + 3)}` === '0,114,178');
    };
    expect(await blueBelow(0.01)).toBe(true);
    expect(await blueBelow(0)).toBe(false);
  });

  it('numbers the bars whose names no font here can write, and draws no empty boxes', async () => {
    const unwritable = '\u{10FFFD}\u0378';
    const without = await drawChart({ ...order, bars: [{ label: '', low: 1, high: 1 }] });
    const missing = await drawChart({ ...order, bars: [{ label: unwritable, low: 1, high: 1 }] });
    expect(missing.labelled).toBe(false);
    const pixels = async (png: Uint8Array | undefined) => (await coloursOf(png!)).counts;
    expect(await pixels(missing.png)).toEqual(await pixels(without.png));
  });

  it('is drawn beside one other, and not where twenty wait', async () => {
    const threads = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
    const before = threads();
    const drawn = Promise.all(Array.from({ length: 30 }, () => drawChart(order)));
    expect(await drawChart(order)).toEqual({ labelled: false });
    expect(threads() - before).toBeLessThanOrEqual(2);
    expect((await drawn).filter(({ png }) => png)).toHaveLength(22);
  });

  it('does not fail at names of any length and script', async () => {
    const bars = ['', 'x'.repeat(500), '👩‍👩‍👧‍👦'.repeat(40), 'ضصثق', '設計討論', 'a\u0301\u0323'].map((label) => ({
      label,
      low: 0,
      high: 0.004,
    }));
    const { png } = await drawChart({ ...order, bars });
    expect(Buffer.from(png!).subarray(1, 4).toString()).toBe('PNG');
  });
});
