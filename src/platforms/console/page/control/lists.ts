import type {
  ControlledPlace,
  ControlOutcome,
  ControlState,
  Fault,
  LiveWork,
  TrailStep,
  WorkStage,
} from '../../../../port/control-room.ts';
import type { WireControlled, WireTrail } from '../../api/wire.ts';
import { get, json } from '../api.ts';
import type { NumberAsked } from '../elements/dialogs.ts';
import { button, element, iconOf } from '../elements/dom.ts';
import {
  formatDateTime,
  formatDay,
  formatDuration,
  formatNumber,
  formatTime,
  sameDay,
  say,
} from '../words/index.ts';
import { formatCredits, meter } from './charts.ts';

/** Has the server carry out an action. */
export async function order(action: string, given: object): Promise<ControlOutcome> {
  return (await json<WireControlled>('POST', `control/${action}`, given)).outcome;
}

/** Carries out actions, and shows what they came to. */
export interface Act {
  /** Asks first. */
  confirmed(title: string, detail: string, submit: string, work: () => Promise<ControlOutcome>): void;
  now(work: () => Promise<ControlOutcome>): void;
  /** Asks for a number first. */
  number(asked: NumberAsked, work: (value: number) => Promise<ControlOutcome>): void;
}

const platformNames: Readonly<Record<string, string>> = {
  discord: 'Discord',
  slack: 'Slack',
  console: 'Console',
};

export function platformName(platform: string): string {
  return platformNames[platform] ?? platform;
}

/** A place's name; its id where that isn't known. */
export function placeName(
  at: { readonly platform: string; readonly workspace: string },
  places: readonly Pick<ControlledPlace, 'platform' | 'workspace' | 'name'>[],
): string {
  if (at.platform === 'console') return platformName('console');
  const known = places.find(
    ({ platform, workspace }) => platform === at.platform && workspace === at.workspace,
  );
  return known?.name || at.workspace || say.nobody;
}

/** A part of the room, with its title. */
export function card(
  title: string,
  detail: string | undefined,
  ...content: readonly (Node | false)[]
): HTMLElement {
  return element(
    'section',
    { class: 'card' },
    element(
      'header',
      {},
      element('h2', {}, title),
      detail !== undefined && element('span', { class: 'soft' }, detail),
    ),
    ...content,
  );
}

/** Servers and workspaces as cards: use, ceiling, faults, and what can be done. */
export function placeList(places: readonly ControlledPlace[], act: Act): HTMLElement {
  if (places.length === 0) return element('p', { class: 'nothing' }, say.noPlaces);
  const most = Math.max(1e-9, ...places.map(({ today }) => today));
  return element('ul', { class: 'places' }, ...places.map((place) => placeCard(place, most, act)));
}

function placeCard(place: ControlledPlace, most: number, act: Act): HTMLElement {
  const name = placeName(place, [place]);
  const { platform, members, today, ceiling, faults, isOff } = place;
  const facts = [
    platformName(platform),
    ...(members === undefined ? [] : [say.members(formatNumber(members))]),
    say.calls(place.calls, formatNumber(place.calls)),
  ];
  const used = formatCredits(today);
  const share = ceiling > 0 ? today / ceiling : today / most;
  return element(
    'li',
    { class: `place-card${isOff ? ' is-off' : ''}` },
    element(
      'div',
      { class: 'place-top' },
      element('h3', { title: name }, name),
      isOff && element('span', { class: 'tag tag-off' }, say.off),
      faults > 0 && element('span', { class: 'tag tag-fault' }, say.placeFaults(faults)),
    ),
    element('p', { class: 'soft' }, facts.join(' · ')),
    meter(share, ceiling > 0 && share >= 0.8 ? 'bar bar-full' : 'bar'),
    element(
      'p',
      { class: 'place-use' },
      ceiling > 0 ? say.ofCeiling(used, formatCredits(ceiling)) : say.usedToday(used),
      element('span', { class: 'soft' }, say.total(formatCredits(place.credits))),
    ),
    element(
      'div',
      { class: 'place-actions' },
      ceilingButton(place, name, act),
      switchButton(place, name, act),
    ),
  );
}

function ceilingButton(place: ControlledPlace, name: string, act: Act): HTMLElement {
  const { platform, workspace } = place;
  const asked = {
    title: say.ceilingTitle(name),
    detail: say.ceilingDetail,
    label: say.ceilingField,
    given: place.ceiling,
  };
  return button(
    { class: 'action', id: `ceiling-${platform}-${workspace}`, 'aria-label': asked.title },
    () => act.number(asked, (credits) => order('ceiling', { platform, workspace, credits })),
    say.ceiling,
  );
}

function switchButton(place: ControlledPlace, name: string, act: Act): HTMLElement {
  const { platform, workspace } = place;
  const id = `switch-${platform}-${workspace}`;
  const turn = (off: boolean) => order('switch', { platform, workspace, off });
  if (place.isOff)
    return button(
      { class: 'action action-primary', id, 'aria-label': `${say.switchOn}: ${name}` },
      () => act.now(() => turn(false)),
      say.switchOn,
    );
  return button(
    { class: 'action action-danger', id, 'aria-label': `${say.switchOff}: ${name}` },
    () => act.confirmed(say.switchOffTitle(name), say.switchOffDetail, say.switchOff, () => turn(true)),
    say.switchOff,
  );
}

/** Recent faults; each opens into the way of its command. */
export class FaultList {
  readonly #open = new Set<string>();

  show({ faults, places }: ControlState): HTMLElement {
    if (faults.length === 0) return element('p', { class: 'nothing' }, say.noFaults);
    return element(
      'div',
      { class: 'faults' },
      ...faults.map((fault) => this.#fault(fault, placeName(fault, places))),
    );
  }

  #fault(fault: Fault, place: string): HTMLElement {
    const trail = element('div', { class: 'trail', 'aria-live': 'polite' });
    const shown = element(
      'details',
      { class: 'fault', open: this.#open.has(fault.id) },
      element(
        'summary',
        { id: `fault-${fault.id}` },
        element(
          'time',
          { datetime: new Date(fault.at).toISOString(), title: formatDateTime(fault.at) },
          when(fault.at),
        ),
        element('b', {}, fault.what, fault.code !== undefined && ` ${fault.code}`),
        element('span', { class: 'fault-where' }, `/${fault.command} · ${place}`),
        element('code', {}, fault.id),
      ),
      trail,
    );
    if (this.#open.has(fault.id)) void fill(trail, fault);
    shown.addEventListener('toggle', () => {
      if (!shown.open) this.#open.delete(fault.id);
      else if (!this.#open.has(fault.id)) {
        this.#open.add(fault.id);
        void fill(trail, fault);
      }
    });
    return shown;
  }
}

function when(at: number): string {
  return sameDay(at, Date.now()) ? formatTime(at) : `${formatDay(at)} ${formatTime(at)}`;
}

async function fill(trail: HTMLElement, fault: Fault): Promise<void> {
  const own: TrailStep = {
    step: 'fault',
    at: fault.at,
    what: [fault.what, fault.code].filter(Boolean).join(' '),
    ...(fault.request !== undefined && { request: fault.request }),
  };
  try {
    const { steps } = await get<WireTrail>('control/trail', { job: fault.id });
    trail.replaceChildren(timeline([...steps, own].sort((one, other) => (one.at ?? 0) - (other.at ?? 0))));
    if (steps.length === 0) trail.append(element('p', { class: 'soft' }, say.trailGone));
  } catch {
    trail.replaceChildren(timeline([own]), element('p', { class: 'soft' }, say.unavailable));
  }
}

function timeline(steps: readonly TrailStep[]): HTMLElement {
  return element(
    'ol',
    { class: 'timeline' },
    ...steps.map((one) =>
      element(
        'li',
        { class: `at-${one.step}` },
        element('b', {}, say.steps[one.step]),
        element(
          'span',
          {},
          [one.step === 'post' ? platformName(one.what) : one.what, one.state].filter(Boolean).join(' · '),
        ),
        one.credits !== undefined &&
          element('span', { class: 'soft' }, say.total(formatCredits(one.credits))),
        one.request !== undefined && element('code', {}, one.request),
        one.at !== undefined && element('time', { class: 'soft' }, formatTime(one.at)),
        one.link !== undefined &&
          element('a', { href: one.link, target: '_blank', rel: 'noreferrer' }, say.openPost),
      ),
    ),
  );
}

/** The steps of a render, in order. */
const steps: readonly WorkStage[] = ['queued', 'sending', 'making', 'posting'];

/** Answers, clips and renders under way, each with how far it is. */
export function workList({ live, hasMoreLive, at, places }: ControlState, act: Act): HTMLElement {
  if (live.length === 0) return element('p', { class: 'nothing' }, say.noWork);
  return element(
    'div',
    {},
    element(
      'ul',
      { class: 'work' },
      ...live.map((work) =>
        element(
          'li',
          { 'data-command': work.command },
          element('span', { class: 'work-sign' }, iconOf(work.command)),
          element(
            'div',
            { class: 'work-words' },
            element(
              'p',
              { class: 'work-title' },
              element('b', {}, `/${work.command}`),
              ` ${work.person} · ${placeName(work, places)}`,
            ),
            progress(work),
            element('p', { class: 'soft' }, detailOf(work, at)),
          ),
          work.canRetry &&
            button(
              { class: 'action', id: `retry-${work.id}` },
              () => act.now(() => order('retry', { job: work.id })),
              say.retry,
            ),
          work.canCancel &&
            button(
              { class: 'action', id: `cancel-${work.id}` },
              () =>
                act.confirmed(say.cancelTitle, say.cancelDetail, say.cancel, () =>
                  order('cancel', { job: work.id }),
                ),
              say.cancel,
            ),
        ),
      ),
    ),
    hasMoreLive && element('p', { class: 'soft' }, say.moreWork),
  );
}

function detailOf({ stage, since, characters }: LiveWork, at: number): string {
  const parts = [say.stages[stage], formatDuration((at - since) / 1_000)];
  if (characters !== undefined) parts.push(say.characters(formatNumber(characters)));
  return parts.join(' · ');
}

/** Done steps are filled, the present one moves; an answer has one step. */
function progress({ stage }: LiveWork): HTMLElement {
  const reached = steps.indexOf(stage === 'held' ? 'posting' : stage);
  const shown = reached < 0 ? [stage] : steps;
  return element(
    'div',
    { class: `steps${stage === 'held' ? ' steps-held' : ''}`, 'aria-hidden': 'true' },
    ...shown.map((step, index) => {
      const state = reached < 0 || index === reached ? 'now' : index < reached ? 'done' : 'ahead';
      return element('span', { class: `step-${state}`, title: say.stages[step] });
    }),
  );
}

/** What waits, as bars. */
export function queueList({ queue }: ControlState): HTMLElement {
  const calls = Object.entries(queue.calls).map(([group, count]) => {
    const name = say.queues[group as keyof typeof say.queues] ?? group;
    return { name, count };
  });
  const all = [
    ...calls,
    { name: say.queuedRenders, count: queue.renders },
    { name: say.deliveries, count: queue.deliveries },
  ];
  return element(
    'div',
    {},
    element(
      'ul',
      { class: 'queue' },
      ...all.map(({ name, count }) =>
        element(
          'li',
          { class: count > 0 ? 'waits' : undefined },
          element('b', {}, formatNumber(count)),
          element('span', {}, name),
        ),
      ),
    ),
    element('p', { class: 'soft' }, say.queueDetail),
  );
}

/** How many calls, renders and deliveries wait. */
export function waitingOf({ queue }: ControlState): number {
  const calls = Object.values(queue.calls).reduce((sum, count) => sum + count, 0);
  return Math.max(calls, queue.renders) + queue.deliveries;
}
