import { untilDone, type Waits } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import { isLocal, type Troubles } from '../../lib/local-faults.ts';
import type { MessageAddress } from '../address.ts';
import type { Job } from '../commands/command.ts';
import type { Message } from '../commands/message.ts';
import { isAccessLostForGood, onNewError } from './no-access.ts';
import { type PlatformAdapter, PlatformError, type PlatformErrorKind } from './platform-adapter.ts';

/** One way to bring something to people. */
export interface PostVariant {
  /** For the log. */
  readonly name: string;
  /** Posts once, however often it is called; `why`: what its place said first to the variants before. */
  readonly send: (why?: PlatformErrorKind) => Promise<MessageAddress>;
  /** Refusals of the variant before after which this one would be refused too. */
  readonly notAfter?: readonly PlatformErrorKind[];
  /** Refusals of the variant before that this one is for; for any where absent. */
  readonly onlyAfter?: readonly PlatformErrorKind[];
  /** Whether it was begun before, so that it may be there already; never where absent. */
  readonly isBegun?: () => Promise<boolean>;
}

export interface PostVariantsOptions {
  /** What it is about, for `/readyz` and the log. */
  readonly work: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly troubles: Troubles;
  readonly log: { warn(data: object, message: string): void };
  /** Told of every refusal of a variant. */
  readonly refused?: (refusal: PlatformError) => void;
}

/** Between tries while a platform is away or this machine is in trouble, in milliseconds. */
const waits: Waits = { first: 5_000, longest: 300_000 };
/** An error that nobody expected may pass by itself; so often it is tried, then it counts as a refusal. */
const triesOfUnexpected = 3;
/** Where a place is gone or shut, nothing can be posted in any variant. */
export const addressLost: readonly PlatformErrorKind[] = ['gone', 'not-a-member', 'expired'];
/** Refusals of a place that may take other messages, so that nobody was asked directly yet. */
export const messageRefused: readonly PlatformErrorKind[] = [
  'no-permission',
  'refused',
  'moderated',
  'file-not-allowed',
  'too-large',
];

/**
 * Posts to who gave a command alone, where its place is not asked again. `note`, which may say why, stands above the
 * message's own words.
 */
export async function postDirectly(
  adapter: PlatformAdapter,
  { address, requester }: Job,
  message: Message,
  key: string,
  note?: string,
): Promise<MessageAddress> {
  const direct = await adapter.directMessages(address.workspace, requester.id);
  return adapter.post(direct, withNote(message, note), key);
}

function withNote(message: Message, note: string | undefined): Message {
  if (note === undefined) return message;
  const { text, unquoted } = message;
  const below = (words: string | undefined) => [note, words].filter(Boolean).join('\n\n');
  return { ...message, text: below(text), ...(unquoted !== undefined && { unquoted: below(unquoted) }) };
}

/** Whether something was begun so in the direct messages with who gave a command. */
export async function hasBegunDirectly(
  adapter: PlatformAdapter,
  { address, requester }: Job,
  key: string,
): Promise<boolean> {
  return (await adapter.hasBegunDirectly?.(address.workspace, requester.id, key)) ?? false;
}

/**
 * Brings something to people in the first of these variants that is taken. A refusal is final for its variant and leads
 * to the next; a platform that is away, a full disk and a locked database are waited for without end, a workspace without
 * access for a month. One that was begun before comes first, else it would stand twice where its place takes it by now.
 * @throws {PlatformError} the last refusal, where no variant is taken; the signal's reason when that is aborted.
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
      how.log.warn({ work: how.work, variant: variant.name, error }, 'what was begun came to nothing');
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
      how.log.warn({ work: how.work, variant: variant.name, error }, 'a place did not take a result');
    }
  }
  throw refusal ?? new PlatformError('refused');
}

/** What cannot be found out was not begun. */
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
  const tell = onNewError((error) =>
    log.warn({ work: about, variant, error }, 'a result could not be posted yet'),
  );
  const failed = (error: unknown) => {
    if (isAccessLostForGood(error)) throw error;
    const away = error instanceof PlatformError && error.kind === 'unreachable';
    if (isLocal(error)) troubles.note(about, error);
    else if (!away && (error instanceof PlatformError || ++unexpected >= triesOfUnexpected)) throw error;
    tell(error);
  };
  return untilDone(work, { clock, waits, signal, failed }).finally(() => troubles.clear(about));
}
