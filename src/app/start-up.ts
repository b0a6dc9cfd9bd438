import type { Log } from '../ops/index.ts';
import type { Bot } from './bot.ts';

/** What a start needs besides the bot. */
export interface StartUpOptions<Started> {
  /** Starts everything that receives: the platforms, each of which first notes what it left open itself, and HTTP. */
  readonly startReceiving: () => Promise<Started>;
  /** Aborted when the process is to stop: what was left then stays for the next start. */
  readonly stopping: AbortSignal;
  readonly log: Pick<Log, 'info'>;
}

/**
 * Starts the bot and takes up what a former process left. The order matters:
 *
 * 1. Commands left unfinished are noted. Once a platform receives, new ones would look the same.
 * 2. Credits reserved for calls that died with their process are settled, so that budgets are right for the first
 *    new command and no reservation of a new one is taken for an old one.
 * 3. Platforms and HTTP start. The next steps post, so they need the platforms.
 * 4. Finished answers go on to be delivered, and
 * 5. renders go on. Both before step 6, which asks them what still goes on by itself.
 * 6. People are told of the commands noted in step 1 that nothing goes on with.
 */
export async function startUp<Started>(
  { recovery, credits, deliveries, renders }: Pick<Bot, 'recovery' | 'credits' | 'deliveries' | 'renders'>,
  { startReceiving, stopping, log }: StartUpOptions<Started>,
): Promise<Started> {
  const interrupted = await recovery.findUnfinished();
  await credits.settleAbandoned();
  const started = await startReceiving();
  if (stopping.aborted) return started;
  const answers = await deliveries.resume();
  if (answers > 0) log.info({ answers }, 'delivering answers that the last process had finished');
  const resumed = await renders.resume();
  if (resumed > 0) log.info({ renders: resumed }, 'resuming renders of the last process');
  recovery.notifyAll();
  if (interrupted > 0)
    log.info({ jobs: interrupted }, 'ending commands that the last process left unfinished');
  return started;
}
