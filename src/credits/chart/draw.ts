import { createCanvas, GlobalFonts, type SKRSContext2D } from '@napi-rs/canvas';
import type { Bar, ChartAnswer, ChartOrder, ChartTheme } from './chart.ts';

/** Sizes in CSS pixels; the image has twice the density. */
const width = 760;
const rowHeight = 38;
const barHeight = 27;
const frame = { top: 60, bottom: 30, side: 20 };
/** Longer labels are squeezed, so that the bars keep half of the width. */
const labelWidth = 320;
const density = 2;

interface Colours {
  readonly ground: string;
  readonly text: string;
  readonly line: string;
  readonly bar: string;
}

/**
 * One hue on its background: no information depends on hue, so everybody can read it. A range is shown by hatching,
 * and every number is written out. Text contrast is over 7:1, bars over 3:1.
 */
const colours: Record<ChartTheme, Colours> = {
  light: { ground: '#ffffff', text: '#1f2328', line: '#d5d9de', bar: '#0072b2' },
  dark: { ground: '#1b1d21', text: '#e9eaec', line: '#3b3f46', bar: '#56b4e9' },
};

/** The canvas and its drawing settings. */
interface Page {
  readonly context: SKRSContext2D;
  readonly font: string;
  readonly colour: Colours;
  readonly hatched: SKRSContext2D['fillStyle'];
  readonly canWrite: (text: string) => boolean;
}

/** Draws a chart; see {@link ChartOrder}. */
export async function draw(order: ChartOrder): Promise<ChartAnswer> {
  const font = chartFont();
  const canWrite = glyphCheck(font);
  if (!canWrite('0123456789')) return { labelled: false };
  const height = frame.top + order.bars.length * rowHeight + frame.bottom;
  const canvas = createCanvas(width * density, height * density);
  const context = canvas.getContext('2d');
  const colour = colours[order.theme];
  const page: Page = { context, font, colour, hatched: hatching(context, colour), canWrite };
  context.scale(density, density);
  context.fillStyle = colour.ground;
  context.fillRect(0, 0, width, height);
  context.textBaseline = 'middle';
  context.strokeStyle = colour.bar;
  context.lineWidth = 1.5;
  drawHead(page, order);
  const labels = order.bars.map(({ label }, index) => labelOf(index, label, canWrite));
  const texts = labels.map(({ text }) => text);
  drawBars(page, order, texts);
  return { png: await canvas.encode('png'), labelled: labels.every(({ whole }) => whole) };
}

interface Label {
  readonly text: string;
  /** False if only the number could be written. */
  readonly whole: boolean;
}

function labelOf(index: number, label: string, canWrite: (text: string) => boolean): Label {
  const whole = canWrite(label);
  const characters = [...label];
  const short = characters.length > 24 ? `${characters.slice(0, 23).join('')}…` : label;
  return { text: whole ? `${index + 1}  ${short}`.trimEnd() : `${index + 1}`, whole };
}

function drawBars(page: Page, { bars, locale }: ChartOrder, labels: readonly string[]): void {
  const { context, font, colour, hatched } = page;
  context.font = `14px ${font}`;
  const figures = figuresOf(bars, locale);
  const left = frame.side + Math.min(widest(context, labels), labelWidth) + 14;
  const right = width - frame.side - widest(context, figures) - 8;
  const ticks = ticksTo(Math.max(...bars.map(({ high }) => high)));
  const scale = (right - left) / (ticks.at(-1) ?? 1);
  drawAxis(page, { ticks, locale, at: (tick) => left + tick * scale, rows: bars.length });
  context.font = `14px ${font}`;
  context.textAlign = 'left';
  for (const [index, { low, high }] of bars.entries()) {
    const y = frame.top + (index + 0.5) * rowHeight;
    const [certain, end] = [left + low * scale, left + high * scale];
    drawBox(page, { x: left, y, width: certain - left, height: barHeight, fill: colour.bar });
    drawBox(page, { x: certain, y, width: end - certain, height: barHeight, fill: hatched });
    const figure = figures[index] ?? '';
    context.fillStyle = colour.ground;
    context.fillRect(end + 4, y - 10, context.measureText(figure).width + 8, 20);
    context.fillStyle = colour.text;
    context.fillText(figure, end + 8, y);
    context.fillText(labels[index] ?? '', frame.side, y, labelWidth);
  }
}

interface Axis {
  readonly ticks: readonly number[];
  readonly locale: string;
  readonly at: (tick: number) => number;
  readonly rows: number;
}

/** The lines behind the bars, with their numbers below. */
function drawAxis({ context, font, colour }: Page, { ticks, locale, at, rows }: Axis): void {
  const height = rows * rowHeight;
  const figure = new Intl.NumberFormat(locale, { maximumSignificantDigits: 6 });
  context.font = `12px ${font}`;
  context.textAlign = 'center';
  for (const tick of ticks) {
    context.fillStyle = colour.line;
    context.fillRect(at(tick) - 0.5, frame.top, 1, height + 4);
    context.fillStyle = colour.text;
    context.fillText(figure.format(tick), at(tick), frame.top + height + 15);
  }
}

interface Box {
  readonly x: number;
  /** Vertical middle. */
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly fill: SKRSContext2D['fillStyle'];
}

function drawBox({ context }: Page, { x, y, width, height, fill }: Box): void {
  if (width <= 0) return;
  context.fillStyle = fill;
  context.fillRect(x, y - height / 2, width, height);
  context.strokeRect(x, y - height / 2, width, height);
}

function figuresOf(bars: readonly Bar[], locale: string): string[] {
  const figure = (credits: number) =>
    new Intl.NumberFormat(locale, { maximumFractionDigits: credits < 10 ? 2 : credits < 100 ? 1 : 0 }).format(
      credits,
    );
  return bars.map(({ low, high }) => (high > low ? `${figure(low)}–${figure(high)}` : figure(high)));
}

function widest(context: SKRSContext2D, texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => context.measureText(text).width));
}

/** Hatching: more may have been used, up to here. */
function hatching(context: SKRSContext2D, { ground, bar }: Colours): Page['hatched'] {
  const tile = createCanvas(16, 16);
  const lines = tile.getContext('2d');
  lines.fillStyle = ground;
  lines.fillRect(0, 0, 16, 16);
  lines.strokeStyle = bar;
  lines.lineWidth = 2.5;
  for (const offset of [-16, -8, 0, 8, 16]) {
    lines.moveTo(offset - 4, 20);
    lines.lineTo(offset + 20, -4);
  }
  lines.stroke();
  return context.createPattern(tile, 'repeat') ?? bar;
}

/** The title, and a legend if a bar has a range. */
function drawHead(page: Page, { title, legend, bars }: ChartOrder): void {
  const { context, font, colour, hatched, canWrite } = page;
  context.fillStyle = colour.text;
  context.font = `600 16px ${font}`;
  if (canWrite(title)) context.fillText(title, frame.side, 28);
  const ranged = bars.some(({ low, high }) => high > low);
  if (!ranged || !canWrite(legend.low + legend.high)) return;
  context.font = `13px ${font}`;
  let x = width - frame.side;
  for (const [text, fill] of [
    [legend.high, hatched],
    [legend.low, colour.bar],
  ] as const) {
    x -= context.measureText(text).width;
    context.fillStyle = colour.text;
    context.fillText(text, x, 28);
    x -= 22;
    drawBox(page, { x, y: 28, width: 14, height: 14, fill });
    x -= 18;
  }
}

/** Fonts in order of preference, those with many scripts first. */
const preferred = [
  'Noto Sans CJK SC',
  'Noto Sans SC',
  'Source Han Sans SC',
  'PingFang SC',
  'Microsoft YaHei',
  'Noto Sans CJK JP',
  'WenQuanYi Micro Hei',
  'WenQuanYi Zen Hei',
  'Droid Sans Fallback',
  'Noto Sans',
  'Liberation Sans',
  'DejaVu Sans',
  'Helvetica Neue',
  'Arial',
];

/** The font for charts; missing characters are drawn with any other installed font. */
function chartFont(): string {
  const installed = new Set(GlobalFonts.families.map(({ family }) => family));
  const family = preferred.find((name) => installed.has(name)) ?? GlobalFonts.families[0]?.family;
  return family === undefined ? 'sans-serif' : `"${family}", sans-serif`;
}

const size = 24;
/** A character that no font has: all missing characters are drawn like it. */
const missing = '\u{10FFFD}';
const invisible = /[\p{White_Space}\p{Mark}\p{Cf}]/u;

/** Checks which texts can be drawn on this machine without a missing-glyph box. */
function glyphCheck(font: string): (text: string) => boolean {
  const context = createCanvas(size, size).getContext('2d');
  const picture = (character: string) => {
    context.clearRect(0, 0, size, size);
    context.font = `${size * 0.6}px ${font}`;
    context.fillText(character, 2, size * 0.75);
    return Buffer.from(context.getImageData(0, 0, size, size).data).toString('base64');
  };
  const empty = [picture(' '), picture(missing)];
  const known = new Map<string, boolean>();
  const has = (character: string) => {
    const answer = known.get(character) ?? (invisible.test(character) || !empty.includes(picture(character)));
    known.set(character, answer);
    return answer;
  };
  return (text) => [...text].every(has);
}

/** Values of a chart's axis lines: two to six round numbers from 0, the last not below `highest`. */
export function ticksTo(highest: number): number[] {
  const end = highest > 0 ? highest : 1;
  const rough = end / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  return Array.from({ length: Math.ceil(end / step) + 1 }, (_, index) => index * step);
}
