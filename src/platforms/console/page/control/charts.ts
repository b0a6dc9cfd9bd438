import type { DaySpending, SpendingKind } from '../../../../port/control-room.ts';
import { element, svg } from '../elements/dom.ts';
import { formatNumber, locale, say } from '../words/index.ts';

export const kinds = ['chat', 'speech', 'image', 'video'] as const satisfies readonly SpendingKind[];

const dayName = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' });
/** Of the picture, in its own units. */
const [height, top, bottom, left] = [210, 10, 24, 44];
const isNarrow = matchMedia('(max-width: 760px)').matches;
const width = isNarrow ? 330 : 960;
/** Every so many days have their names below. */
const named = isNarrow ? 4 : 1;

/** Formats credits: `1,204` or `3.5`. */
export function formatCredits(credits: number): string {
  return formatNumber(credits >= 100 ? Math.round(credits) : Math.round(credits * 10) / 10);
}

export function totalOf(day: DaySpending): number {
  return kinds.reduce((sum, kind) => sum + day.kinds[kind], 0);
}

/** A bar for each day, one part for each kind; the same as a table for those who don't see it. */
export function dayChart(days: readonly DaySpending[]): HTMLElement {
  const most = niceCeiling(Math.max(1, ...days.map(totalOf)));
  const scale = (height - top - bottom) / most;
  const step = (width - left) / days.length;
  const bar = Math.min(34, step * 0.62);
  const picture = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    class: 'day-chart',
    'aria-hidden': 'true',
  });
  for (const part of [0, 0.5, 1]) {
    const y = height - bottom - part * most * scale;
    picture.append(
      svg('line', { x1: left, x2: width, y1: y, y2: y, class: 'grid-line' }),
      svg('text', { x: left - 8, y: y + 4, 'text-anchor': 'end' }, formatNumber(part * most)),
    );
  }
  for (const [index, day] of days.entries()) {
    const x = left + index * step + (step - bar) / 2;
    const group = svg(
      'g',
      { class: 'day' },
      svg('title', {}, described(day)),
      svg('rect', { x: x - 4, y: top, width: bar + 8, height: height - top - bottom, class: 'catch' }),
    );
    let y = height - bottom;
    for (const kind of kinds) {
      const tall = day.kinds[kind] * scale;
      if (tall <= 0) continue;
      y -= tall;
      group.append(
        svg('rect', { x, y, width: bar, height: Math.max(1, tall), class: `kind-${kind}`, rx: 2 }),
      );
    }
    picture.append(group);
    if ((days.length - 1 - index) % named === 0) {
      const isLast = isNarrow && index === days.length - 1;
      const [at, anchor] = isLast ? [width, 'end'] : [x + bar / 2, 'middle'];
      picture.append(svg('text', { x: at, y: height - 6, 'text-anchor': anchor }, dayName.format(day.day)));
    }
  }
  return element('div', { class: 'chart' }, picture, tableOf(days));
}

function described(day: DaySpending): string {
  const parts = kinds
    .filter((kind) => day.kinds[kind] > 0)
    .map((kind) => `${say.kinds[kind]} ${formatCredits(day.kinds[kind])}`);
  return [`${dayName.format(day.day)}: ${say.total(formatCredits(totalOf(day)))}`, ...parts].join('\n');
}

function tableOf(days: readonly DaySpending[]): HTMLElement {
  const head = element(
    'tr',
    {},
    ...[say.day, ...kinds.map((kind) => say.kinds[kind])].map((name) =>
      element('th', { scope: 'col' }, name),
    ),
  );
  const rows = days.map((day) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, dayName.format(day.day)),
      ...kinds.map((kind) => element('td', {}, formatCredits(day.kinds[kind]))),
    ),
  );
  return element(
    'div',
    { class: 'visually-hidden' },
    element('table', {}, element('caption', {}, say.spending), head, ...rows),
  );
}

/** What each kind took, with its colour. */
export function legend(days: readonly DaySpending[]): HTMLElement {
  return element(
    'ul',
    { class: 'legend' },
    ...kinds.map((kind) => {
      const sum = days.reduce((all, day) => all + day.kinds[kind], 0);
      return element(
        'li',
        {},
        element('span', { class: `swatch kind-${kind}`, 'aria-hidden': 'true' }),
        `${say.kinds[kind]} `,
        element('b', {}, formatCredits(sum)),
      );
    }),
  );
}

/** One bar of a list. */
export interface Bar {
  readonly name: string;
  readonly detail: string;
  readonly value: number;
}

/** Bars one below the other, each with its name and value. */
export function barList(bars: readonly Bar[]): HTMLElement {
  const most = Math.max(1e-9, ...bars.map(({ value }) => value));
  return element(
    'ol',
    { class: 'bars' },
    ...bars.map(({ name, detail, value }) =>
      element(
        'li',
        {},
        element('span', { class: 'bar-name', title: name }, name),
        element('span', { class: 'bar-value' }, formatCredits(value)),
        meter(value / most, 'bar'),
        element('span', { class: 'bar-detail' }, detail),
      ),
    ),
  );
}

/** A filled line, for the eye only: its value stands beside it. */
export function meter(share: number, name: string): HTMLElement {
  const fill = element('span', { class: 'meter-fill' });
  fill.style.width = `${Math.min(100, Math.max(0, share * 100)).toFixed(1)}%`;
  return element('span', { class: `meter ${name}`, 'aria-hidden': 'true' }, fill);
}

/** The next round number. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((one) => one * power >= value) ?? 10) * power;
}
