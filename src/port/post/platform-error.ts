import { unlessAborted } from '../../lib/clock.ts';

/** Why a platform didn't do something. */
export type PlatformErrorKind =
  | 'no-permission'
  /** Permanent refusal of the content: never retried as is, only once in a plainer form. */
  | 'refused'
  /** The text was blocked by moderation: it must not be posted there in any form, not even as a file. */
  | 'moderated'
  /** The place is gone, or the message never was there. */
  | 'gone'
  /** Somebody deleted the message, which had been there, or its place: nothing of it is to come back to that place. */
  | 'deleted'
  | 'too-large'
  | 'expired'
  | 'file-not-allowed'
  /** It may pass. */
  | 'unreachable'
  | 'not-a-member';

/** An error from a platform, with its reason. */
export class PlatformError extends Error {
  readonly kind: PlatformErrorKind;
  /** Name of the missing permission, the limit etc., for the error message. */
  readonly detail: string | undefined;
  constructor(kind: PlatformErrorKind, detail?: string, options?: ErrorOptions) {
    super(`platform: ${kind}${detail ? ` (${detail})` : ''}`, options);
    this.name = 'PlatformError';
    this.kind = kind;
    this.detail = detail;
  }
}

/** Why a platform refuses something for good. */
export type RefusalKind = Exclude<PlatformErrorKind, 'unreachable'>;

/** Why a platform refused, for good; undefined if that may pass, or if the error isn't a platform's. */
export function refusalOf(error: unknown): RefusalKind | undefined {
  return error instanceof PlatformError && error.kind !== 'unreachable' ? error.kind : undefined;
}

/** Undefined if a platform refused the work for good. */
export async function undefinedIfRefused<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!refusalOf(error)) throw error;
    return undefined;
  }
}

/** Undefined if a platform didn't do the work, for good or for now. */
export async function undefinedIfFailed<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return undefined;
  }
}

/**
 * The result of a platform search; undefined if the platform refuses it.
 * @throws {PlatformError} `unreachable`; the signal's reason if it is aborted, because an unreachable platform may
 * never answer during shutdown.
 */
export async function searchResult<T>(
  search: Promise<T | undefined> | undefined,
  signal: AbortSignal,
): Promise<T | undefined> {
  return search && undefinedIfRefused(unlessAborted(search, signal));
}

/**
 * How long a result waits for the bot to regain access to a workspace, in milliseconds of running time. After that it
 * counts as undeliverable.
 */
export const longestAbsence = 30 * 86_400_000;

/** The bot has no access to a workspace: it was removed, or its token is rejected. The operator may fix that. */
export class NoAccessError extends PlatformError {
  /** Milliseconds of running time since this was first seen. */
  readonly lasted: number;
  constructor(lasted: number, detail: string | undefined, options?: ErrorOptions) {
    super('unreachable', detail, options);
    this.name = 'NoAccessError';
    this.lasted = lasted;
  }
}

/** A place takes nothing as long as it's archived: for what's to come there it's gone, and what stands there stays for now. */
export class ArchivedError extends PlatformError {
  constructor(detail: string | undefined, options?: ErrorOptions) {
    super('gone', detail, options);
    this.name = 'ArchivedError';
  }
}

/** Whether access has been lost for so long that nothing waits for it any longer. */
export function isAccessLostForGood(error: unknown): boolean {
  return error instanceof NoAccessError && error.lasted >= longestAbsence;
}
