import type { Log, LogDestination } from './log.ts';

/** How long shutdown may take, in milliseconds. */
const limit = 20_000;
/** The signal that exits at once. One Ctrl+C can arrive twice: from the terminal and from `npm`. */
const signalsToExit = 3;

/**
 * A signal that aborts on SIGTERM, SIGINT or SIGHUP (the terminal was closed); the caller then shuts down and exits. A second
 * signal changes nothing, a third exits at once, as the time limit does: work in progress is on record and resumes at the
 * next start.
 */
export function stopSignals(log: Pick<Log, 'info' | 'warn'>): AbortSignal {
  const stopping = new AbortController();
  let count = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    count += 1;
    if (count >= signalsToExit) {
      log.warn({ signal }, 'exiting at once');
      process.exit(1);
    }
    if (count > 1) return log.info({ signal }, 'still shutting down; one more signal exits at once');
    log.info({ signal }, 'shutting down');
    setTimeout(() => {
      log.warn({}, 'shutdown took too long: exiting; unfinished work resumes at the next start');
      process.exit(0);
    }, limit).unref();
    stopping.abort();
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, onSignal);
  return stopping.signal;
}

/**
 * Logs an uncaught error or unhandled rejection and exits with status 1, for the supervisor to restart the
 * process. Its state is unknown by then; work in progress is on record.
 */
export function exitOnUncaught(log: Log, destination: Pick<LogDestination, 'flushed'>): void {
  let ending = false;
  process.on('uncaughtException', (error, origin) => {
    if (ending) return;
    ending = true;
    try {
      log.fatal({ error, origin }, 'uncaught error: exiting');
    } finally {
      void destination.flushed().finally(() => process.exit(1));
    }
  });
}
