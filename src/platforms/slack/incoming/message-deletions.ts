import type { CommandDispatcher } from '../../../engine/index.ts';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Clock } from '../../../lib/clock.ts';
import { eventsComeWithin } from '../../../port/index.ts';
import type { Log } from '../api/log.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { type MessageEvent, messageId } from './slack-message.ts';
import type { ThreadReader } from './thread-reader.ts';

/** How many deletions are remembered for when a channel turns out to have another id. */
const remembered = 1_000;

interface MessageDeletionsDependencies {
  readonly api: Pick<SlackApi, 'channelIds'>;
  readonly dispatcher: Pick<CommandDispatcher, 'deleted'>;
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

  /** In direct messages nobody deletes an app’s messages but the app itself, where a stream can’t go on. */
  async #follow(event: MessageEvent, ts: string, workspace: string): Promise<void> {
    const { api, clock, dispatcher, log, threadReader } = this.#dependencies;
    const { channel_type: kind, subtype, previous_message: was } = event;
    const isOwn = was?.user === undefined || was.bot_id !== undefined;
    const messages = kind === 'im' && isOwn ? [] : [ts];
    const isOld = clock.now() - Number(ts) * 1_000 > eventsComeWithin;
    if (was && subtype === 'message_deleted')
      await threadReader
        .remove(event.channel, was)
        .catch((error: unknown) =>
          log.warn({ error }, 'a message of a thread in Slack could not be forgotten'),
        );
    for (const channel of api.channelIds(event.channel)) {
      // The version before recorded it with its workspace.
      const events = [messageId({ channel, ts }), `slack:message:${workspace}:${channel}:${ts}`];
      await dispatcher
        .deleted({ platform: 'slack', channel, messages, events, ...(isOld && { recent: [] }) })
        .catch((error: unknown) => log.warn({ error }, 'what was deleted in Slack could not be stopped'));
    }
  }
}
