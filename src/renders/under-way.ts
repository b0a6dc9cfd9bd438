import {
  type Address,
  endsWithRequester,
  fetched,
  isPrivate,
  type Job,
  type Message,
  type MessageAddress,
  type PlatformAdapters,
} from '../port/index.ts';
import type { RendersDependencies } from './dependencies.ts';
import { tellEnd } from './lifecycle/finish.ts';
import type { RenderStore } from './render-store.ts';
import { hasEnded, isMade, type Render, type RenderKind } from './render.ts';
import { renderedWithin } from './result/delivery.ts';
import { presentationOf } from './result/presenter.ts';

/** A render in progress. */
export interface RenderUnderWay {
  readonly kind: RenderKind;
  /** Its job's id. */
  readonly id: string;
  readonly job: Job | undefined;
  /** The message that shows its progress. */
  readonly message: MessageAddress;
  /** It waits for its turn and hasn't been sent: it can be canceled. */
  readonly isQueued: boolean;
  /** It's ready, and neither its place nor its requester could be sent it: they can fetch it. */
  readonly isHeld: boolean;
  /** Milliseconds since it was begun. */
  readonly elapsed: number;
}

/** The jobs whose renders these are, each once, as people see them. */
export function underWay(
  renders: readonly Render[],
  { jobs, clock, adapters }: Pick<RendersDependencies, 'jobs' | 'clock' | 'adapters'>,
): Promise<readonly RenderUnderWay[]> {
  const now = clock.now();
  const ofJobs = [...Map.groupBy(renders, ({ job }) => job).entries()];
  return Promise.all(
    ofJobs.map(async ([id, ofJob]) => {
      const job = await jobs.find(id);
      const { kind, createdAt, message } = ofJob[0] as Render;
      const isQueued = ofJob.some(({ state }) => state === 'reserved');
      const isOnItsWay = ofJob.some(({ isInHand }) => isInHand);
      const isHeld = job !== undefined && (isOnItsWay ? isAlone(job, ofJob, adapters) : isReady(ofJob));
      return { kind, id, job, message, isQueued, isHeld, elapsed: Math.max(0, now - createdAt) };
    }),
  );
}

/** Whether a person sees a render in progress at a place: their own, and others' that everybody there can read. */
export function isShownTo(
  person: string,
  place: Address,
  { job, message, isHeld }: RenderUnderWay,
  { adapters }: Pick<RendersDependencies, 'adapters'>,
): boolean {
  if (job?.requester.id === person) return true;
  if (job && (isPrivate(job) || job.deleted || isHeld)) return false;
  // Everybody who reads the place can read the channel's messages, and those of its public threads.
  if (message.thread === undefined || message.thread === place.thread) return true;
  return adapters(message.platform)?.isThreadPublic(message) ?? false;
}

/** Brings a held result to its requester by `say`; false if there's none, or none any more. */
export async function bringHeld(
  job: Job,
  limit: number,
  say: (message: Message) => Promise<MessageAddress>,
  dependencies: RendersDependencies & { readonly store: Pick<RenderStore, 'ofJob' | 'deliver'> },
): Promise<boolean> {
  const { adapters, presenters, styleAt, posted, endMessage, spool, store, watch } = dependencies;
  const [first, ...more] = await store.ofJob(job.id);
  if (!first) return false;
  const renders = [first, ...more] as const;
  if (!isReady(renders) || renders.some(({ delivered }) => delivered)) return false;
  const ids = renders.map(({ id }) => id);
  for (const { id } of renders.filter(isMade)) if (!(await spool.has(id))) return false;
  const presentation = presentationOf(presenters, renders, job, await styleAt?.(job));
  const { message, root } = presentation.ready(renderedWithin({ renders, job, presentation, spool }, limit));
  const isTheirs = isAlone(job, renders, adapters);
  const at = await say(fetched(message, isTheirs && !job.deleted));
  await store.deliver(ids, at);
  await posted?.(job, { ...at, isKept: true }).catch(() => {});
  tellEnd(watch, renders, job);
  for (const id of ids) await spool.remove(id).catch(() => {});
  if (isTheirs) return true;
  // What was announced to all doesn't come any more.
  const where = { seenBy: 'requester', isFetched: true } as const;
  const announced = adapters(first.message.platform)?.rootOf(first.message, job.address);
  await endMessage?.(first.message, presentation.elsewhere(where)).catch(() => {});
  if (announced && root) await endMessage?.(announced, root(where)).catch(() => {});
  return true;
}

/** Whether a job's renders have ended, and something was made. */
function isReady(renders: readonly Render[]): boolean {
  return renders.every(hasEnded) && renders.some(isMade);
}

/** The same where only its requester can get what was made. */
export function isAlone(job: Job, renders: readonly Render[], adapters: PlatformAdapters): boolean {
  return endsWithRequester(job, adapters(job.address.platform)) && isReady(renders);
}

/** A person has as many renders under way in a channel as they may: nothing was begun, and nothing was spent. */
export class TooManyRendersError extends Error {
  override name = 'TooManyRendersError';
  /** How many they may have. */
  readonly most: number;

  constructor(most: number) {
    super(`${most} renders are under way`);
    this.most = most;
  }
}
