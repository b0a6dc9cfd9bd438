import type { APIMessage, GatewayMessageCreateDispatchData, Snowflake } from 'discord-api-types/v10';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { type Clock, KeyedQueue } from '../../../lib/clock.ts';
import type { DiscordApi } from '../api/api.ts';
import type { RawInteraction } from '../connection/connections.ts';
import { isLoading } from '../post/message-access.ts';

/** Milliseconds within which the same, said again while nobody answered, is one request. */
const saidAgainWithin = 120_000;
/** Messages after a left one that are looked at: a resumed session goes back some minutes. */
const newerMessages = 100;

interface LeftEventsDependencies {
  readonly api: Pick<DiscordApi, 'messagesAfter' | 'messageByToken'>;
  readonly identity: () => { readonly id: Snowflake; readonly applicationId: Snowflake };
  readonly clock: Clock;
}

/**
 * What a resumed session brings that an earlier process left: it may have answered or refused it without putting that on
 * record, where its database was away or it died. What people see decides: what they've been told is final. And who gets
 * no answer says the same again, and wants it once. What can't be looked up now is handled like anything new: it would be
 * lost otherwise.
 */
export class LeftEvents {
  readonly #dependencies: LeftEventsDependencies;
  readonly #inTurn = new KeyedQueue();
  /** Commands that are carried out, by who typed what where. */
  readonly #carriedOut: BoundedMap<string, true>;

  constructor(dependencies: LeftEventsDependencies) {
    const { clock } = dependencies;
    this.#dependencies = dependencies;
    this.#carriedOut = new BoundedMap({ most: 2_000, lifetime: { milliseconds: saidAgainWithin, clock } });
  }

  /** Whether nothing more comes of a message: the bot has replied to it, or its author has said it again. */
  async isMessageOver(message: GatewayMessageCreateDispatchData): Promise<boolean> {
    const { api, identity } = this.#dependencies;
    const { id, channel_id: channelId } = message;
    // Where the bot may not read messages there are none.
    const newer = await api.messagesAfter(channelId, id, newerMessages).catch(() => []);
    const me = identity().id;
    return newer.some(
      (other) =>
        (other.author.id === me && other.message_reference?.message_id === id) || isSame(message, other),
    );
  }

  /** Whether nothing more comes of an interaction: it has a response, or the same was typed just before. */
  isInteractionOver(interaction: RawInteraction): Promise<boolean> {
    const { user = interaction.member?.user, channel } = interaction;
    // Files have ids of their own, and each press may mean another step.
    const typed = 'name' in (interaction.data ?? {}) ? JSON.stringify(interaction.data) : interaction.id;
    const key = `${user?.id} ${channel?.id} ${typed}`;
    return this.#inTurn.run(key, async () => {
      if (this.#carriedOut.has(key) || (await this.#hasResponse(interaction))) return true;
      this.#carriedOut.set(key, true);
      return false;
    });
  }

  /** A response that's still loading is of a command on record. */
  async #hasResponse({ token, message }: RawInteraction): Promise<boolean> {
    const { api, identity } = this.#dependencies;
    const first = api.messageByToken(identity().applicationId, token, '@original');
    const response = await first.catch(() => undefined);
    return response !== undefined && !isLoading(response) && response.id !== message?.id;
  }
}

/** Whether a later message says the same as an earlier one, soon after. One with files says more than its text. */
function isSame(message: GatewayMessageCreateDispatchData, later: APIMessage): boolean {
  const said = ({ author, content, message_reference: to }: GatewayMessageCreateDispatchData | APIMessage) =>
    [author.id, content, to?.message_id].join('\n');
  const hasFiles = message.attachments.length > 0 || later.attachments.length > 0;
  const apart = Date.parse(later.timestamp) - Date.parse(message.timestamp);
  return !hasFiles && apart <= saidAgainWithin && said(message) === said(later);
}
