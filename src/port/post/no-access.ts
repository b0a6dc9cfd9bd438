import { PlatformError } from './platform-adapter.ts';

/**
 * So long, in milliseconds of running time, something finished waits for the bot to be let into a workspace again.
 * After that it counts as undeliverable.
 */
export const longestAbsence = 30 * 86_400_000;

/** The bot has no access to a workspace: it was taken out, or its token is refused. Whoever runs it may mend that. */
export class NoAccessError extends PlatformError {
  /** Milliseconds of running time since that was first seen. */
  readonly lasted: number;
  constructor(lasted: number, detail: string | undefined, options?: ErrorOptions) {
    super('unreachable', detail, options);
    this.name = 'NoAccessError';
    this.lasted = lasted;
  }
}

/** Whether nobody can be reached there any more, as far as anybody waits for that. */
export function isAccessLostForGood(error: unknown): boolean {
  return error instanceof NoAccessError && error.lasted >= longestAbsence;
}

/** Tells of a failure that is tried again where it's another than the last: one line of the log for one trouble. */
export function onNewError(tell: (error: unknown) => void): (error: unknown) => void {
  let last: string | undefined;
  return (error) => {
    const state = error instanceof Error ? error.message : String(error);
    if (state !== last) tell(error);
    last = state;
  };
}
