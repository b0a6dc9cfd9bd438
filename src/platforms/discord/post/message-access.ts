import type { RawFile } from '@discordjs/rest';
import { type APIMessage, RESTJSONErrorCodes } from 'discord-api-types/v10';
import { type Address, type MessageAddress, PlatformError } from '../../../port/index.ts';
import { channelIdOf, type InteractionToken, tokenOfAddress } from '../api/address.ts';
import { errorCode, isExpired } from '../api/errors.ts';
import type { MessageBody } from '../api/message-body.ts';
import type { Pace } from '../api/rate-limits.ts';
import type { DiscordServices } from './services.ts';

/** Reads, edits and deletes messages: as the bot in a channel, or by an interaction's token. */
export interface MessageAccess {
  edit(id: string, body: MessageBody, files: readonly RawFile[], pace?: Pace): Promise<APIMessage>;
  remove(id: string): Promise<void>;
  get(id: string): Promise<APIMessage>;
}

type Services = Pick<DiscordServices, 'api' | 'applicationId' | 'clock'>;

/** Access as the bot, for as long as it's a member. */
export function accessAsBot({ api }: Pick<DiscordServices, 'api'>, channel: string): MessageAccess {
  return {
    edit: (id, body, files, pace) => api.editMessage(channel, id, body, files, pace),
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
  { token, until }: Pick<InteractionToken, 'token' | 'until'>,
): MessageAccess {
  const application = () => {
    if (clock.now() >= until) throw new PlatformError('expired');
    return applicationId();
  };
  return {
    edit: async (id, body, files, pace) => api.editByToken(application(), token, id, body, files, pace),
    remove: async (id) => api.deleteByToken(application(), token, id),
    get: async (id) => api.messageByToken(application(), token, id),
  };
}

/**
 * Access to a message that a token knows as `id`: edits by the token as long as that's valid, and as the bot after that, if
 * it can. A token's edits have a rate limit of their own; the bot's share the channel's with everything else that it edits
 * there, and the bot's 50 requests a second.
 */
export function preferToken(
  byToken: MessageAccess,
  id: string,
  asBot: MessageAccess | undefined,
): MessageAccess {
  return {
    ...(asBot ?? byToken),
    edit: async (messageId, ...edit) => {
      try {
        return await byToken.edit(id, ...edit);
      } catch (error) {
        // Discord may not know a token that should be valid.
        const isUnknown = isExpired(error) || errorCode(error) === RESTJSONErrorCodes.UnknownMessage;
        if (!asBot || !isUnknown) throw error;
        return asBot.edit(messageId, ...edit);
      }
    },
  };
}

/** Access to a message, wherever it is: by its address alone, across processes and after a restart. */
export function accessTo(services: Services, at: Address & Partial<MessageAddress>): MessageAccess {
  const onlyToken = tokenOfAddress(at);
  if (onlyToken) return accessByToken(services, onlyToken);
  const asBot = accessAsBot(services, channelIdOf(at));
  const { token, until, id, message } = at.access ?? {};
  // What's posted beside a message has its address, and not its access.
  if (token === undefined || id === undefined || message !== at.message) return asBot;
  return preferToken(accessByToken(services, { token, until: Number(until) }), id, asBot);
}

/** The address of a message that a token, which knows it as `id`, can edit as well as the bot itself. */
export function withToken(
  address: MessageAddress,
  { token, until }: Pick<InteractionToken, 'token' | 'until'>,
  id: string,
): MessageAddress {
  return { ...address, access: { message: address.message, token, until: String(until), id } };
}
