import { vi } from 'vitest';
import { type Invocation, Recovery, type RecoveryDependencies } from '../../src/engine/index.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { type Job, type PlatformAdapter, privateOption, type Reply } from '../../src/port/index.ts';
import { createJobs, createLiveAnswers, type Database } from '../../src/store/index.ts';
import { words } from '../../src/words/index.ts';
import { FakeClock } from '../fakes/clock.ts';
import { type AnyCommand, defineCommand } from '../fakes/commands.ts';
import { unwatched } from '../fakes/unwatched.ts';
import { patience } from '../patience.ts';

const description = { en: 'x', 'zh-CN': 'x' };

/** A command that answers as a test says, and never ends; an announcement of it ends with an ellipsis. */
export function unended(name: string, answer: (reply: Reply, jobId: string) => unknown): AnyCommand {
  const options = {
    prompt: { type: 'text', required: true, description },
    private: privateOption,
  } as const;
  return defineCommand<typeof options>({
    name,
    description,
    help: description,
    options,
    textOption: 'prompt',
    seenBy: 'channel',
    isInterim: (shown) => shown.trimEnd().endsWith('…'),
    async run({ reply, job }: Invocation<{ prompt: string }>) {
      await answer(reply, job.id);
      await new Promise(() => {});
    },
  });
}

/**
 * As if the process had died after the platform took what it sent, and before it could write that down. Waits until it
 * has, so that nothing is written down after this.
 */
export async function forgetAnswers(database: Database): Promise<void> {
  await vi.waitFor(async () => {
    const written = await database.selectFrom('live_answers').select('job_id').execute();
    if (written.length === 0) throw new Error('nothing is written down');
  }, patience);
  await database.deleteFrom('live_answers').execute();
}

/** Ends what a former process left, as the next start does. */
export async function recover(...left: Parameters<typeof startRecovery>): Promise<void> {
  const { recovery } = await startRecovery(...left);
  await recovery.settled();
}

/** Begins with what a former process left; answers how many commands that is. */
export async function startRecovery(
  database: Database,
  adapter: PlatformAdapter,
  commands: readonly AnyCommand[],
  clock: Clock = new FakeClock(),
  takeAway: (job: Job) => Promise<void> = async () => {},
  question: RecoveryDependencies['question'] = async () => undefined,
  endMessage?: RecoveryDependencies['endMessage'],
): Promise<{ count: number; recovery: Recovery }> {
  const recovery = new Recovery({
    commands,
    jobs: createJobs(database),
    answers: createLiveAnswers(database),
    adapters: () => adapter,
    question,
    takeAway,
    closeQuestionOf: async () => {},
    watch: unwatched(),
    ...(endMessage && { endMessage }),
    clock,
    log: { warn: () => {} },
  });
  const unfinished = await createJobs(database).unfinished();
  recovery.notifyAll(unfinished);
  return { count: unfinished.length, recovery };
}

/** What people are told of a command that was given with this prompt. */
export const interrupted = (prompt: string): string => words('en').interrupted(prompt);
