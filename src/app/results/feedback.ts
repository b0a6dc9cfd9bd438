import type { UsageScope } from '../../credits/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Job } from '../../port/index.ts';
import type { Database } from '../../store/index.ts';

/** How people voted on the answers in a channel. */
export interface ChannelFeedback {
  readonly channel: string;
  readonly good: number;
  readonly bad: number;
}

/** Votes on answers. Who voted how is told to nobody. */
export class Feedback {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Takes a vote on an answer; a person's last one counts. */
  async vote(
    { id: job, address }: Pick<Job, 'id' | 'address'>,
    person: string,
    isGood: boolean,
  ): Promise<void> {
    const { platform, workspace, channel } = address;
    const vote = { good: isGood ? 1 : 0, voted_at: this.#clock.now() };
    await this.#database
      .insertInto('feedback')
      .values({ job, person, platform, workspace, channel, ...vote })
      .onConflict((conflict) => conflict.columns(['job', 'person']).doUpdateSet(vote))
      .execute();
  }

  /** The votes of a workspace, or those that one person gave; the channel with the most first. */
  async byChannel(scope: UsageScope): Promise<readonly ChannelFeedback[]> {
    const rows = await this.#within(scope)
      .select(({ fn }) => ['channel', fn.sum<number>('good').as('good'), fn.countAll<number>().as('votes')])
      .groupBy('channel')
      .orderBy('votes', 'desc')
      .orderBy('channel')
      .execute();
    return rows.map(({ channel, good, votes }) => ({
      channel,
      good: Number(good),
      bad: Number(votes) - Number(good),
    }));
  }

  /** Every vote of a scope as comma-separated values, oldest first, without who gave it. */
  async csv(scope: UsageScope): Promise<{ readonly bytes: Uint8Array; readonly rows: number }> {
    const votes = await this.#within(scope)
      .select(['voted_at', 'platform', 'workspace', 'channel', 'job', 'good'])
      .orderBy('voted_at')
      .orderBy('job')
      .execute();
    const lines = votes.map(({ voted_at, good, ...where }) =>
      [
        new Date(Number(voted_at)).toISOString(),
        where.platform,
        where.workspace,
        where.channel,
        where.job,
        good === 1 ? 'good' : 'bad',
      ].join(','),
    );
    const text = ['\uFEFFtime,platform,workspace,channel,answer,vote', ...lines, ''].join('\r\n');
    return { bytes: Buffer.from(text), rows: votes.length };
  }

  #within(scope: UsageScope) {
    const votes = this.#database
      .selectFrom('feedback')
      .where('platform', '=', scope.platform)
      .where('voted_at', '>=', scope.since);
    return 'workspace' in scope
      ? votes.where('workspace', '=', scope.workspace)
      : votes.where('person', '=', scope.person);
  }
}
