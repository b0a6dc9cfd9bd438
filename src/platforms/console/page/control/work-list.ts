import type { ControlState, LiveWork, WorkStage } from '../../../../port/control-room.ts';
import { button, element, iconOf } from '../elements/dom.ts';
import { formatDuration, formatNumber } from '../elements/format.ts';
import { say } from '../words/index.ts';
import { cancelRender, retryRender } from './control-api.ts';
import { type Act, placeName } from './parts.ts';

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
              () => act.now(() => retryRender(work.id)),
              say.retry,
            ),
          work.canCancel &&
            button(
              { class: 'action', id: `cancel-${work.id}` },
              () => act.confirmed(say.cancelTitle, say.cancelDetail, say.cancel, () => cancelRender(work.id)),
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
