import { type Clock, untilDone } from './clock.ts';

/**
 * What keeps work from going on: a full disk, a database that is locked or away. Shown by `/readyz` while it lasts. No
 * larger than the work under way.
 */
export class LocalFaults {
  readonly #reasons = new Map<string, string>();

  /** This work waits because of that error. */
  note(work: string, error: unknown): void {
    this.#reasons.set(work, reasonOf(error));
  }

  /** It goes on. */
  clear(work: string): void {
    this.#reasons.delete(work);
  }

  /** Why work waits, in words for the operator; undefined where none does. */
  notReady(): string | undefined {
    if (this.#reasons.size === 0) return undefined;
    return [...Map.groupBy(this.#reasons.values(), (reason) => reason)]
      .map(([reason, works]) => `${works.length} waiting: ${reason}`)
      .join('; ');
  }
}

/** The system's own word for an error, without paths or content; its class where it has none. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code, errstr } = error as { readonly code?: unknown; readonly errstr?: unknown };
  if (typeof errstr === 'string') return errstr;
  return typeof code === 'string' ? code : error.name;
}

/** Whether an error is of this machine or the database, so that the same can work once that is mended. */
export function isLocal(error: unknown): boolean {
  const { code, syscall } = (error ?? {}) as { readonly code?: unknown; readonly syscall?: unknown };
  if (code === 'ERR_SQLITE_ERROR' || code === 'ERR_POSTGRES_AWAY') return true;
  return typeof code === 'string' && localCodes.has(code) && typeof syscall === 'string';
}

/** What work gives that this machine or the database doesn't let happen: nothing. @throws any other error. */
export function unlessLocal(error: unknown): undefined {
  if (!isLocal(error)) throw error;
}

const localCodes = new Set([
  'EACCES',
  'EBUSY',
  'EDQUOT',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'ENOSPC',
  'EPERM',
  'EROFS',
]);

/**
 * Writes something down now, or where this machine does not let that happen, as soon as it does: nobody waits for
 * it. @throws what is no trouble of this machine.
 */
export async function nowOrLater(
  work: () => Promise<void>,
  { clock, signal }: { readonly clock: Clock; readonly signal?: AbortSignal },
): Promise<void> {
  try {
    await work();
  } catch (error) {
    unlessLocal(error);
    const waits = { first: 1_000, longest: 60_000 };
    untilDone(work, { clock, waits, signal, failed: unlessLocal }).catch(() => {});
  }
}

/** Reports an error only if it differs from the previous one, so that a repeated failure takes one log line. */
export function onNewError(tell: (error: unknown) => void): (error: unknown) => void {
  let last: string | undefined;
  return (error) => {
    const state = error instanceof Error ? error.message : String(error);
    if (state !== last) tell(error);
    last = state;
  };
}
