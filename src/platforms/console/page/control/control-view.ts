import type { ControlOutcome, ControlState } from '../../../../port/control-room.ts';
import { get, newEventId } from '../api.ts';
import { askForNumber, confirmAction } from '../elements/dialogs.ts';
import { button, element, icon, iconButton } from '../elements/dom.ts';
import { formatClock, formatNumber, say, strings } from '../words/index.ts';
import { barList, dayChart, formatCredits, legend, totalOf } from './charts.ts';
import {
  type Act,
  card,
  FaultList,
  order,
  placeList,
  placeName,
  platformName,
  queueList,
  waitingOf,
  workList,
} from './lists.ts';

/** Between two looks, in milliseconds; none while the page is hidden. */
const spacing = 4_000;

/** How long what an action came to is shown, in milliseconds. */
const toldFor = 6_000;

/** The operator's view of the whole bot. */
export class ControlView {
  readonly node: HTMLElement;
  readonly #body = element('div', { class: 'control-body', 'aria-busy': 'true' });
  readonly #status = element('span', { class: 'control-status' }, say.loading);
  readonly #told = element('p', { class: 'control-told', role: 'status' });
  readonly #faults = new FaultList();
  readonly #sections = new Map<string, { readonly node: HTMLElement; shown: string }>();
  #timer: number | undefined;
  #toldTimer: number | undefined;
  #isClosed = false;

  constructor(onMenu: () => void) {
    const menu = iconButton('menu', strings.openChannels, onMenu, { class: 'icon-button open-sidebar' });
    const test = button({ class: 'action' }, () => this.#test(), say.sendTest);
    this.node = element(
      'section',
      { class: 'place-view control' },
      element(
        'header',
        { class: 'place-head' },
        menu,
        element('h1', { class: 'place-title' }, icon('gauge'), element('span', {}, say.title), this.#status),
        test,
      ),
      this.#told,
      this.#body,
    );
    document.addEventListener('visibilitychange', this.#onVisibility);
    void this.#look();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    document.removeEventListener('visibilitychange', this.#onVisibility);
    this.node.remove();
  }

  readonly #onVisibility = () => {
    if (document.visibilityState === 'visible') void this.#look();
  };

  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      this.#show(await get<ControlState>('control', {}));
    } catch {
      this.#status.textContent = say.unavailable;
    }
    clearTimeout(this.#timer);
    if (this.#isClosed || document.visibilityState === 'hidden') return;
    this.#timer = setTimeout(() => void this.#look(), spacing);
  }

  #show(state: ControlState): void {
    const { spending, places, faults } = state;
    this.#status.textContent = say.refreshed(formatClock(state.at));
    this.#body.removeAttribute('aria-busy');
    const sum = spending.days.reduce((all, day) => all + totalOf(day), 0);
    const act = this.#act;
    this.#section('tiles', tilesOf(state), () => tiles(state));
    this.#section('spending', [spending.days, spending.isWhole], () =>
      card(
        say.spending,
        spending.isWhole ? say.lastDays(spending.days.length) : say.adding,
        element('p', { class: 'sum' }, say.total(formatCredits(sum))),
        legend(spending.days),
        dayChart(spending.days),
      ),
    );
    this.#section('work', [state.live, Math.floor(state.at / spacing)], () =>
      card(say.work, undefined, workList(state, act)),
    );
    this.#section('queue', state.queue, () => card(say.queue, undefined, queueList(state)));
    this.#section('by-place', [spending.places, places.map(({ name }) => name)], () =>
      card(say.byPlace, undefined, spenders(state, 'places')),
    );
    this.#section('by-person', spending.people, () =>
      card(say.byPerson, undefined, spenders(state, 'people')),
    );
    this.#section('places', places, () => card(say.places, undefined, placeList(places, act)));
    this.#section('faults', [faults, places.map(({ name }) => name)], () =>
      card(say.faults, say.faultsDetail, this.#faults.show(state)),
    );
  }

  /** Only what has changed is made anew, and who works with the keyboard stays where they are. */
  #section(name: string, facts: unknown, make: () => HTMLElement): void {
    const shown = JSON.stringify(facts);
    const known = this.#sections.get(name);
    if (known?.shown === shown) return;
    const node = known?.node ?? element('div', { class: `control-${name}` });
    const focused = node.contains(document.activeElement) ? document.activeElement?.id : undefined;
    node.replaceChildren(make());
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
    if (!known) this.#body.append(node);
    this.#sections.set(name, { node, shown });
  }

  #test(): void {
    // The same however often one test is tried.
    const id = newEventId();
    this.#act.confirmed(say.sendTestTitle, say.sendTestDetail, say.sendTest, () => order('test', { id }));
  }

  readonly #act: Act = {
    confirmed: (title, detail, submit, work) =>
      confirmAction(title, detail, submit, () => this.#carryOut(work)),
    now: (work) => void this.#carryOut(work).catch(() => this.#tell(strings.somethingWrong)),
    number: (asked, work) => askForNumber(asked, say.save, (value) => this.#carryOut(() => work(value))),
  };

  async #carryOut(work: () => Promise<ControlOutcome>): Promise<void> {
    this.#told.textContent = '';
    this.#tell(say.outcomes[await work()]);
    void this.#look();
  }

  #tell(words: string): void {
    clearTimeout(this.#toldTimer);
    this.#told.textContent = words;
    this.#toldTimer = setTimeout(() => this.#told.replaceChildren(), toldFor);
  }
}

function tilesOf(state: ControlState) {
  const { spending, live, faults, hasMoreLive } = state;
  const today = spending.days.at(-1);
  return [
    { name: say.today, value: formatCredits(today ? totalOf(today) : 0), detail: say.credits },
    { name: say.underWay, value: `${live.length}${hasMoreLive ? '+' : ''}`, detail: '' },
    { name: say.waiting, value: formatNumber(waitingOf(state)), detail: '' },
    { name: say.faults, value: formatNumber(faults.length), detail: say.lastWeek, isBad: faults.length > 0 },
  ];
}

function tiles(state: ControlState): HTMLElement {
  return element(
    'dl',
    { class: 'tiles' },
    ...tilesOf(state).map(({ name, value, detail, isBad }) =>
      element(
        'div',
        { class: isBad ? 'tile tile-bad' : 'tile' },
        element('dt', {}, name),
        element('dd', {}, element('b', {}, value), detail !== '' && element('span', {}, ` ${detail}`)),
      ),
    ),
  );
}

/** Those listed of the many. */
const mostBars = 8;

function spenders({ spending, places }: ControlState, of: 'places' | 'people'): HTMLElement {
  const bars = spending[of].slice(0, mostBars).map((one) => ({
    name: of === 'places' ? placeName(one, places) : one.name || say.nobody,
    detail: `${platformName(one.platform)} · ${say.calls(one.calls, formatNumber(one.calls))}`,
    value: one.credits,
  }));
  return bars.length > 0 ? barList(bars) : element('p', { class: 'nothing' }, say.nothingSpent);
}
