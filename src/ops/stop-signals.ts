import type { Log } from './log.ts';

/** Stopping may take so long, in milliseconds. */
const limit = 20_000;
/** Some send two for one: a terminal and `npm` both pass Ctrl+C on. */
const signalsUntilNow = 3;

/**
 * Aborted when the process is told to stop, by SIGTERM or SIGINT; whoever asks for it stops everything then and ends
 * the process. More signals change nothing, but the third ends the process at once, as the limit of time does: what
 * was under way is on record.
 */
export function stopSignals(log: Pick<Log, 'info' | 'warn'>): AbortSignal {
  const asked = new AbortController();
  let count = 0;
  const take = (signal: NodeJS.Signals) => {
    count += 1;
    if (count >= signalsUntilNow) {
      log.warn({ signal }, 'ending at once');
      process.exit(1);
    }
    if (count > 1)
      return log.info({ signal }, 'still shutting down; one more signal ends the process at once');
    log.info({ signal }, 'shutting down');
    setTimeout(() => {
      log.warn({}, 'what is still under way goes on after the next start');
      process.exit(0);
    }, limit).unref();
    asked.abort();
  };
  process.on('SIGTERM', take);
  process.on('SIGINT', take);
  return asked.signal;
}
