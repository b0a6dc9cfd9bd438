import type { Clock } from '../../lib/clock.ts';
import type { Address, MessageAddress } from '../address.ts';
import type { Job } from '../commands/command.ts';
import { onNewError } from './no-access.ts';
import { type PlatformAdapter, PlatformError } from './platform-adapter.ts';
import { postDirectly } from './post-variants.ts';

/** After so long on its way a result counts as late, in milliseconds of running time. */
const lateAfter = 15 * 60_000;

/** What says that a result is late. */
export interface LateNotice {
  /** Where the result is to come. */
  readonly here: string;
  /** To who asked directly, where that place takes no messages. */
  readonly directly: string;
}

export interface LateNoticeOptions {
  /** Tells who asked, once however often it is called. */
  readonly notify: () => Promise<unknown>;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/** Waits for a result that is on its way to people; where that takes long, who asked for it is told meanwhile. */
export function withLateNotice<T>(
  work: Promise<T>,
  { notify: tell, clock, log }: LateNoticeOptions,
): Promise<T> {
  const failed = onNewError((error) =>
    log.warn({ error }, 'who asked could not be told that a result is late'),
  );
  let isOver = false;
  let cancel = () => {};
  const watch = () => {
    cancel = clock.after(lateAfter, () => {
      tell().catch((error: unknown) => {
        failed(error);
        // A platform that is away takes neither; a refusal is final.
        const mayPass = !(error instanceof PlatformError) || error.kind === 'unreachable';
        if (mayPass && !isOver) watch();
      });
    });
  };
  watch();
  return work.finally(() => {
    isOver = true;
    cancel();
  });
}

/** Says at a place, to who asked alone where nobody else may know, that a result is late. Once for a job. */
export function postLateNotice(
  adapter: PlatformAdapter | undefined,
  job: Job,
  place: Address,
  { here: text, directly }: LateNotice,
): Promise<MessageAddress> {
  if (!adapter) return Promise.reject(new PlatformError('unreachable', `${place.platform} is not running`));
  const key = `${job.id}:late-word`;
  if (job.options.private === true) return postDirectly(adapter, job, { text }, key);
  return adapter.post(place, { text, directly, mentions: [job.requester.id] }, key);
}
