import type { ControlState, Fault, TrailStep } from '../../../../port/control-room.ts';
import { element } from '../elements/dom.ts';
import { formatDateTime, formatDay, formatTime, sameDay } from '../elements/format.ts';
import { say } from '../words/index.ts';
import { formatCredits } from './charts.ts';
import { fetchTrail } from './control-api.ts';
import { placeName, platformName } from './parts.ts';

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
    const { steps } = await fetchTrail(fault.id);
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
