import type { APIMessage, RawFile } from 'discord.js';
import { type Address, PlatformError } from '../../../port/index.ts';
import { channelIdOf } from '../api/address.ts';
import { type InteractionToken, tokenOfAddress } from '../api/interaction-token.ts';
import type { MessageBody } from '../api/message-body.ts';
import type { DiscordServices } from './services.ts';

/** Reads, edits and deletes messages: as the bot in a channel, or by an interaction's token. */
export interface MessageAccess {
  edit(id: string, body: MessageBody, files: readonly RawFile[]): Promise<APIMessage>;
  remove(id: string): Promise<void>;
  get(id: string): Promise<APIMessage>;
}

type Services = Pick<DiscordServices, 'api' | 'applicationId' | 'clock'>;

/** Access as the bot, for as long as it's a member. */
export function accessAsBot({ api }: Pick<DiscordServices, 'api'>, channel: string): MessageAccess {
  return {
    edit: (id, body, files) => api.editMessage(channel, id, body, files),
    remove: (id) => api.deleteMessage(channel, id),
    get: (id) => api.message(channel, id),
  };
}

/**
 * Access by an interaction's token.
 * @throws {PlatformError} `expired` after the token's end.
 */
export function accessByToken(
  { api, applicationId, clock }: Services,
  { token, until }: InteractionToken,
): MessageAccess {
  const application = () => {
    if (clock.now() >= until) throw new PlatformError('expired');
    return applicationId();
  };
  return {
    edit: async (id, body, files) => api.editByToken(application(), token, id, body, files),
    remove: async (id) => api.deleteByToken(application(), token, id),
    get: async (id) => api.messageByToken(application(), token, id),
  };
}

/** Access to the messages at an address. */
export function accessTo(services: Services, address: Address): MessageAccess {
  const token = tokenOfAddress(address);
  return token ? accessByToken(services, token) : accessAsBot(services, channelIdOf(address));
}
