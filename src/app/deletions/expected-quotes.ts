import type { Conversations } from '../../conversation/index.ts';
import type { AnyValues, Drafts, Jobs } from '../../port/index.ts';
import type { RecentDeletions } from './recent-deletions.ts';

export interface ExpectedQuotesDependencies {
  readonly conversations: Pick<Conversations, 'expectQuotes' | 'forgetQuotes'>;
  readonly recent: Pick<RecentDeletions, 'sourcesOf'>;
}

/**
 * What questions quote is noted before they're on record, and before a form is whose question will: from then on, what's
 * deleted of it is left out, however long the question waits.
 */
export class ExpectedQuotes {
  readonly #dependencies: ExpectedQuotesDependencies;

  constructor(dependencies: ExpectedQuotesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Jobs that quote. */
  jobs(jobs: Jobs): Jobs {
    return {
      ...jobs,
      add: async (job, ...how) => {
        await this.#note([job.options, job.instead?.options]);
        return jobs.add(job, ...how);
      },
    };
  }

  /** Drafts that quote. */
  drafts(drafts: Drafts): Drafts {
    return {
      ...drafts,
      keep: async (draft) => {
        await this.#note([draft.added]);
        return drafts.keep(draft);
      },
    };
  }

  async #note(values: readonly (AnyValues | undefined)[]): Promise<void> {
    const { conversations, recent } = this.#dependencies;
    const contexts = new Set(values.map((given) => given?.context));
    for (const context of contexts) {
      if (typeof context !== 'string') continue;
      const sources = await conversations.expectQuotes(context);
      // Its deletion may have come before.
      const deleted = sources.length > 0 ? await recent.sourcesOf(sources) : [];
      if (deleted.length > 0) await conversations.forgetQuotes(deleted);
    }
  }
}
