import type Keyv from 'keyv';
import { KeyedQueue } from '../../lib/keyed-queue.ts';
import type { Job, MessageAddress, PlatformAdapters } from '../../port/index.ts';
import { type Ending, splitMarkdown } from '../../reply/index.ts';
import { words } from '../../words/index.ts';
import { adapterOf } from '../adapter-of.ts';
import { InputError } from '../faults/input-error.ts';
import { pageButtons } from '../page-buttons.ts';
import { answerButtons } from './answer-buttons.ts';

/** Versions of one answer; the oldest is forgotten first. */
const maxVersions = 20;

/** One version of an answer. */
export interface AnswerVersion {
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

export interface AnswerVersionsDependencies {
  readonly keyv: Keyv;
  /** How long they are kept after the last change, in milliseconds. */
  readonly life: number;
  readonly adapters: PlatformAdapters;
}

/** Versions of answers that each stand in one message. Their texts are kept, so that people can page through them. */
export class AnswerVersions {
  readonly #dependencies: AnswerVersionsDependencies;
  /** Changes of a message, one after another. */
  readonly #queue = new KeyedQueue();
  /** The messages in which a new version is being written. */
  readonly #underWay = new Set<string>();

  constructor(dependencies: AnswerVersionsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Undefined if a message never had several. */
  find(message: MessageAddress): Promise<Versions | undefined> {
    return this.#dependencies.keyv.get<Versions>(keyOf(message));
  }

  /** The text of one version. */
  textOf(job: string): Promise<string | undefined> {
    return this.#dependencies.keyv.get<string>(`text ${job}`);
  }

  isUnderWay(message: MessageAddress): boolean {
    return this.#underWay.has(keyOf(message));
  }

  /** Notes that a new version is being written; call what is returned when that's over. */
  begin(message: MessageAddress): () => void {
    if (this.isUnderWay(message)) throw new InputError((say) => say.errors.answerUnderWay);
    const key = keyOf(message);
    this.#underWay.add(key);
    return () => void this.#underWay.delete(key);
  }

  /** Adds a version, once per job. It's not shown yet. */
  async add(message: MessageAddress, version: AnswerVersion): Promise<Versions> {
    const { all, shown } = (await this.find(message)) ?? { all: [], shown: 0 };
    const others = all.filter(({ job }) => job !== version.job);
    const added = [...others, version].slice(-maxVersions);
    const left = Math.max(0, shown - (others.length + 1 - added.length));
    const versions = { all: added, shown: left };
    await this.#save(message, versions);
    await this.#dependencies.keyv.set(`text ${version.job}`, version.text, this.#dependencies.life);
    return versions;
  }

  async forget(message: MessageAddress): Promise<void> {
    await this.#dependencies.keyv.delete(keyOf(message));
  }

  /** Shows a version with its own buttons. `job` is that of any version: they differ in nothing but their text. */
  show(message: MessageAddress, versions: Versions, index: number, job: Job): Promise<void> {
    return this.#queue.run(keyOf(message), () => this.#show(message, versions, index, job));
  }

  /** Shows the version so many after the one that is shown, around the end; false if there is none. */
  page(message: MessageAddress, by: number, job: Job): Promise<boolean> {
    return this.#queue.run(keyOf(message), async () => {
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
    return this.#queue.run(keyOf(message), async () => {
      const versions = await this.find(message);
      const version = versions?.all[versions.shown];
      if (!version) return undefined;
      const buttons = answerButtons(job, undefined, words(job.requester.locale));
      await this.#edit(message, version, buttons);
      return versions;
    });
  }

  async #show(message: MessageAddress, { all }: Versions, index: number, job: Job): Promise<void> {
    const version = all[index];
    if (!version) return;
    const own = { ...job, id: version.job };
    const pages = pageButtons(own, { number: index + 1, count: all.length });
    const buttons = [...answerButtons(own, version.ending, words(job.requester.locale)), ...pages];
    await this.#edit(message, version, buttons);
    await this.#save(message, { all, shown: index });
  }

  async #edit(
    message: MessageAddress,
    { text, ending }: AnswerVersion,
    buttons: ReturnType<typeof answerButtons>,
  ): Promise<void> {
    const adapter = adapterOf(this.#dependencies, message);
    const limits = (await adapter.messageLimits?.(message)) ?? { maxLength: Number.POSITIVE_INFINITY };
    const whole = [text, ending.note].filter(Boolean).join('\n\n');
    const [piece = whole] = splitMarkdown(whole, limits);
    await adapter.edit(message, { text: piece, buttons });
  }

  async #save(message: MessageAddress, versions: Versions): Promise<void> {
    await this.#dependencies.keyv.set(keyOf(message), versions, this.#dependencies.life);
  }
}

function keyOf({ platform, channel, message }: MessageAddress): string {
  return `message ${platform} ${channel} ${message}`;
}
