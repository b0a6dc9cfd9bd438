import { untilDone, type Waits } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import { isLocal, type Troubles } from '../../lib/local-faults.ts';
import type { MessageAddress } from '../address.ts';
import type { Job } from '../commands/command.ts';
import type { Message } from '../commands/message.ts';
import { isAccessLostForGood, onNewError } from './no-access.ts';
import { type PlatformAdapter, PlatformError, type PlatformErrorKind } from './platform-adapter.ts';

/** One way to post a result. */
export interface PostVariant {
  /** For the log. */
  readonly name: string;
  /** Posts once, however often it is called; `why` is the first refusal of the earlier variants. */
  readonly send: (why?: PlatformErrorKind) => Promise<MessageAddress>;
  /** Skipped after these refusals, because it would be refused too. */
  readonly notAfter?: readonly PlatformErrorKind[];
  /** Tried only after these refusals; after any if absent. */
  readonly onlyAfter?: readonly PlatformErrorKind[];
  /** Whether it was started before, so that it may already be posted; false if absent. */
  readonly isBegun?: () => Promise<boolean>;
}

export interface PostVariantsOptions {
  /** Name of the work, for `/readyz` and the log. */
  readonly work: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly troubles: Troubles;
  readonly log: { warn(data: object, message: string): void };
  /** Called for every refused variant. */
  readonly refused?: (refusal: PlatformError) => void;
}

/** Delays between attempts while a platform is unreachable, in milliseconds. */
const waits: Waits = { first: 5_000, longest: 300_000 };
/** The same while this machine or the database has a fault: asking them again costs little, and nobody else anything. */
const localWaits: Waits = { first: 2_000, longest: 15_000 };
/** An unexpected error may be temporary: after this many attempts it counts as a refusal. */
const triesOfUnexpected = 3;
/** The channel is gone or closed: no variant can be posted. */
export const addressLost: readonly PlatformErrorKind[] = ['gone', 'not-a-member', 'expired'];
/** Refusals by a channel that may accept other messages. */
export const messageRefused: readonly PlatformErrorKind[] = [
  'no-permission',
  'refused',
  'moderated',
  'file-not-allowed',
  'too-large',
];

/** Posts to the requester's direct messages. `note`, which may explain why, precedes the text. */
export async function postDirectly(
  adapter: PlatformAdapter,
  { address, requester }: Job,
  message: Message,
  key: string,
  note?: string,
): Promise<MessageAddress> {
  const direct = await adapter.directMessages(address.workspace, requester.id, address);
  return adapter.post(direct, withNote(message, note), key);
}

function withNote(message: Message, note: string | undefined): Message {
  if (note === undefined) return message;
  const { text, unquoted } = message;
  const below = (words: string | undefined) => [note, words].filter(Boolean).join('\n\n');
  return { ...message, text: below(text), ...(unquoted !== undefined && { unquoted: below(unquoted) }) };
}

/** Whether posting under this key was started in the requester's direct messages. */
export async function hasBegunDirectly(
  adapter: PlatformAdapter,
  { address, requester }: Job,
  key: string,
): Promise<boolean> {
  return (await adapter.hasBegunDirectly?.(address.workspace, requester.id, key)) ?? false;
}

/**
 * Posts the first variant that is accepted. A refusal ends its variant and leads to the next; an unreachable
 * platform, a full disk and a locked database are retried forever, lost access for a month. A variant that was
 * already started comes first, or the result could be posted twice.
 * @throws {PlatformError} the last refusal if every variant is refused; the signal's reason if it is aborted.
 */
export async function postFirstAccepted(
  variants: readonly PostVariant[],
  how: PostVariantsOptions,
): Promise<MessageAddress> {
  for (const variant of variants) {
    if (!(await wasBegun(variant, how))) continue;
    try {
      return await sent(variant, how);
    } catch (error) {
      how.signal.throwIfAborted();
      if (isAccessLostForGood(error)) throw error;
      how.log.warn({ work: how.work, variant: variant.name, error }, 'a started delivery failed');
    }
  }
  let refusal: PlatformError | undefined;
  let first: PlatformError | undefined;
  for (const variant of variants) {
    if (refusal && variant.notAfter?.includes(refusal.kind)) continue;
    if (variant.onlyAfter && !(refusal && variant.onlyAfter.includes(refusal.kind))) continue;
    try {
      return await sent(variant, how, first?.kind);
    } catch (error) {
      how.signal.throwIfAborted();
      if (isAccessLostForGood(error)) throw error;
      refusal =
        error instanceof PlatformError ? error : new PlatformError('refused', undefined, { cause: error });
      first ??= refusal;
      how.refused?.(refusal);
      how.log.warn({ work: how.work, variant: variant.name, error }, 'a result was refused');
    }
  }
  throw refusal ?? new PlatformError('refused');
}

/** False if it can't be determined. */
async function wasBegun({ name, isBegun }: PostVariant, how: PostVariantsOptions): Promise<boolean> {
  if (!isBegun) return false;
  return persistently(name, isBegun, how).catch((error: unknown) => {
    how.signal.throwIfAborted();
    if (isAccessLostForGood(error)) throw error;
    return false;
  });
}

function sent(
  { name, send }: PostVariant,
  how: PostVariantsOptions,
  why?: PlatformErrorKind,
): Promise<MessageAddress> {
  return persistently(name, () => send(why), how);
}

function persistently<T>(
  variant: string,
  work: () => Promise<T>,
  { work: about, clock, signal, troubles, log }: PostVariantsOptions,
): Promise<T> {
  let unexpected = 0;
  const byError = (error: unknown) => (isLocal(error) ? localWaits : waits);
  const logIfNew = onNewError((error) =>
    log.warn({ work: about, variant, error }, 'a result could not be posted yet'),
  );
  const failed = (error: unknown) => {
    if (isAccessLostForGood(error)) throw error;
    const away = error instanceof PlatformError && error.kind === 'unreachable';
    if (isLocal(error)) troubles.note(about, error);
    else if (!away && (error instanceof PlatformError || ++unexpected >= triesOfUnexpected)) throw error;
    logIfNew(error);
  };
  return untilDone(work, { clock, waits: byError, signal, failed }).finally(() => troubles.clear(about));
}
