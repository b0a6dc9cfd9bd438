import type { Log } from './log.ts';

/** How long the last log lines may take to be written, in milliseconds. */
const flushTimeout = 500;

/**
 * Logs an uncaught error or unhandled rejection and exits with status 1, for the supervisor to restart the
 * process. Its state is unknown by then; work in progress is on record.
 */
export function exitOnUncaught(log: Log, flushed: (milliseconds: number) => Promise<void>): void {
  let ending = false;
  process.on('uncaughtException', (error, origin) => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(1), flushTimeout);
    try {
      log.fatal({ error, origin }, 'uncaught error: exiting');
    } finally {
      void flushed(flushTimeout).finally(() => process.exit(1));
    }
  });
}
