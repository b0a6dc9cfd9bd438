import { type Conversations, messageSource, sourcesOfMessage } from '../../conversation/index.ts';
import {
  type Address,
  type AnyValues,
  type DeletedMessages,
  type DeletedPlace,
  type Drafts,
  eventsComeWithin,
  type Jobs,
  type MessageAddress,
} from '../../port/index.ts';
import type { Records } from '../../store/index.ts';

/** How long an answer is known to stand without its question, in milliseconds: longer than any button is likely pressed. */
const rememberedFor = 90 * 86_400_000;

/**
 * Messages that were deleted shortly after they were written, by the ids and events that platforms name, and threads and
 * channels that were. Whoever puts a question, what it quotes, or a message of an answer on record looks here afterwards: its
 * deletion may have come before, to this process or another. They're kept for as long as what they name can come.
 */
export class RecentDeletions {
  readonly #records: Pick<Records, 'setAll' | 'hasAny' | 'having'>;

  constructor(records: Pick<Records, 'setAll' | 'hasAny' | 'having'>) {
    this.#records = records;
  }

  /** Notes those that may not be on record yet, by one query; none where all are old. */
  async note({ platform, channel, messages, events = [], recent, place }: DeletedMessages): Promise<void> {
    const isRecent = (id: string) => recent?.includes(id) ?? true;
    const keys = [
      ...messages.filter(isRecent).map((message) => messageKey(messageSource(platform, message, channel))),
      ...events.filter(isRecent).map(eventKey),
      // The bot may be back in a workspace at any time.
      ...(place?.channel === undefined ? [] : [placeKey({ platform, ...place })]),
    ];
    if (keys.length > 0) await this.#records.setAll(keys, true, eventsComeWithin);
  }

  /** Whether the message that an event was is deleted. */
  hasEvent(event: string): Promise<boolean> {
    return this.#records.hasAny([eventKey(event)]);
  }

  /** Whether the message that an event was is deleted, or its thread or channel. */
  hasQuestion(event: string, address: Address): Promise<boolean> {
    return this.#records.hasAny([eventKey(event), ...placeKeysOf(address)]);
  }

  /** Whether a thread or channel is deleted. */
  hasPlace(address: Address): Promise<boolean> {
    return this.#records.hasAny(placeKeysOf(address));
  }

  /** Keeps on record for long that a question is deleted whose answer goes on all the same. */
  keepEvent(event: string): Promise<void> {
    return this.#records.setAll([eventKey(event)], true, rememberedFor);
  }

  /** Whether one of these messages is deleted. */
  hasOneOf(messages: readonly MessageAddress[]): Promise<boolean> {
    return this.#records.hasAny(messages.flatMap(sourcesOfMessage).map(messageKey));
  }

  /** Those of the sources of quotes that are deleted messages. */
  async sourcesOf(sources: readonly string[]): Promise<readonly string[]> {
    const deleted = await this.#records.having(sources.map(messageKey));
    return sources.filter((source) => deleted.has(messageKey(source)));
  }
}

/** Those of a thread, and of its channel, which a platform may name without its workspace. */
function placeKeysOf({ thread, workspace, ...channel }: Address): readonly string[] {
  const own = { ...channel, workspace };
  const threadKeys = thread === undefined ? [] : [placeKey({ ...own, thread })];
  return [placeKey(own), placeKey(channel), ...threadKeys];
}

function messageKey(source: string): string {
  return `message ${source}`;
}

function placeKey({
  platform,
  workspace,
  channel,
  thread,
}: DeletedPlace & Pick<Address, 'platform'>): string {
  return ['place', platform, workspace ?? '', channel, thread].filter((part) => part !== undefined).join(' ');
}

function eventKey(event: string): string {
  return `event ${event}`;
}

interface ExpectedQuotesDependencies {
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
