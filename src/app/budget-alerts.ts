import type { Locks } from '../coordination/index.ts';
import type { BudgetPassed, OnPassed } from '../credits/index.ts';
import { type Clock, quarterHourOf } from '../lib/clock.ts';
import type { PlaceSettings } from '../place-settings/index.ts';
import {
  adapterOf,
  type Address,
  type ControlOutcome,
  type Operator,
  type PlatformAdapters,
  refusalOf,
} from '../port/index.ts';
import type { Database, Records } from '../store/index.ts';
import { creditsInWords, type Words, words } from '../words/index.ts';
import { latestLocale, type Operators } from './policy/operators.ts';
import { channelNameOf } from './presenters/usage-report.ts';

const [hour, day] = [3_600_000, 86_400_000];
/** What was said is known for so long: a day is over then in every time zone. */
const alertLife = 2 * day;
/** Changes among which it's looked for who chose a budget. */
const changesRead = 100;
/** An hour is unusual from so many times the others on. */
const unusual = 3;
/** Fewer hours with any use say nothing about what's usual. */
const fewestHours = 3;
/** Credits; an hour that costs less isn't worth a word. */
const leastUnusual = 100;
/** How far back the sums for budgets go, in milliseconds. */
const sumsKept = 2 * day;

/** A notice, and who gets it. */
interface Alert {
  readonly to: Operator;
  readonly sentence: Sentence;
  /** It's with them, or can't be. */
  readonly isDone?: true;
  /** It can't be. */
  readonly isRefused?: true;
}

/** A budget has passed a share of what's allowed, and nobody's on record yet who is told. */
interface Passed {
  /** What the keys of its notices begin with. */
  readonly about: string;
  readonly address: Address;
  readonly passed: BudgetPassed;
}

const passedPrefix = 'passed ';
/** How many of platform, workspace and channel name whose a budget is. */
const depthOf = { channel: 3, workspace: 2, bot: 0 } as const;

type Sentence =
  | {
      readonly about: 'budget';
      readonly of: 'channel' | 'workspace' | 'bot';
      readonly share: number;
      readonly credits: number;
      /** The channel. */
      readonly at?: Address;
    }
  | {
      readonly about: 'hour';
      readonly of: 'workspace' | 'bot';
      readonly spent: number;
      readonly usual: number;
    }
  | { readonly about: 'test' };

/** It's about one server or workspace, and for its administrators. */
function isOfPlace(sentence: Sentence): boolean {
  return sentence.about !== 'test' && sentence.of !== 'bot';
}

interface BudgetAlertsDependencies {
  readonly database: Database;
  /** What was said, and is to be. */
  readonly keyv: Records;
  readonly placeSettings: Pick<PlaceSettings, 'changes'>;
  readonly operators: Pick<Operators, 'groups' | 'localeOf'>;
  readonly adapters: PlatformAdapters;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/**
 * Sends direct messages when credits run out: at 50, 80 and 95 percent of a daily budget to the administrator who set it, of the whole
 * bot's to operators, and when an hour costs three times its usual. Each once a day.
 */
export class BudgetAlerts {
  readonly #dependencies: BudgetAlertsDependencies;
  readonly #underWay = new Set<Promise<void>>();

  constructor(dependencies: BudgetAlertsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Budgets pass shares of what's allowed by a call that `transaction` puts on record: whom to tell is only found out after that,
   * so it's on record until then. @returns what begins to tell, while the call goes on.
   */
  readonly passed: OnPassed = async (transaction, { address: { platform, workspace, channel } }, passed) => {
    const keyv = this.#dependencies.keyv.within(transaction);
    const noted: Passed[] = [];
    for (const one of passed) {
      const { budget, renewsAt, share } = one;
      // Once it has renewed, it isn't today's any more.
      const life = renewsAt - this.#dependencies.clock.now();
      if (budget.of === 'user' || life <= 0) continue;
      const place = [platform, workspace, channel].slice(0, depthOf[budget.of]);
      const about = ['budget', budget.of, ...place, budget.credits, renewsAt, share].join(' ');
      const note = { about, address: { platform, workspace, channel }, passed: one };
      await keyv.add(passedPrefix + about, note, life);
      noted.push(note);
    }
    return () => noted.forEach((note) => this.#track(this.#tellPassed(note)));
  };

  #track(work: Promise<void>): void {
    const telling = work
      .catch((error: unknown) =>
        this.#dependencies.log.warn({ error }, 'nobody could be told about a budget'),
      )
      .finally(() => this.#underWay.delete(telling));
    this.#underWay.add(telling);
  }

  /** Nobody is told any more of a server or workspace from which the bot was removed. */
  async forget({ platform, workspace }: Place): Promise<void> {
    const where = `${platform} ${workspace} `;
    for (const about of ['budget channel', 'budget workspace', 'hour workspace'])
      for (const prefix of ['', passedPrefix])
        await this.#dependencies.keyv.deleteStartingWith(`${prefix}${about} ${where}`);
  }

  /** Resolves when nothing of it's under way any more. */
  async close(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #tellPassed({ about, address, passed: { budget, share, renewsAt } }: Passed): Promise<void> {
    const { clock, keyv } = this.#dependencies;
    const { of, credits } = budget;
    if (of === 'user') return;
    const people = of === 'bot' ? await this.#operators() : await this.#whoChose(address, `${of}_credits`);
    const at = of === 'channel' ? { at: address } : {};
    const life = renewsAt - clock.now();
    if (life > 0) await this.#tell(people, about, { about: 'budget', of, share, credits, ...at }, life);
    await keyv.delete(passedPrefix + about);
  }

  /** Looks at the last hour, and tries again to tell what couldn't be told. Call every hour. */
  async look(): Promise<void> {
    const { clock, locks } = this.#dependencies;
    await locks.run('budget alerts', async () => {
      const now = clock.now();
      await this.#lookAtHour(now, { platform: '', workspace: '' }, () => this.#operators());
      for (const place of await this.#spentLately(now))
        await this.#lookAtHour(now, place, () =>
          this.#whoChose({ ...place, platform: place.platform as Address['platform'], channel: '' }),
        );
      for (const passed of await this.#dependencies.keyv.startingWith<Passed>(passedPrefix))
        await this.#tellPassed(passed);
      for (const [key, alert] of await this.#open()) await this.#send(key, alert);
    });
  }

  async #lookAtHour(now: number, place: Place, whom: () => Promise<readonly Operator[]>): Promise<void> {
    const { database } = this.#dependencies;
    const rows = await database
      .selectFrom('budget_use')
      .select(['quarter', 'high'])
      .where('platform', '=', place.platform)
      .where('workspace', '=', place.workspace)
      .where('channel', '=', '')
      .where('person', '=', '')
      .where('quarter', '>', quarterHourOf(now - sumsKept))
      .execute();
    const hours = new Map<number, number>();
    for (const { quarter, high } of rows) {
      const ago = Math.floor((quarterHourOf(now) - quarter) / 4);
      hours.set(ago, (hours.get(ago) ?? 0) + Number(high) / 1e6);
    }
    const spent = hours.get(0) ?? 0;
    hours.delete(0);
    const others = [...hours.values()].filter((credits) => credits > 0);
    if (others.length < fewestHours || spent < leastUnusual) return;
    const usual = others.reduce((sum, credits) => sum + credits, 0) / others.length;
    if (spent < unusual * usual) return;
    const of = place.platform === '' ? 'bot' : 'workspace';
    const key = ['hour', of, place.platform, place.workspace, Math.floor(now / day)].join(' ');
    await this.#tell(await whom(), key, { about: 'hour', of, spent, usual });
  }

  /** Workspaces in which something was spent within the last hour. */
  async #spentLately(now: number): Promise<readonly Place[]> {
    return this.#dependencies.database
      .selectFrom('budget_use')
      .select(['platform', 'workspace'])
      .distinct()
      .where('quarter', '>', quarterHourOf(now - hour))
      .where('workspace', '<>', '')
      .where('channel', '=', '')
      .where('person', '=', '')
      .execute();
  }

  /** Sends operators a message that says only that it arrives; `id` names it, so that it's sent once. */
  async test(id: string): Promise<ControlOutcome> {
    const people = await this.#operators();
    if (people.length === 0) return 'unknown';
    const key = `test ${id}`;
    const isNew = await this.#tell(people, key, { about: 'test' });
    const sent = await this.#dependencies.keyv.startingWith<Alert>(`${key} `);
    if (sent.some(({ isDone, isRefused }) => isDone && !isRefused)) return 'done';
    if (sent.every(({ isRefused }) => isRefused)) return 'unknown';
    // Another press is sending it, or it's tried again anyway.
    return isNew ? 'failed' : 'unchanged';
  }

  /** Tried for `life` milliseconds. @returns whether there's somebody who hadn't been told before. */
  async #tell(
    people: readonly Operator[],
    key: string,
    sentence: Sentence,
    life = alertLife,
  ): Promise<boolean> {
    const { keyv } = this.#dependencies;
    let isNew = false;
    for (const to of people) {
      const alert: Alert = { to, sentence };
      const own = `${key} ${to.platform} ${to.workspace} ${to.person}`;
      if (!(await keyv.add(own, { ...alert, key: own }, life))) continue;
      isNew = true;
      await this.#send(own, alert);
    }
    return isNew;
  }

  async #open(): Promise<readonly (readonly [string, Alert])[]> {
    const kept = await this.#dependencies.keyv.startingWith<Passed | (Alert & { readonly key: string })>('');
    return kept.flatMap((one) => ('passed' in one || one.isDone ? [] : [[one.key, one] as const]));
  }

  /** What can't be told now is told with the next look. */
  async #send(key: string, alert: Alert): Promise<void> {
    const { keyv, log } = this.#dependencies;
    const { platform, workspace, person } = alert.to;
    let isRefused = false;
    try {
      // Who chose it may be an administrator again later, or that can't be known now.
      if (isOfPlace(alert.sentence) && !(await this.#administers(alert.to))) return;
      const adapter = adapterOf(this.#dependencies, alert.to);
      const text = await this.#textOf(
        alert.sentence,
        words(await latestLocale(alert.to, this.#dependencies), platform),
        person,
      );
      await adapter.post(await adapter.directMessages(workspace, person), { text }, `alert:${key}`);
    } catch (error) {
      isRefused = refusalOf(error) !== undefined;
      log.warn({ error, platform, person, triedAgain: !isRefused }, 'nobody could be told about a budget');
      if (!isRefused) return;
    }
    await keyv.set(key, { ...alert, key, isDone: true, ...(isRefused && { isRefused }) }, alertLife);
  }

  async #operators(): Promise<readonly Operator[]> {
    const groups = this.#dependencies.operators.groups().map((group) => group.catch(() => []));
    return (await Promise.all(groups)).flat();
  }

  /**
   * Of those who are administrators now, who chose a setting last that applies there; where it's the environment's, who chose any.
   * If none is, the alert waits for who chose it.
   */
  async #whoChose(address: Address, name?: string): Promise<readonly Operator[]> {
    const changes = await this.#dependencies.placeSettings.changes(address, changesRead);
    // The operator, who may have changed something there, too, is nobody's name.
    const byPeople = changes.filter(({ person }) => person !== '');
    const ofIt = byPeople.filter((change) => change.name === name);
    const { platform, workspace } = address;
    const chose = [...new Set([...ofIt, ...byPeople].map(({ person }) => person))].map((person) => ({
      platform,
      workspace,
      person,
    }));
    for (const one of chose) if (await this.#administers(one).catch(() => false)) return [one];
    return chose.slice(0, 1);
  }

  /** Rejects where its platform isn't running. */
  async #administers({ platform, workspace, person }: Operator): Promise<boolean> {
    return adapterOf(this.#dependencies, { platform }).administers(person, workspace);
  }

  async #textOf(sentence: Sentence, say: Words, reader: string): Promise<string> {
    const { alerts } = say.spending;
    if (sentence.about === 'test') return alerts.test;
    const exact = (credits: number) => creditsInWords(credits, say.locale);
    if (sentence.about === 'hour')
      return alerts.hour(sentence.of, exact(Math.round(sentence.spent)), exact(Math.round(sentence.usual)));
    const { of, share, credits, at } = sentence;
    const channel = at && (await channelNameOf(at.channel, at, this.#dependencies.adapters, reader));
    return alerts.budget(of, Math.round(share * 100), exact(credits), channel);
  }
}

interface Place {
  readonly platform: string;
  readonly workspace: string;
}
