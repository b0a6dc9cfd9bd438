import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { BarController, BarElement, CategoryScale, Chart, LinearScale } from 'chart.js';
import type { Bar, ChartAnswer, ChartOrder, ChartTheme } from './chart.ts';
import { chartFont, glyphCheck } from './glyphs.ts';

/** Sizes in pixels of a screen with one pixel a point; the image has twice as many. */
const width = 760;
const rowHeight = 38;
const frame = { top: 50, bottom: 40, side: 20 };
const density = 2;

interface Colours {
  readonly ground: string;
  readonly text: string;
  readonly line: string;
  readonly bar: string;
}

/**
 * One hue against its ground: nothing is told by hue, so that it reads alike for everybody. The range is told
 * by its hatching, and every figure is written out. Contrast of text is over 7:1, of bars over 3:1.
 */
const colours: Record<ChartTheme, Colours> = {
  light: { ground: '#ffffff', text: '#1f2328', line: '#d5d9de', bar: '#0072b2' },
  dark: { ground: '#1b1d21', text: '#e9eaec', line: '#3b3f46', bar: '#56b4e9' },
};

/** Draws a chart; see {@link ChartOrder}. */
export async function draw(order: ChartOrder): Promise<ChartAnswer> {
  const font = chartFont();
  const canWrite = glyphCheck(font);
  if (!canWrite('0123456789')) return { labelled: false };
  const labels = order.bars.map(({ label }, index) => labelOf(index, label, canWrite));
  const ranged = order.bars.some(({ low, high }) => high > low);
  const height = frame.top + order.bars.length * rowHeight + frame.bottom;
  const canvas = createCanvas(width * density, height * density);
  const context = canvas.getContext('2d');
  const colour = colours[order.theme];
  context.fillStyle = colour.ground;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(drawBars(height - frame.top, order, { labels, font, colour }), 0, frame.top * density);
  context.scale(density, density);
  drawHead(context, order, { font, colour, canWrite, ranged });
  return { png: await canvas.encode('png'), labelled: labels.every(({ whole }) => whole) };
}

interface Label {
  readonly text: string;
  /** False where only the number could be written. */
  readonly whole: boolean;
}

function labelOf(index: number, label: string, canWrite: (text: string) => boolean): Label {
  const whole = canWrite(label);
  const characters = [...label];
  const short = characters.length > 24 ? `${characters.slice(0, 23).join('')}…` : label;
  return { text: whole ? `${index + 1}  ${short}`.trimEnd() : `${index + 1}`, whole };
}

function drawBars(
  height: number,
  { bars, locale }: ChartOrder,
  { labels, font, colour }: { labels: readonly Label[]; font: string; colour: Colours },
): Canvas {
  Chart.register(BarController, BarElement, CategoryScale, LinearScale);
  const textFont = { family: font, size: 14 };
  const shared = { barPercentage: 0.72, categoryPercentage: 1, borderColor: colour.bar, borderWidth: 1.5 };
  const figures = figuresOf(bars, locale);
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  // Chart.js draws on any canvas with these methods; its types know only the browser's.
  new Chart(context as never, {
    type: 'bar',
    data: {
      labels: labels.map(({ text }) => text),
      datasets: [
        { ...shared, data: bars.map(({ low }) => low), backgroundColor: colour.bar },
        {
          ...shared,
          data: bars.map(({ low, high }) => high - low),
          backgroundColor: hatching(context, colour) as never,
        },
      ],
    },
    options: {
      indexAxis: 'y',
      responsive: false,
      animation: false,
      devicePixelRatio: density,
      layout: { padding: { left: frame.side, right: frame.side + widest(context, font, figures) } },
      scales: {
        x: {
          stacked: true,
          beginAtZero: true,
          grid: { color: colour.line },
          border: { display: false },
          ticks: { color: colour.text, font: { family: font, size: 12 }, maxTicksLimit: 6 },
        },
        y: {
          stacked: true,
          grid: { display: false },
          border: { color: colour.line },
          ticks: { color: colour.text, font: textFont, crossAlign: 'far', autoSkip: false },
        },
      },
    },
    plugins: [
      {
        id: 'figures',
        afterDatasetsDraw(chart) {
          const ends = chart.getDatasetMeta(1).data;
          context.font = `14px ${font}`;
          context.textAlign = 'left';
          context.textBaseline = 'middle';
          for (const [index, { x, y }] of ends.entries()) {
            const figure = figures[index] ?? '';
            context.fillStyle = colour.ground;
            context.fillRect(x + 4, y - 10, context.measureText(figure).width + 8, 20);
            context.fillStyle = colour.text;
            context.fillText(figure, x + 8, y);
          }
        },
      },
    ],
  });
  return canvas;
}

function figuresOf(bars: readonly Bar[], locale: string): string[] {
  const figure = (credits: number) =>
    new Intl.NumberFormat(locale, { maximumFractionDigits: credits < 10 ? 2 : credits < 100 ? 1 : 0 }).format(
      credits,
    );
  return bars.map(({ low, high }) => (high > low ? `${figure(low)}–${figure(high)}` : figure(high)));
}

function widest(context: SKRSContext2D, font: string, texts: readonly string[]): number {
  context.font = `14px ${font}`;
  return Math.max(...texts.map((text) => context.measureText(text).width)) + 8;
}

type Fill = SKRSContext2D['fillStyle'];

/** Slanted lines on the ground: more may have been used, up to here. */
function hatching(context: SKRSContext2D, { ground, bar }: Colours): Fill {
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

interface Head {
  readonly font: string;
  readonly colour: Colours;
  readonly canWrite: (text: string) => boolean;
  readonly ranged: boolean;
}

function drawHead(context: SKRSContext2D, order: ChartOrder, { font, colour, canWrite, ranged }: Head): void {
  const { title, legend } = order;
  context.fillStyle = colour.text;
  context.textBaseline = 'middle';
  context.font = `600 16px ${font}`;
  if (canWrite(title)) context.fillText(title, frame.side, 28);
  if (!ranged || !canWrite(legend.low + legend.high)) return;
  context.font = `13px ${font}`;
  let x = width - frame.side;
  for (const [text, fill] of [
    [legend.high, hatching(context, colour)],
    [legend.low, colour.bar],
  ] as const) {
    x -= context.measureText(text).width;
    context.fillStyle = colour.text;
    context.fillText(text, x, 28);
    x -= 22;
    context.fillStyle = fill;
    context.fillRect(x, 21, 14, 14);
    context.strokeStyle = colour.bar;
    context.strokeRect(x, 21, 14, 14);
    x -= 18;
  }
}
