import type { Conversations } from '../../conversation/index.ts';
import type { Locks } from '../../coordination/index.ts';
import { type Clock, inTurn } from '../../lib/clock.ts';
import { operatorsOwn } from '../../place-settings/index.ts';
import {
  commandFor,
  conversationKey,
  type Job,
  type Jobs,
  type LiveAnswers,
  type Place,
  type Places,
  type Platform,
  type PlatformAdapter,
  type PlatformName,
} from '../../port/index.ts';
import type { Renders } from '../../renders/index.ts';
import {
  type Database,
  deleteEndedJobs,
  deletePlaceRows,
  deleteWaiting,
  forgetCapabilities,
  type Records,
} from '../../store/index.ts';
import type { AuditChannel } from '../audit/audit-channel.ts';
import type { Reports } from '../audit/reports.ts';
import type { BudgetAlerts } from '../budget-alerts.ts';
import type { FirstContacts } from '../endings.ts';
import { rootOf } from '../job-context.ts';
import type { BotTurns } from '../policy/limits.ts';
import type { AnswerVersions } from '../results/answer-versions.ts';
import type { ImageVersions } from '../results/image-versions.ts';
import { jobsOf } from './personal-data.ts';

const day = 86_400_000;
/** What's kept of a place from which the bot was removed stays for so long: somebody may have done it by mistake. */
const grace = day;
/** A removal is known for so long if it can't be carried out, since the platform isn't running, for example. */
const removalLife = 90 * day;
/** Commands that are forgotten before they're deleted. */
const forgottenAtOnce = 200;
/** Places of a list that are looked up at a time. */
const atOnce = 500;

/** A platform, as far as it keeps something of places. */
type PlaceKeeper = Pick<Platform, 'isIn' | 'forget'> & {
  readonly adapter: Pick<PlatformAdapter, 'forgetAbove'>;
};

interface PlaceDataDependencies {
  readonly database: Database;
  /** The places where the bot is, and those from which it was removed. */
  readonly keyv: Records;
  readonly platforms: (name: PlatformName) => PlaceKeeper | undefined;
  readonly conversations: Pick<Conversations, 'forgetQuotes' | 'forgetUnder'>;
  readonly jobs: Pick<Jobs, 'at' | 'named'>;
  readonly renders: Pick<Renders, 'cancel'>;
  readonly answers: Pick<LiveAnswers, 'messagesOf'>;
  readonly answerVersions: Pick<AnswerVersions, 'forgetWritten'>;
  readonly imageVersions: Pick<ImageVersions, 'forget'>;
  readonly botTurns: Pick<BotTurns, 'forgetPlace'>;
  readonly budgetAlerts: Pick<BudgetAlerts, 'forget'>;
  readonly firstContacts: Pick<FirstContacts, 'forgetPlace'>;
  readonly audit: Pick<AuditChannel, 'forget'>;
  readonly reports: Pick<Reports, 'forgetPlace'>;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly log: { info(data: object, message: string): void };
}

/** A place where the bot is, and as what. */
interface Known {
  readonly workspace: string;
  readonly account: string;
}

/** The bot was removed from a place then, in milliseconds since the epoch. */
interface RemovedFrom extends Place {
  readonly at: number;
}

/** What is kept about servers and workspaces is deleted a day after the bot was removed there, unless it's there again. */
export class PlaceData implements Places {
  readonly #dependencies: PlaceDataDependencies;

  constructor(dependencies: PlaceDataDependencies) {
    this.#dependencies = dependencies;
  }

  async joined(place: Place, account?: string): Promise<void> {
    if (account !== undefined) await this.#know(place, account);
    await this.#dependencies.keyv.delete(removedKey(place));
  }

  async left(place: Place): Promise<void> {
    const { keyv, clock } = this.#dependencies;
    await keyv.set(removedKey(place), { ...place, at: clock.now() } satisfies RemovedFrom, removalLife);
  }

  async isMissing(place: Place): Promise<void> {
    const { keyv, clock } = this.#dependencies;
    await keyv.add(removedKey(place), { ...place, at: clock.now() } satisfies RemovedFrom, removalLife);
  }

  async leftUnderWay(platform: PlatformName): Promise<readonly string[]> {
    const { jobs, keyv } = this.#dependencies;
    const removed = await keyv.startingWith<RemovedFrom>(`${removedPrefix}${platform} `);
    if (removed.length === 0) return [];
    const underWay = new Set((await jobs.at(platform, {})).map(({ job }) => job.address.workspace));
    return removed.flatMap(({ workspace }) => (underWay.has(workspace) ? [workspace] : []));
  }

  async are({ platform, account, workspaces, isListed }: Parameters<Places['are']>[0]): Promise<void> {
    const { keyv } = this.#dependencies;
    for (let from = 0; from < workspaces.length; from += atOnce) {
      const some = workspaces.slice(from, from + atOnce).map((workspace) => ({ platform, workspace }));
      const known = await keyv.having(some.map((place) => knownKey(place, account)));
      for (const place of some) if (!known.has(knownKey(place, account))) await this.#know(place, account);
    }
    const there = new Set(workspaces);
    const [first, last] = [knownPrefix({ platform }), `${knownPrefix({ platform })}\uffff`];
    for (let after = first; ;) {
      const known = await keyv.range<Known>(after, last, atOnce);
      for (const { workspace, ...as } of known) {
        const isGone = as.account === account && isListed(workspace) && !there.has(workspace);
        if (isGone) await this.isMissing({ platform, workspace });
      }
      const end = known.at(-1);
      if (!end || known.length < atOnce) return;
      after = `${knownKey({ platform, ...end }, end.account)} `;
    }
  }

  async #know(place: Place, account: string): Promise<void> {
    const { workspace } = place;
    await this.#dependencies.keyv.add(knownKey(place, account), { workspace, account } satisfies Known);
  }

  /**
   * Deletes what's kept of places from which the bot was removed a day ago, and what has ended there since. Call at start, and
   * now and then.
   * @throws the first error, at the end.
   */
  async erase(): Promise<void> {
    const { keyv, locks, clock } = this.#dependencies;
    await locks.run('places', async () => {
      const removed = await keyv.startingWith<RemovedFrom>(removedPrefix);
      const due = removed.filter(({ at }) => clock.now() - at >= grace);
      await inTurn(due, (place) => this.#eraseIfRemoved(place));
    });
  }

  async #eraseIfRemoved(place: RemovedFrom): Promise<void> {
    const { keyv, platforms, clock, log } = this.#dependencies;
    const { platform, workspace } = place;
    const asked = platforms(platform);
    if (!asked?.isIn) return;
    // What's there by now is of the place that the bot isn't in, also what came a moment after the removal.
    const before = clock.now();
    if (await asked.isIn(workspace)) return this.joined(place);
    const isOver = await this.#erase({ platform, workspace }, before, async () => asked.forget?.(workspace));
    if (!isOver) return;
    await keyv.deleteStartingWith(`${knownPrefix(place)}${workspace} `);
    await keyv.delete(removedKey(place));
    log.info({ platform, workspace }, 'what was kept of a place that the bot is not in any more is deleted');
  }

  /**
   * Each step may be done again, and none is once the bot is invited again.
   * @returns whether nothing is left: what was under way in the beginning may leave something until the next time.
   */
  async #erase(place: Place, before: number, forgetThere: () => Promise<void>): Promise<boolean> {
    const { audit, botTurns, database, budgetAlerts, conversations, firstContacts, jobs, keyv } =
      this.#dependencies;
    const { renders, reports } = this.#dependencies;
    const { platform, workspace } = place;
    const known = await jobs.at(platform, { workspace });
    const underWay = known.filter(({ job }) => job.createdAt <= before);
    const steps = [
      () => deletePlaceRows(database, place, before, operatorsOwn),
      () => budgetAlerts.forget(place),
      () => firstContacts.forgetPlace(place),
      () => botTurns.forgetPlace(place),
      () => audit.forget(place),
      () => reports.forgetPlace(place),
      () => forgetCapabilities(database, place),
      () => conversations.forgetUnder(conversationKey({ ...place, channel: '' })),
      async () => {
        for (const { job } of underWay) await renders.cancel(job.id);
      },
      () => deleteWaiting(database, place, before),
      () => this.#forgetAll(place, before),
      () => deleteEndedJobs(database, before, place),
      forgetThere,
    ];
    for (const step of steps) {
      if (!(await keyv.has(removedKey(place)))) return false;
      await step();
    }
    return underWay.length === 0;
  }

  /** What's forgotten of many goes before the rest is: a death in between leaves little to be done again. */
  async #forgetAll(place: Place, before: number): Promise<void> {
    let count = 0;
    for await (const job of jobsOf(this.#dependencies, place, before)) {
      await this.#forget(job);
      count += 1;
      if (count % forgottenAtOnce === 0)
        await deleteEndedJobs(this.#dependencies.database, job.createdAt - 1, place);
    }
  }

  /** Nothing quotes a command or its answer any more, nobody pages back to it, and no words stand above it. */
  async #forget(job: Job): Promise<void> {
    const { answers, answerVersions, conversations, imageVersions, platforms } = this.#dependencies;
    await conversations.forgetQuotes([job.id], 'ifQuoted');
    const messages = await answers.messagesOf(job.id);
    const { adapter } = platforms(job.address.platform) ?? {};
    for (const message of messages) await adapter?.forgetAbove(message);
    if (job.command === commandFor.chat) await answerVersions.forgetWritten(job.id, messages);
    else if (rootOf(job) === job.id) await imageVersions.forget(job.id);
  }
}

const removedPrefix = 'removed ';
const removedKey = ({ platform, workspace }: Place) => `${removedPrefix}${platform} ${workspace}`;
/** Begins the keys of the places where the bot is known to be on a platform. */
export const knownPrefix = ({ platform }: Pick<Place, 'platform'>) => `known ${platform} `;
const knownKey = (place: Place, account: string) => `${knownPrefix(place)}${place.workspace} ${account}`;
