import type { Bot } from '../app/bot.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../ops/index.ts';
import { type Database, type databaseFileWatch, sweep } from '../store/index.ts';

/** Between two rounds of upkeep, in milliseconds. */
const spacing = 3_600_000;

/** Between two looks for questions that nobody has answered in time, in milliseconds. */
export const questionsSpacing = 60_000;

/** What upkeep looks after. */
export interface UpkeepDependencies {
  readonly bot: Bot;
  readonly clock: Clock;
  readonly database: Database;
  readonly databaseFile: ReturnType<typeof databaseFileWatch>;
  readonly log: Log;
}

/**
 * At once and every hour (questions that nobody answered: every minute): checks that the database's file is still there, reads
 * the list of voices for suggestions, and deletes records and files that nothing needs any more. Returns what stops it.
 */
export function startUpkeep({ bot, clock, database, databaseFile, log }: UpkeepDependencies): () => void {
  const stop = new AbortController();
  const attempt = (work: Promise<unknown>, failure: string) =>
    work.catch((error: unknown) => {
      if (!stop.signal.aborted) log.warn({ error }, failure);
    });
  const checkFile = async () => {
    const fault = await databaseFile();
    if (fault !== undefined) log.error({}, fault);
  };
  const upkeep = () => {
    void checkFile();
    void attempt(bot.voiceList.refresh(stop.signal), 'the list of voices could not be read');
    void attempt(sweep(database, clock.now()), 'old records could not be deleted');
    void attempt(bot.sweepFiles(), 'files that nothing needs could not be deleted');
  };
  const questions = () =>
    void attempt(bot.endUnanswered(), 'questions that nobody answered could not be ended');
  upkeep();
  questions();
  const timers = [setInterval(upkeep, spacing).unref(), setInterval(questions, questionsSpacing).unref()];
  return () => {
    for (const timer of timers) clearInterval(timer);
    stop.abort();
  };
}
