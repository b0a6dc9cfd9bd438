import { BoundedMap } from '../../../lib/bounded-map.ts';
import { type Clock, inTime } from '../../../lib/clock.ts';
import type { Capabilities, Capability } from '../../../port/index.ts';
import { retryAfter, slackFeatures } from '../api/errors.ts';
import type { Arguments, SlackApi } from '../api/slack-api.ts';
import { withEmoji } from '../markup/incoming-text.ts';
import { isSaid, type SlackMessage } from './slack-message.ts';
import { shortened, type ThreadRecords } from './thread-records.ts';

/** Messages of a page: as many as Slack recommends. The first are the oldest. */
const pageSize = 200;
/** Looks for the newest messages of a longer thread at most, and until when after its first page was asked for, in ms. */
const mostLooks = 4;
const newestWithin = 1_000;
/** A page for apps that are distributed outside Slack's Marketplace (conversations.replies), and their wait in ms. */
const cappedPage = 15;
const cappedWait = 61_000;
/** How long the question waits for Slack's rate limit, in milliseconds. */
const patience = 1_000;
const day = 86_400_000;
/** Characters of messages that are kept of a workspace in a day: hardly any says more, and anybody's may have the app. */
const mostKept = 20_000_000;

/** A thread up to a message. */
export interface ReadThread {
  /** Oldest first, the root among them where it could be read. */
  readonly messages: readonly SlackMessage[];
  /** `part`: some messages may be missing; `none`: Slack let nothing be read. */
  readonly known: 'all' | 'part' | 'none';
  /** What was left out between its first messages and its newest, since there are too many. */
  readonly leftOut?: LeftOut | undefined;
}

/** How many messages were left out, and the time stamp of the one after them. */
interface LeftOut {
  readonly count: number;
  readonly before: string;
}

/** What could be read of a thread. */
interface ThreadPart {
  readonly messages: readonly SlackMessage[];
  /** Nothing is missing but what was left out. */
  readonly isWhole: boolean;
  readonly leftOut?: LeftOut;
}

interface ThreadReaderDependencies {
  readonly api: SlackApi;
  readonly records: ThreadRecords;
  readonly capabilities: Capabilities;
  readonly clock: Clock;
  /** Anybody may install the app (OAuth): unless it's in the Marketplace, Slack lets it read little. */
  readonly isDistributed: boolean;
}

/**
 * Reads threads: with `conversations.replies`, and where Slack allows only 15 messages a minute, oldest first, from the
 * messages that events brought as well. Which of the two holds in a workspace is learnt by trying.
 */
export class ThreadReader {
  readonly #dependencies: ThreadReaderDependencies;
  /** Workspaces where a thread was read within the last minute. */
  readonly #lastReads: BoundedMap<string, true>;
  /** What's kept of a workspace since a day began for it. */
  readonly #kept: BoundedMap<string, { characters: number }>;

  constructor(dependencies: ThreadReaderDependencies) {
    this.#dependencies = dependencies;
    const lifetime = (milliseconds: number) => ({ milliseconds, clock: dependencies.clock });
    this.#lastReads = new BoundedMap({ most: 1_000, lifetime: lifetime(cappedWait) });
    this.#kept = new BoundedMap({ most: 1_000, lifetime: lifetime(day) });
  }

  /** Keeps a message that an event brought, where reading is limited. */
  async note(workspace: string, channel: string, message: SlackMessage): Promise<void> {
    const { thread_ts: thread } = message;
    if (thread === undefined || !isSaid(message) || !(await this.#isLimited(workspace))) return;
    if (this.#hasRoom(workspace, message))
      await this.#dependencies.records.note(workspace, channel, thread, withEmoji(message));
  }

  #hasRoom(workspace: string, message: SlackMessage): boolean {
    const kept = this.#kept.get(workspace) ?? { characters: 0 };
    if (kept.characters === 0) this.#kept.set(workspace, kept);
    kept.characters += JSON.stringify(shortened(message)).length;
    return kept.characters <= mostKept;
  }

  /** A message of a thread was changed: what's kept of it is replaced. */
  async change(workspace: string, channel: string, message: SlackMessage): Promise<void> {
    const { thread_ts: thread } = message;
    if (thread !== undefined) await this.#dependencies.records.change(workspace, channel, thread, message);
  }

  /** A message of a thread was deleted: what's kept of it is forgotten. */
  async remove(channel: string, { thread_ts: thread, ts }: SlackMessage): Promise<void> {
    if (thread !== undefined) await this.#dependencies.records.remove(channel, thread, ts);
  }

  /**
   * Whether a message that begins a thread was deleted: Slack keeps a notice in its place. False where Slack doesn't let that
   * be read at once.
   */
  async isTombstone(workspace: string, channel: string, ts: string): Promise<boolean> {
    const { api } = this.#dependencies;
    const method = 'conversations.history';
    try {
      if ((await this.#isLimited(workspace)) || api.delay(workspace, method) > patience) return false;
      const args = { channel, oldest: ts, latest: ts, inclusive: true, limit: 1 };
      const { messages } = await api.call(workspace, method, args, { patience });
      return (messages as readonly SlackMessage[]).some(({ subtype }) => subtype === 'tombstone');
    } catch {
      return false;
    }
  }

  /** Forgets what was kept of a workspace. */
  forget(workspace: string): Promise<void> {
    return this.#dependencies.records.forget(workspace);
  }

  /** The messages of a thread before `before`. */
  async read(workspace: string, channel: string, thread: string, before: string): Promise<ReadThread> {
    const [page, kept] = await Promise.all([
      this.#readFromSlack(workspace, () => this.#pages(workspace, channel, thread, before)),
      this.#dependencies.records.of(channel, thread),
    ]);
    const known = page?.isWhole ? page.messages : [...kept, ...(page?.messages ?? [])];
    const byTs = new Map(known.map((message) => [message.ts, message]));
    const earlier = [...byTs.values()].filter((message) => Number(message.ts) < Number(before));
    const messages = earlier.sort((a, b) => Number(a.ts) - Number(b.ts)).filter(isSaid);
    if (page?.isWhole) return { messages, known: 'all', leftOut: page.leftOut };
    return { messages, known: messages.length > 0 ? 'part' : 'none' };
  }

  /**
   * Whether a reply stands in a thread: until then, and once the last is deleted, nobody sees there what's shown to one person
   * alone. False where Slack doesn't let that be read at once.
   */
  async hasReplies(workspace: string, channel: string, thread: string): Promise<boolean> {
    const { api, clock, records } = this.#dependencies;
    const isReply = ({ ts }: SlackMessage) => ts !== thread;
    if ((await records.of(channel, thread)).some(isReply)) return true;
    const read = this.#readFromSlack(workspace, async () => {
      const args = { channel, ts: thread, limit: 2 };
      const { messages } = await api.call(workspace, 'conversations.replies', args, { patience });
      return { messages: messages as readonly SlackMessage[], isWhole: true };
    });
    return (await inTime(clock, patience, read, undefined))?.messages.some(isReply) ?? false;
  }

  /** Messages of a thread, by what reads them; undefined where Slack doesn't let them be read now. */
  async #readFromSlack(workspace: string, pages: () => Promise<ThreadPart>): Promise<ThreadPart | undefined> {
    const { api } = this.#dependencies;
    const isSecond = this.#lastReads.has(workspace);
    if (isSecond && (await this.#found(workspace)) === 'refused') return undefined;
    if (api.delay(workspace, 'conversations.replies') > patience) return undefined;
    this.#lastReads.set(workspace, true);
    try {
      const read = await pages();
      if (isSecond && read.isWhole) await this.#learn(workspace, 'works');
      return read;
    } catch (error) {
      // Only such apps are asked to wait: others may read more often than the bot does.
      if (retryAfter(error) !== undefined) await this.#learn(workspace, 'refused');
      return undefined;
    }
  }

  /** The first page of a thread, and the newest messages where it's longer. */
  async #pages(workspace: string, channel: string, thread: string, before: string): Promise<ThreadPart> {
    const { api, clock } = this.#dependencies;
    const begun = clock.steady();
    const args = { channel, ts: thread, latest: before, limit: pageSize };
    const read = async (at: Arguments) => {
      const answer = await api.call(workspace, 'conversations.replies', { ...args, ...at }, { patience });
      return { messages: answer.messages as readonly SlackMessage[], hasMore: answer.has_more === true };
    };
    const { messages, hasMore } = await read({});
    const isCapped = hasMore && messages.length <= cappedPage;
    if (isCapped || messages.length > cappedPage)
      await this.#learn(workspace, isCapped ? 'refused' : 'works');
    if (!hasMore) return { messages, isWhole: true };
    if (isCapped) {
      const noted = messages.map((message) =>
        this.note(workspace, channel, { ...message, thread_ts: thread }),
      );
      await Promise.all(noted);
      return { messages, isWhole: false };
    }
    const newest = new NewestMessages(messages, before);
    const left = newestWithin - (clock.steady() - begun);
    await inTime(clock, left, newest.find(read), undefined).catch(() => undefined);
    return newest.withFirst();
  }

  async #isLimited(workspace: string): Promise<boolean> {
    const found = await this.#found(workspace);
    return found === undefined ? this.#dependencies.isDistributed : found === 'refused';
  }

  #found(workspace: string): Promise<Capability | undefined> {
    return this.#dependencies.capabilities.find(workspace, slackFeatures.quickHistory);
  }

  async #learn(workspace: string, seen: Capability): Promise<void> {
    if ((await this.#found(workspace)) !== seen)
      await this.#dependencies.capabilities.note(workspace, slackFeatures.quickHistory, seen);
  }
}

/**
 * The newest messages of a thread that one page doesn't take. Slack's pages begin with the oldest, and it tells how many
 * replies there are: so a time is looked for after which there's about a page of them.
 */
class NewestMessages {
  readonly #first: readonly SlackMessage[];
  readonly #before: number;
  /** Seconds between the first page's last message and the question; and replies in them, if that's known. */
  readonly #whole: number;
  readonly #rest: number | undefined;
  /** Seconds in which the first page was written. */
  readonly #span: number;
  #found: { readonly messages: readonly SlackMessage[]; readonly seconds: number } | undefined;

  constructor(first: readonly SlackMessage[], before: string) {
    this.#first = first;
    this.#before = Number(before);
    this.#whole = this.#before - Number(first.at(-1)?.ts);
    const [root] = first;
    this.#span = Number(first.at(-1)?.ts) - Number(root?.ts);
    this.#rest = root?.reply_count === undefined ? undefined : root.reply_count + 1 - first.length;
  }

  async find(
    read: (
      at: Arguments,
    ) => Promise<{ readonly messages: readonly SlackMessage[]; readonly hasMore: boolean }>,
  ): Promise<void> {
    const wanted = (pageSize * 3) / 4;
    const rest = this.#rest ?? 0;
    let seconds = rest > pageSize ? this.#whole * (wanted / rest) : this.#whole;
    let hadMore = false;
    for (let looks = 0; looks < mostLooks; looks++) {
      const isAll = seconds === this.#whole;
      const oldest = isAll ? this.#first.at(-1)?.ts : (this.#before - seconds).toFixed(6);
      const { messages, hasMore } = await read({ oldest });
      const hasSome = this.#repliesIn(this.#found?.messages ?? []).length > 0;
      if (hasMore && hasSome) return;
      if (hasMore) {
        hadMore = true;
        seconds = this.#found ? this.#later(seconds) : seconds / 16;
      } else {
        this.#found = { messages, seconds };
        const { length } = this.#repliesIn(messages);
        if (isAll || length > pageSize / 8 || (looks > 0 && length > 0)) return;
        const isOld = looks > 0 && !hadMore;
        const further = isOld ? Math.max(seconds, this.#asAtFirst(rest - wanted)) : seconds * 4;
        seconds = Math.min(this.#whole, further);
      }
    }
  }

  /** Slack shows the first message whenever. */
  #repliesIn(messages: readonly SlackMessage[]): readonly SlackMessage[] {
    return messages.filter(({ ts }) => ts !== this.#first[0]?.ts);
  }

  /** The seconds after so many further messages, if they came as the first did: a thread may have rested since yesterday. */
  #asAtFirst(messages: number): number {
    return this.#whole - (this.#span * messages) / (this.#first.length - 1);
  }

  /** Of too many messages the later ones: as far again from the first. */
  #later(seconds: number): number {
    return Math.max(this.#found?.seconds ?? 0, this.#whole - 2 * Math.max(this.#span, this.#whole - seconds));
  }

  /** They and the first page. */
  withFirst(): ThreadPart {
    if (!this.#found) return { messages: this.#first, isWhole: false };
    const { messages: newest, seconds } = this.#found;
    const messages = [...this.#first, ...newest];
    if (seconds === this.#whole) return { messages, isWhole: true };
    const replies = this.#repliesIn(newest);
    const [{ ts: before } = {}] = replies;
    if (this.#rest === undefined || before === undefined) return { messages, isWhole: false };
    // Slack counts the question, too.
    const leftOut = { count: this.#rest - replies.length - 1, before };
    return { messages, isWhole: true, ...(leftOut.count > 0 && { leftOut }) };
  }
}
