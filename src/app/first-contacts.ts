import type { Clock } from '../lib/clock.ts';
import { nowOrLater, unlessLocal } from '../lib/local-faults.ts';
import { personKey } from '../place-settings/index.ts';
import {
  type CommandEnd,
  commandFor,
  isPrivate,
  type Job,
  type Place,
  type PlatformAdapters,
} from '../port/index.ts';
import type { Records } from '../store/index.ts';
import { words } from '../words/index.ts';

interface FirstContactsDependencies {
  /** Who was told, and in which answer. */
  readonly keyv: Records;
  readonly adapters: PlatformAdapters;
  readonly clock: Clock;
}

/** Somebody was told, or everybody in a place. */
interface FirstContact {
  /** The job whose answer says so. */
  readonly job: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * That one talks to a machine stands below the first answer that somebody gets in direct messages, or a place where the bot
 * hasn't introduced itself: once, in whichever process; after a death maybe twice, but not never.
 */
export class FirstContacts {
  readonly #dependencies: FirstContactsDependencies;

  constructor(dependencies: FirstContactsDependencies) {
    this.#dependencies = dependencies;
  }

  /** The line below a job's answer; undefined if there's none. The same however often it's asked. */
  async lineFor(job: Job): Promise<string | undefined> {
    const { id, requester } = job;
    const { keyv, clock } = this.#dependencies;
    const met = this.#met(job);
    if (met === undefined) return undefined;
    try {
      const isFirst = await keyv.add(met, { job: id, at: clock.now() } satisfies FirstContact);
      const isSaid = isFirst || (await keyv.get<FirstContact>(met))?.job === id;
      return isSaid ? words(requester.locale).firstContact : undefined;
    } catch (error) {
      // It's said the next time.
      return unlessLocal(error);
    }
  }

  /** Nobody reads a job's answer: if it had the line, the next one has it. */
  async unsaid(job: Job): Promise<void> {
    const { keyv } = this.#dependencies;
    const met = this.#met(job);
    if (met !== undefined && (await keyv.get<FirstContact>(met))?.job === job.id) await keyv.delete(met);
  }

  /**
   * A command that went on by a record of its own has ended. Media that isn't done came to nobody; of an answer, people may have
   * read a part.
   */
  ended(job: Job, { outcome, reason }: CommandEnd): void {
    const isUnseen = job.command === commandFor.chat ? reason === 'platform' : outcome !== 'done';
    if (isUnseen) void nowOrLater(() => this.unsaid(job), this.#dependencies).catch(() => {});
  }

  /** Whom a job's answer would tell; undefined where nobody has to be told. */
  #met(job: Job): string | undefined {
    const { address, requester } = job;
    const whom = requester.bot ? undefined : this.#dependencies.adapters(address.platform)?.meets(address);
    if (!whom) return undefined;
    // What only its requester sees tells nobody else.
    const isForAll = whom === 'place' && !isPrivate(job);
    return keyOf(isForAll ? { ...address, person: '' } : personKey(address, requester.id));
  }

  /** Somebody isn't known any more whom the bot met by then. */
  async forget(owner: ReturnType<typeof personKey>, before: number): Promise<void> {
    const { keyv } = this.#dependencies;
    const met = await keyv.get<FirstContact>(keyOf(owner));
    if (met && met.at <= before) await keyv.delete(keyOf(owner));
  }

  /** A workspace isn't, with those whom it has its own ids for. */
  async forgetPlace({ platform, workspace }: Place): Promise<void> {
    await this.#dependencies.keyv.deleteStartingWith(keyOf({ platform, workspace, person: '' }));
  }
}

function keyOf({ platform, workspace, person }: ReturnType<typeof personKey>): string {
  return `${platform} ${workspace} ${person}`;
}
