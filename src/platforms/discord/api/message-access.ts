import type { APIMessage, RawFile } from 'discord.js';
import type { Clock } from '../../../lib/clock.ts';
import { type Address, PlatformError } from '../../../port/index.ts';
import type { DirectMessageChannels } from '../post/direct-message-channels.ts';
import type { PostedMessages } from '../post/posted-messages.ts';
import type { FollowUps } from '../reply/follow-ups.ts';
import { channelIdOf, type InteractionToken, tokenOfAddress } from '../reply/interaction-token.ts';
import type { DiscordApi } from './api.ts';
import type { MessageBody } from './message-body.ts';

/** How one message is changed: by the bot in its channel, or by an interaction's token. */
export interface MessageAccess {
  edit(id: string, body: MessageBody, files: readonly RawFile[]): Promise<APIMessage>;
  remove(id: string): Promise<void>;
  get(id: string): Promise<APIMessage>;
}

export interface PostingDependencies {
  readonly api: DiscordApi;
  readonly applicationId: () => string;
  readonly followUps: FollowUps;
  readonly postedMessages: PostedMessages;
  readonly directMessages: DirectMessageChannels;
  readonly clock: Clock;
}

/** The bot's own way; it lasts as long as the bot is a member. */
export function accessAsBot({ api }: PostingDependencies, channel: string): MessageAccess {
  return {
    edit: (id, body, files) => api.editMessage(channel, id, body, files),
    remove: (id) => api.deleteMessage(channel, id),
    get: (id) => api.message(channel, id),
  };
}

/**
 * The way of an interaction's token.
 * @throws {PlatformError} `expired` from the token's end on.
 */
export function accessByToken(
  { api, applicationId, clock }: PostingDependencies,
  { token, until }: InteractionToken,
): MessageAccess {
  const alive = () => {
    if (clock.now() >= until) throw new PlatformError('expired');
    return applicationId();
  };
  return {
    edit: async (id, body, files) => api.editByToken(alive(), token, id, body, files),
    remove: async (id) => api.deleteByToken(alive(), token, id),
    get: async (id) => api.messageByToken(alive(), token, id),
  };
}

/** The way to a message at an address. */
export function accessTo(dependencies: PostingDependencies, address: Address): MessageAccess {
  const token = tokenOfAddress(address);
  return token ? accessByToken(dependencies, token) : accessAsBot(dependencies, channelIdOf(address));
}
