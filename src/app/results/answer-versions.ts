import type { Locks } from '../../coordination/index.ts';
import type { PlaceSettings } from '../../place-settings/index.ts';
import {
  adapterOf,
  type Job,
  type Message,
  type MessageAddress,
  type PlatformAdapters,
} from '../../port/index.ts';
import { type Ending, splitMarkdown, withNote, withNoteBelow } from '../../reply/index.ts';
import type { Records } from '../../store/index.ts';
import { words } from '../../words/index.ts';
import { answerButtons, pageButtons } from '../endings.ts';
import { InputError } from '../faults/explain.ts';
import { spokenBy } from '../job-context.ts';

/** Versions of one answer; the oldest is forgotten first. */
const maxVersions = 20;
/** How long a new version may take at most, in milliseconds; its process may have died. */
const longestWriting = 15 * 60_000;

/** One version of an answer. */
interface AnswerVersion {
  /** The job that wrote it. */
  readonly job: string;
  /** Without the note of its ending. */
  readonly text: string;
  readonly ending: Ending;
}

/** The versions of the answer in a message, oldest first, and the index of the one it shows. */
export interface Versions {
  readonly all: readonly AnswerVersion[];
  readonly shown: number;
}

interface AnswerVersionsDependencies {
  readonly keyv: Records;
  /** How long they are kept after the last change, in milliseconds. */
  readonly life: number;
  readonly locks: Locks;
  readonly adapters: PlatformAdapters;
  readonly placeSettings: Pick<PlaceSettings, 'at'>;
}

/** Versions of answers that each stand in one message. Their texts are kept, so that people can page through them. */
export class AnswerVersions {
  readonly #dependencies: AnswerVersionsDependencies;

  constructor(dependencies: AnswerVersionsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Undefined if a message never had several. */
  find(message: MessageAddress): Promise<Versions | undefined> {
    return this.#dependencies.keyv.get<Versions>(keyOf(message));
  }

  /** The jobs that wrote those in a channel and its threads. */
  async jobsIn(channel: Pick<MessageAddress, 'platform' | 'channel'>): Promise<readonly string[]> {
    const found = await this.#dependencies.keyv.startingWith<Versions>(keyOf({ ...channel, message: '' }));
    return found.flatMap(({ all }) => all.map(({ job }) => job));
  }

  /** The text of one version. */
  textOf(job: string): Promise<string | undefined> {
    return this.#dependencies.keyv.get<string>(`text ${job}`);
  }

  isUnderWay(message: MessageAddress): Promise<boolean> {
    return this.#dependencies.keyv.has(underWayKey(message));
  }

  /** Notes that a new version is being written, by any process, until `end`. */
  async begin(message: MessageAddress): Promise<void> {
    if (!(await this.#dependencies.keyv.add(underWayKey(message), true, longestWriting)))
      throw new InputError((say) => say.errors.answerUnderWay);
  }

  /** No new version is being written any more. A failure to note that isn't worth telling: it's forgotten in time. */
  async end(message: MessageAddress): Promise<void> {
    await this.#dependencies.keyv.delete(underWayKey(message)).catch(() => {});
  }

  /** Adds a version, once per job. It's not shown yet. */
  async add(message: MessageAddress, version: AnswerVersion): Promise<Versions> {
    const { keyv, life } = this.#dependencies;
    let versions: Versions = { all: [version], shown: 0 };
    await keyv.change<Versions>(keyOf(message), life, ({ all, shown } = { all: [], shown: 0 }) => {
      const others = all.filter(({ job }) => job !== version.job);
      const added = [...others, version].slice(-maxVersions);
      const left = Math.max(0, shown - (others.length + 1 - added.length));
      versions = { all: added, shown: left };
      return versions;
    });
    await keyv.set(`text ${version.job}`, version.text, life);
    return versions;
  }

  /** Forgets the text of one version. */
  async forgetText(job: string): Promise<void> {
    await this.#dependencies.keyv.delete(`text ${job}`);
  }

  /** Forgets what a job wrote, in its messages too: nobody pages back to it. Others' versions there stay. */
  async forgetWritten(job: string, messages: readonly MessageAddress[]): Promise<void> {
    const { keyv } = this.#dependencies;
    for (const message of messages)
      await this.#inTurn(message, async () => {
        const { all, shown } = (await this.find(message)) ?? { all: [], shown: 0 };
        const others = all.filter((version) => version.job !== job);
        if (others.length === all.length) return;
        const before = all.slice(0, shown).filter((version) => version.job !== job).length;
        if (others.length === 0) await keyv.delete(keyOf(message));
        else await this.#save(message, { all: others, shown: Math.min(before, others.length - 1) });
      });
    await this.forgetText(job);
  }

  /** Forgets the versions of a message. */
  async forget(message: MessageAddress): Promise<void> {
    await this.#dependencies.keyv.delete(keyOf(message));
  }

  /** Shows a version with its own buttons. `job` is that of any version: they differ in nothing but their text. */
  show(message: MessageAddress, versions: Versions, index: number, job: Job): Promise<void> {
    return this.#inTurn(message, () => this.#show(message, versions, index, job));
  }

  /** Shows the version so many after the one that is shown, around the end; false if there is none. */
  page(message: MessageAddress, by: number, job: Job): Promise<boolean> {
    return this.#inTurn(message, async () => {
      const versions = await this.find(message);
      if (!versions) return false;
      const count = versions.all.length;
      await this.#show(message, versions, (versions.shown + by + count) % count, job);
      return true;
    });
  }

  /**
   * The version that is shown stays while the next is being written, with a button to stop that; undefined if there is
   * none.
   */
  showUnderWay(message: MessageAddress, job: Job): Promise<Versions | undefined> {
    return this.#inTurn(message, async () => {
      const versions = await this.find(message);
      const version = versions?.all[versions.shown];
      if (!version) return undefined;
      const buttons = answerButtons(job, undefined, words(job.requester.locale), 'all');
      const shows = await this.#content(message, version, buttons, job);
      await adapterOf(this.#dependencies, message).edit(message, shows);
      return versions;
    });
  }

  /** What a message says with the version it shows, and a note below that where there's room for one. */
  async withNote(message: MessageAddress, versions: Versions, job: Job, note: string): Promise<Message> {
    const { text = '', ...shows } = (await this.#page(message, versions, versions.shown, job)) ?? {};
    const limits = await adapterOf(this.#dependencies, message).messageLimits(message);
    const [noted = note] = withNoteBelow(text === '' ? [] : [text], note, limits);
    return { ...shows, text: noted };
  }

  /** Changes of a message, one after another. */
  #inTurn<T>(message: MessageAddress, work: () => Promise<T>): Promise<T> {
    return this.#dependencies.locks.run(`answer versions ${keyOf(message)}`, work);
  }

  async #show(message: MessageAddress, versions: Versions, index: number, job: Job): Promise<void> {
    const shows = await this.#page(message, versions, index, job);
    if (!shows) return;
    await adapterOf(this.#dependencies, message).edit(message, shows);
    await this.#save(message, { all: versions.all, shown: index });
  }

  /** One version with its own buttons. */
  async #page(
    message: MessageAddress,
    { all }: Versions,
    index: number,
    job: Job,
  ): Promise<Message | undefined> {
    const version = all[index];
    if (!version) return undefined;
    const own = { ...job, id: version.job };
    const pages = pageButtons(own, { number: index + 1, count: all.length });
    const { values } = await this.#dependencies.placeSettings.at(job.address);
    const say = words(job.requester.locale);
    const buttons = [...answerButtons(own, version.ending, say, values.buttons), ...pages];
    return this.#content(message, version, buttons, job);
  }

  async #content(
    message: MessageAddress,
    { text, ending }: AnswerVersion,
    buttons: ReturnType<typeof answerButtons>,
    job: Job,
  ): Promise<Message> {
    const whole = withNote(text, ending);
    const limits = await adapterOf(this.#dependencies, message).messageLimits(message);
    const [piece = whole] = splitMarkdown(whole, limits);
    return { ...spokenBy(job), text: piece, buttons };
  }

  /** Somebody may have deleted the message, with all versions in it, while it was changed. */
  async #save(message: MessageAddress, versions: Versions): Promise<void> {
    const { keyv, life } = this.#dependencies;
    await keyv.change<Versions>(keyOf(message), life, (known) => known && versions);
  }
}

function underWayKey(message: MessageAddress): string {
  return `under way ${keyOf(message)}`;
}

function keyOf({
  platform,
  channel,
  message,
}: Pick<MessageAddress, 'platform' | 'channel' | 'message'>): string {
  return `message ${platform} ${channel} ${message}`;
}
