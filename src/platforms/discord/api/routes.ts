import type { APIMessage, RawFile } from 'discord.js';
import type { Clock } from '../../../lib/clock.ts';
import { type Address, PlatformError } from '../../../port/index.ts';
import type { DirectChannels } from '../post/direct-channels.ts';
import type { Posts } from '../post/posts.ts';
import type { FollowUps } from '../reply/follow-ups.ts';
import { channelOf, type InteractionToken, tokenOf } from '../reply/interaction-token.ts';
import type { DiscordApi } from './api.ts';
import type { MessageBody } from './payload.ts';

/** How one message is changed: by the bot in its channel, or by an interaction's token. */
export interface MessageRoute {
  edit(id: string, body: MessageBody, files: readonly RawFile[]): Promise<APIMessage>;
  remove(id: string): Promise<void>;
  get(id: string): Promise<APIMessage>;
}

export interface RouteDependencies {
  readonly api: DiscordApi;
  readonly applicationId: () => string;
  readonly followUps: FollowUps;
  readonly posts: Posts;
  readonly directs: DirectChannels;
  readonly clock: Clock;
}

/** The bot's own way; it lasts as long as the bot is a member. */
export function botRoute({ api }: RouteDependencies, channel: string): MessageRoute {
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
export function tokenRoute(
  { api, applicationId, clock }: RouteDependencies,
  { token, until }: InteractionToken,
): MessageRoute {
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
export function routeTo(dependencies: RouteDependencies, address: Address): MessageRoute {
  const token = tokenOf(address);
  return token ? tokenRoute(dependencies, token) : botRoute(dependencies, channelOf(address));
}
