import type { CommandDispatcher } from '../../../engine/index.ts';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Clock } from '../../../lib/clock.ts';
import {
  type Address,
  type DeletedMessages,
  eventsComeWithin,
  type Job,
  PlatformError,
} from '../../../port/index.ts';
import { slackCode } from '../api/errors.ts';
import type { Log } from '../api/log.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { isDirect, threadOf, timeOf } from '../post/address.ts';
import type { PostedMessages } from '../post/posted-messages.ts';
import { type MessageEvent, messageId, messageOfId, type SlackMessage } from './slack-message.ts';
import type { ThreadReader } from './thread-reader.ts';

/** How many deletions are remembered for when a channel turns out to have another id. */
const remembered = 1_000;

interface MessageDeletionsDependencies {
  readonly api: Pick<SlackApi, 'channelIds'>;
  readonly dispatcher: Pick<CommandDispatcher, 'deleted'>;
  readonly postedMessages: Pick<PostedMessages, 'at'>;
  readonly threadReader: Pick<ThreadReader, 'remove'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** What follows where people delete messages in Slack. */
export class MessageDeletions {
  readonly #dependencies: MessageDeletionsDependencies;
  /** Those in private channels, by channel and message: Slack may tell of a channel's other id only after them. */
  readonly #recent: BoundedMap<string, () => Promise<void>>;

  constructor(dependencies: MessageDeletionsDependencies) {
    this.#dependencies = dependencies;
    const lifetime = { milliseconds: eventsComeWithin, clock: dependencies.clock };
    this.#recent = new BoundedMap({ most: remembered, lifetime });
  }

  /** Follows an event that tells of a deletion; any other changes nothing. */
  async note(event: MessageEvent, workspace: string): Promise<void> {
    const { channel, channel_type: kind, subtype, deleted_ts: deleted, message } = event;
    // The root of a thread that has replies isn’t deleted but replaced.
    const ts = message?.subtype === 'tombstone' ? message.ts : deleted;
    if (!subtype?.startsWith('message_') || ts === undefined) return;
    const follow = () => this.#follow(event, ts, workspace);
    if (kind === 'group') this.#recent.set(`${channel} ${ts}`, follow);
    await follow();
  }

  /** A channel turned out to have had another id before: what was deleted there under this one may be on record by that. */
  async again(channel: string): Promise<void> {
    const keys = this.#recent.keys().filter((key) => key.startsWith(`${channel} `));
    for (const key of keys) await this.#recent.get(key)?.();
  }

  /**
   * What Slack would have told a member of the message that gave a job, if that's deleted: it's read. Nothing if it stands, or
   * no message gave the job.
   * @throws {PlatformError} where it can't be read now.
   */
  async ofQuestion({ address, question }: Job): Promise<readonly DeletedMessages[]> {
    const asked = question === undefined ? undefined : messageOfId(question);
    if (!asked || (await this.#stands(address, asked.ts))) return [];
    await this.#forget(asked.channel, { ts: asked.ts, thread_ts: threadOf(address) ?? asked.ts });
    return this.#told(asked, address.workspace, [asked.ts]);
  }

  async #stands(address: Address, ts: string): Promise<boolean> {
    try {
      const found = await this.#dependencies.postedMessages.at(address, ts);
      return found !== undefined && found.subtype !== 'tombstone';
    } catch (error) {
      // Of a thread that it was said in, the root may only be too old to be read.
      const isOwn = (threadOf(address) ?? ts) === ts;
      const code = error instanceof PlatformError ? slackCode(error.cause) : undefined;
      if (isOwn && code === 'thread_not_found') return false;
      throw error;
    }
  }

  /** In direct messages nobody deletes an app’s messages but the app itself, where a stream can’t go on. */
  async #follow(event: MessageEvent, ts: string, workspace: string): Promise<void> {
    const { dispatcher, log } = this.#dependencies;
    const { channel, subtype, previous_message: was } = event;
    const isOwn = was?.user === undefined || was.bot_id !== undefined;
    const messages = isDirect(channel) && isOwn ? [] : [ts];
    if (was && subtype === 'message_deleted') await this.#forget(channel, was);
    for (const deleted of this.#told({ channel, ts }, workspace, messages))
      await dispatcher
        .deleted(deleted)
        .catch((error: unknown) => log.warn({ error }, 'what was deleted in Slack could not be stopped'));
  }

  /** What's told of a deleted message, under each id of its channel. */
  #told(
    { channel: known, ts }: Pick<MessageEvent, 'channel' | 'ts'>,
    workspace: string,
    messages: readonly string[],
  ): readonly DeletedMessages[] {
    const { api, clock } = this.#dependencies;
    const isOld = clock.now() - timeOf(ts) > eventsComeWithin;
    return api.channelIds(known).map((channel) => {
      // The version before recorded it with its workspace.
      const events = [messageId({ channel, ts }), `slack:message:${workspace}:${channel}:${ts}`];
      return { platform: 'slack', channel, messages, events, ...(isOld && { recent: [] }) };
    });
  }

  /** A deleted message isn't kept as one of its thread. */
  async #forget(channel: string, message: SlackMessage): Promise<void> {
    const { log, threadReader } = this.#dependencies;
    await threadReader
      .remove(channel, message)
      .catch((error: unknown) =>
        log.warn({ error }, 'a message of a thread in Slack could not be forgotten'),
      );
  }
}
