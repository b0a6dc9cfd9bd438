import type { Log } from './log.ts';

/** The last lines have so long to be written, in milliseconds: the process is to be gone within a second. */
const lastWords = 500;

/**
 * An error that nobody handled, rejections among them, leaves the process in a state that nobody knows: it is
 * logged, and the process ends with status 1, so that whatever runs it starts it anew. What was under way is on
 * record.
 */
export function endOnUncaught(log: Log, flushed: (milliseconds: number) => Promise<void>): void {
  let ending = false;
  process.on('uncaughtException', (error, origin) => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(1), lastWords);
    try {
      log.fatal({ error, origin }, 'an error that nobody handled: the process ends');
    } finally {
      void flushed(lastWords).finally(() => process.exit(1));
    }
  });
}
