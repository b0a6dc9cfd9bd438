import { type Interaction, InteractionContextType, PermissionFlagsBits } from 'discord.js';
import {
  type Address,
  localeOf,
  type MessageAddress,
  type Person,
  type PostingLimits,
} from '../../../port/index.ts';
import { interactionToken, serializeToken, tokenLifetime } from '../api/interaction-token.ts';
import { isTimedOut, missingPermissions, usablePermissions } from '../api/permissions.ts';
import type { DiscordServices } from '../post/services.ts';
import type { AcknowledgedInteraction } from '../reply/interaction-reply-target.ts';
import { discordWords } from '../words.ts';
import { addressOf } from './event-address.ts';
import { personOf } from './people.ts';

/** Who caused an interaction, where, and what the bot may do there. */
export interface InteractionContext extends Omit<AcknowledgedInteraction, 'hidden' | 'deferred'> {
  readonly requester: Person;
  readonly postingLimits: PostingLimits;
}

/** Reads the context of an interaction. */
export function interactionContext(
  interaction: Interaction,
  { clock }: Pick<DiscordServices, 'clock'>,
): InteractionContext {
  const { user, member, memberPermissions, guildId, context } = interaction;
  const now = clock.now();
  const locale = localeOf(interaction.locale);
  const address = addressOf(interaction);
  const me = interaction.guild?.members.me;
  const permissions = usablePermissions(interaction.appPermissions.bitfield, me, now);
  const isBotDirectMessage = context === InteractionContextType.BotDM;
  return {
    id: interaction.id,
    token: interaction.token,
    receivedAt: now,
    aliveUntil: clock.steady() + tokenLifetime,
    address,
    userId: user.id,
    locale,
    botCanPost:
      guildId === null
        ? isBotDirectMessage
        : mayPost(interaction, address, permissions) && interaction.client.guilds.cache.has(guildId),
    uploadLimit: interaction.attachmentSizeLimit,
    permissions,
    postingLimits: isTimedOut(me, now)
      ? { shut: discordWords(locale).filesTimedOut }
      : limitsForFiles(permissions),
    requester: personOf({
      user,
      member,
      permissions: memberPermissions,
      direct: isBotDirectMessage,
      inGroup: guildId === null && !isBotDirectMessage,
      locale,
    }),
  };
}

/** Where an interaction's job posts later. Where only the token can post, the address carries it. */
export function postingAddress(context: InteractionContext): Address {
  if (context.botCanPost) return context.address;
  return {
    ...context.address,
    platformData: serializeToken(interactionToken({ ...context, hidden: false })),
  };
}

/**
 * The message with the button that was pressed. If the bot can't post there, or only one person sees the message, it's
 * edited by the press's token, which knows it as `@original` once the press is acknowledged as an update.
 */
export function pressedMessage(
  context: InteractionContext,
  message: string,
  hidden: boolean,
): MessageAddress {
  if (context.botCanPost && !hidden) return { ...context.address, message };
  const platformData = serializeToken(interactionToken({ ...context, hidden }));
  return { ...context.address, message: '@original', platformData };
}

/**
 * Whether files in an answer to an interaction need Attach Files is uncertain: Discord's change log of June 2022
 * exempts them, its page about permissions doesn't. Results that come later are posted by the bot itself and certainly
 * need it, so nothing is paid for without it.
 */
function limitsForFiles(permissions: bigint): PostingLimits {
  const [files] = missingPermissions(permissions, ['Attach Files']);
  return files === undefined ? {} : { files };
}

/** A member that can't see the channel or write in it can't post as itself: such a bot uses the token only. */
function mayPost({ channel }: Interaction, { thread }: Address, permissions: bigint): boolean {
  const canManageThreads = (permissions & PermissionFlagsBits.ManageThreads) !== 0n;
  if (channel?.isThread() && channel.locked && !canManageThreads) return false;
  const send = thread === undefined ? 'Send Messages' : 'Send Messages in Threads';
  const voice = channel?.isVoiceBased() ? (['Connect'] as const) : [];
  return missingPermissions(permissions, ['View Channels', ...voice, send]).length === 0;
}
