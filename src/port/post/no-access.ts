import { PlatformError } from './platform-error.ts';

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

/** Whether access has been lost for so long that nothing waits for it any longer. */
export function isAccessLostForGood(error: unknown): boolean {
  return error instanceof NoAccessError && error.lasted >= longestAbsence;
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
