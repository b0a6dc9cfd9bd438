import imagine from '../../../../commands/imagine.ts';
import { words } from '../../../../src/words/index.ts';
import type { AnyCommand } from '../../../fakes/commands.ts';

/** An `/imagine` that says it begins, and fails when the test lets it go on. */
export interface BegunInVain {
  readonly command: AnyCommand;
  /** Resolves when the next one has said so. */
  said(): Promise<void>;
  /** Lets those that wait fail. */
  fail(): void;
}

export const why = 'I can’t save anything right now.';

export function begunInVain(): BegunInVain {
  let said = Promise.withResolvers<void>();
  let failed = Promise.withResolvers<void>();
  const { check: _, interrupted: __, ...definition } = imagine as unknown as AnyCommand;
  const command: AnyCommand = {
    ...definition,
    run: async ({ job, reply }) => {
      const { drawing } = words(job.requester.locale);
      await reply.say({ text: `${imagine.about?.(job)}\n${drawing}`, unquoted: drawing });
      said.resolve();
      await failed.promise;
      throw new Error(why);
    },
    actions: {
      again: { who: 'anyone', call: ({ job: { options } }) => ({ command: 'imagine', options }) },
    },
  };
  return {
    command,
    said: async () => {
      await said.promise;
      said = Promise.withResolvers();
    },
    fail: () => {
      failed.resolve();
      failed = Promise.withResolvers();
    },
  };
}

/** A talent that fails before it has said anything. */
export function failing(definition: object, error: Error = new Error(why)): AnyCommand {
  const { check: _, ...command } = definition as AnyCommand;
  return {
    ...command,
    run: async () => {
      throw error;
    },
    actions: {
      again: { who: 'anyone', call: ({ job }) => ({ command: job.command, options: job.options }) },
    },
  };
}
