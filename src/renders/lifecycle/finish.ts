import type { Settlement } from '../../credits/index.ts';
import type { CommandWatch } from '../../engine/index.ts';
import {
  adapterOf,
  type CommandEnd,
  heldRetry,
  type Job,
  persistently,
  type PlatformError,
  refusalOf,
  undefinedIfRefused,
} from '../../port/index.ts';
import type { LifecycleContext } from '../dependencies.ts';
import { hasEnded, isMade, type Render, type RenderFault } from '../render.ts';
import { deliver } from '../result/delivery.ts';
import { type JobRenders, presentationOf } from '../result/presenter.ts';
import { openProgress, referencesOf } from './submit.ts';

/** So often, and after so many milliseconds, the others of a job are looked for that the database has lost. */
const [mostLooks, untilPutBack] = [4, 15_000];

/**
 * Puts a render's end on the ledger. The last one of a job to end tells people about all of them, in one message.
 * `go on` where its state changed on the way; milliseconds if it's held, and tried again later. `isLate`: it may have been held
 * before.
 */
export async function finish(
  context: LifecycleContext,
  render: Render,
  job: Job,
  isLate: boolean,
): Promise<number | 'go on' | 'over'> {
  const { credits, coordination } = context.dependencies;
  await settle(credits.ofJob(render.id), render);
  return coordination.locks.run(endOf(render.job), async () => {
    const all = await context.dependencies.store.ofJob(render.job);
    const [first, ...more] = all;
    // Its file was gone when another of the job looked, and it's fetched again.
    if (all.some(({ id, state }) => id === render.id && !hasEnded({ state }))) return 'go on';
    // A database without its last commits has lost one, which is put on record again soon if that's possible.
    const { looksForParts: looks = mostLooks } = context.pending;
    if (all.length < render.parts && looks > 0) {
      context.pending.looksForParts = looks - 1;
      return untilPutBack;
    }
    // Those still in progress end later, and look again.
    if (!first || !all.every(hasEnded) || all.some(({ delivered }) => delivered)) return 'over';
    const unread = isLate && all.some(isMade) ? await unreadQuestion(context, job) : undefined;
    // It may have been deleted meanwhile.
    return post(context, [first, ...more], render, await context.asDeleted(job), unread);
  });
}

/** Why a job's question can't be read now: so long nothing comes to its place. It's noticed if it's deleted. */
async function unreadQuestion(
  { dependencies }: LifecycleContext,
  job: Job,
): Promise<PlatformError | undefined> {
  const { readQuestion, stop: signal } = dependencies;
  const run = persistently({ ...dependencies, work: `render ${job.id}`, signal });
  try {
    if (!job.deleted) await run('question', async () => readQuestion?.(job));
    return undefined;
  } catch (error) {
    if (!refusalOf(error)) throw error;
    return error as PlatformError;
  }
}

/** What is locked while the end of a job is posted, so that it's done by one at a time. */
export function endOf(job: string): string {
  return `render:${job}`;
}

async function post(
  context: LifecycleContext,
  renders: JobRenders<Render>,
  last: Render,
  job: Job,
  unread?: PlatformError,
): Promise<number | 'go on' | 'over'> {
  const { dependencies } = context;
  const { credits, jobs, adapters, presenters, styleAt, posted, sourceDeleted } = dependencies;
  const { takeAway, closeQuestionOf, begunBefore, spool, store } = dependencies;
  // The process that posts has it in hand.
  await store.change(last.id, {});
  // Before people are told, and again after a crash: each end counts once.
  for (const render of renders) await settle(credits.ofJob(render.id), render);
  const made = renders.filter(isMade);
  const lost = await missingFrom(spool, made);
  for (const render of lost) await fetchAgain(context, render);
  if (lost.length > 0) return lost.some(({ id }) => id === last.id) ? 'go on' : 'over';
  if (job.deleted) {
    // It may have been forgotten by a process that died before a result took its place.
    if (adapters(last.message.platform)?.completesAnew) await posted?.(job, last.message);
    await noteProgress(context, renders, job);
    await takeAway?.(job);
  }
  const delivered = await deliver({
    ...dependencies,
    signal: dependencies.stop,
    renders: job.deleted ? renders : await withProgressOpened(context, renders, job),
    job,
    deleted: () => context.deletedOf(job).catch(() => undefined),
    unread,
    isOfDeleted: job.deleted !== undefined && (await sourceDeleted?.(job)) !== undefined,
    presentation: presentationOf(presenters, renders, job, await styleAt?.(job)),
    closeQuestion: async () => closeQuestionOf?.(job),
    onPosted: async (at) => posted?.(job, at).catch(() => {}),
    mayBeThere: begunBefore?.(`${job.id}:`) !== undefined,
  });
  // Where nobody can be told any more, nothing is left to do either.
  if ('at' in delivered) await posted?.(job, delivered.at).catch(() => {});
  // What went only to its requester stays with them.
  const mayGo = !('at' in delivered && (delivered.door === 'direct' || delivered.at.isKept));
  if (!job.deleted && mayGo) {
    // Somebody deleted it, its question or its place while it was posted, or waited to be.
    const now = await context.asDeleted(job);
    if (now.deleted) return post(context, renders, last, now);
  }
  if ('fault' in delivered && made.length > 0) {
    const { fault, isDeleted, isHeld } = delivered;
    // It's its requester's alone from now on.
    if (isDeleted && !job.deleted) {
      await context.persistently(() => jobs.markDeleted(job.id, 'answer'));
      return post(context, renders, last, { ...job, deleted: 'answer' });
    }
    if (isHeld) return heldRetry;
    const ids = made.map(({ id }) => id);
    await context.persistently(() => store.changeOfJob(ids, { state: 'failed', fault }, last.id));
    return 'go on';
  }
  const at = 'at' in delivered ? delivered.at : last.message;
  const ids = renders.map(({ id }) => id);
  await context.persistently(() => store.deliver(ids, at, last.id));
  // Until that's on record, a deletion takes away whatever stands.
  const now = at.isKept ? job : await context.asDeleted(job);
  if (now.deleted && !job.deleted) return post(context, renders, last, now);
  tellEnd(dependencies.watch, renders, job);
  for (const id of [...ids, referencesOf(job.id)]) await spool.remove(id).catch(() => {});
  return 'over';
}

/** Faults of what was never sent: it may have no progress to open. */
const unsent: readonly RenderFault['code'][] = ['canceled', 'source-gone', 'no-place'];

/**
 * Where the platform's response was lost when the message that shows the progress was opened, it's found now, or opened: the
 * result belongs there.
 */
async function withProgressOpened(
  context: LifecycleContext,
  [first, ...more]: JobRenders<Render>,
  job: Job,
): Promise<JobRenders<Render>> {
  const adapter = context.dependencies.adapters(first.message.platform);
  const isOpen = adapter?.rootOf(first.message, job.address) !== undefined;
  if (isOpen || (first.fault && unsent.includes(first.fault.code))) return [first, ...more];
  const opened = await context.persistently(() =>
    openProgress(context, first, job).catch((error: unknown) => {
      if (!refusalOf(error)) throw error;
      return first;
    }),
  );
  return [opened, ...more];
}

/** A process may have died before what it opened to show the progress was on record: that goes, too. */
async function noteProgress(context: LifecycleContext, renders: JobRenders<Render>, job: Job): Promise<void> {
  const { dependencies } = context;
  const { presenters, posted } = dependencies;
  const [{ message }] = renders;
  const adapter = adapterOf(dependencies, message);
  const find = async () => presentationOf(presenters, renders, job).openedProgress?.(adapter);
  const isOpen = adapter.rootOf(message, job.address) !== undefined;
  const opened = isOpen ? message : await context.persistently(() => undefinedIfRefused(find()));
  if (opened) await posted?.(job, opened);
}

async function missingFrom(
  spool: LifecycleContext['dependencies']['spool'],
  made: readonly Render[],
): Promise<readonly Render[]> {
  const lost: Render[] = [];
  for (const render of made) if (!(await spool.has(render.id))) lost.push(render);
  return lost;
}

/** The file of a finished render is gone from the disk: it's asked for again, if that's possible. */
async function fetchAgain(context: LifecycleContext, render: Render): Promise<void> {
  const { store, wake } = context.dependencies;
  const change =
    render.taskId === undefined
      ? ({ state: 'failed', fault: { code: 'result-gone' } } as const)
      : ({ state: 'waiting' } as const);
  await context.persistently(() => store.changeOfJob([render.id], change, context.pending.id));
  if (render.id !== context.pending.id) wake(render);
}

/** Puts how a render ended on the ledger. Does nothing the second time. */
function settle(reservation: Settlement, render: Render): Promise<void> {
  switch (outcomeOf(render)) {
    case 'made':
      return reservation.settle();
    case 'not-made':
      return reservation.release();
    case 'unknown':
      return reservation.uncertain();
  }
}

/**
 * Whether the service made it, and so charges for it: a finished result is paid for even if it couldn't be downloaded or
 * posted; a failed one isn't.
 */
function outcomeOf({ state, fault }: Render): 'made' | 'not-made' | 'unknown' {
  if (state === 'uncertain') return 'unknown';
  if (state !== 'failed') return 'made';
  switch (fault?.code) {
    case 'canceled':
    case 'source-gone':
    case 'refused':
    case 'not-sent':
    case 'no-place':
    case 'failed':
      return 'not-made';
    case 'deadline':
    case 'unanswered':
    case 'task-gone':
    case 'wrong-kind':
      return 'unknown';
    default:
      return 'made';
  }
}

/** Tells those who run the bot how a job's renders ended, once nothing is left to do for them. */
export function tellEnd(watch: CommandWatch, renders: readonly Render[], job: Job): void {
  for (const render of renders)
    watch.meter.count('troupe_renders_ended_total', { kind: render.kind, outcome: countedAs(render) });
  watch.ended(job, commandEndOf(renders));
}

function countedAs(render: Render): 'delivered' | 'failed' | 'canceled' | 'uncertain' {
  if (isMade(render)) return 'delivered';
  if (render.state === 'uncertain') return 'uncertain';
  const { fault } = render;
  const isCanceled = fault?.code === 'canceled' || (fault?.code === 'source-gone' && !fault.isLost);
  return isCanceled ? 'canceled' : 'failed';
}

/** A command of which something was made is done; otherwise what's most important to know of it counts. */
function commandEndOf(renders: readonly Render[]): CommandEnd {
  const outcomes = renders.map(countedAs);
  if (outcomes.includes('delivered')) return { outcome: 'done' };
  if (outcomes.includes('uncertain')) return { outcome: 'uncertain' };
  const failed = renders.find((render) => countedAs(render) === 'failed');
  if (!failed) return { outcome: 'canceled' };
  const { fault } = failed;
  if (fault?.code === 'delivery' || fault?.code === 'no-place')
    return { outcome: 'failed', reason: 'platform' };
  if (fault?.code === 'source-gone') return { outcome: 'failed', reason: 'database' };
  const isOfKey =
    fault?.code === 'not-sent' && (fault.error === 'authentication' || fault.error === 'credit');
  return { outcome: 'failed', reason: isOfKey ? 'key' : 'service' };
}
