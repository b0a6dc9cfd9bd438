import { untilDone, type Waits } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import { isLocal } from '../lib/local-faults.ts';
import {
  isAccessLostForGood,
  type Job,
  onNewError,
  type PlatformAdapters,
  PlatformError,
  searchResult,
} from '../port/index.ts';
import { findContinuationOf } from './continuation.ts';
import type { PendingDelivery } from './pending-delivery.ts';

interface SearchDependencies {
  readonly adapters: PlatformAdapters;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
  /** Aborted when the process stops. */
  readonly signal: AbortSignal;
}

/** Delays between searches while the platform is unreachable, in milliseconds. */
const waits: Waits = { first: 1_000, longest: 300_000 };

/** Adds messages the platform accepted but no process recorded, so that the answer continues there. */
export async function withFoundMessages(
  job: Job,
  pending: PendingDelivery,
  { adapters, clock, log, signal }: SearchDependencies,
): Promise<PendingDelivery> {
  const { shown = [], message } = pending;
  if (message.files?.length) return pending;
  const later = onNewError((error) =>
    log.warn({ job: job.id, error }, "couldn't search for the start of an answer yet"),
  );
  const failed = (error: unknown) => {
    if ((!(error instanceof PlatformError) && !isLocal(error)) || isAccessLostForGood(error)) throw error;
    later(error);
  };
  const adapter = adapters(job.address.platform);
  const find = () =>
    shown.length > 0
      ? adapter && findContinuationOf(adapter, job, message.text ?? '', shown)
      : adapter?.findAnswer?.(job);
  const search = () => searchResult(find(), signal);
  const found = await untilDone(search, { clock, waits, signal, failed }).catch((error: unknown) => {
    signal.throwIfAborted();
    log.warn({ job: job.id, error }, "couldn't search for the start of an answer");
    return undefined;
  });
  return found ? { ...pending, shown: [...shown, found.message], shownText: found.text } : pending;
}
