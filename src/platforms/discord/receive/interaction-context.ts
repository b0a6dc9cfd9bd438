import { type Interaction, InteractionContextType, PermissionFlagsBits } from 'discord.js';
import { type Address, type Locale, localeOf, type Person, type PostingLimits } from '../../../port/index.ts';
import { isTimedOut, missingPermissions, usablePermissions } from '../api/permissions.ts';
import { type AcknowledgedInteraction, tokenLifetime } from '../reply/interaction-reply-target.ts';
import { discordWords } from '../words.ts';
import { addressOf } from './event-address.ts';
import { personOf } from './people.ts';
import type { ReceiverDependencies } from './receiver-dependencies.ts';

/** An interaction as everything behind it sees it: who asked, where, and what the place allows. */
export interface InteractionContext extends Omit<AcknowledgedInteraction, 'hidden' | 'deferred'> {
  readonly requester: Person;
  readonly missing: PostingLimits;
}

/** Reads an interaction. */
export function interactionContext(
  interaction: Interaction,
  { routes }: Pick<ReceiverDependencies, 'routes'>,
): InteractionContext {
  const { user, member, memberPermissions, guildId, context } = interaction;
  const locale: Locale = localeOf(interaction.locale);
  const address = addressOf(interaction);
  const me = interaction.guild?.members.me;
  const permissions = usablePermissions(interaction.appPermissions.bitfield, me, routes.clock.now());
  return {
    id: interaction.id,
    token: interaction.token,
    receivedAt: routes.clock.now(),
    aliveUntil: routes.clock.steady() + tokenLifetime,
    address,
    userId: user.id,
    locale,
    botIsMember:
      guildId === null
        ? context === InteractionContextType.BotDM
        : mayWrite(interaction, address, permissions) && interaction.client.guilds.cache.has(guildId),
    uploadLimit: interaction.attachmentSizeLimit,
    permissions,
    missing: isTimedOut(me, routes.clock.now())
      ? { shut: discordWords(locale).filesTimedOut }
      : missingForFiles(permissions),
    requester: personOf({
      user,
      member,
      permissions: memberPermissions,
      direct: context === InteractionContextType.BotDM,
      locale,
    }),
  };
}

/**
 * Whether an answer's files need Attach Files is uncertain: Discord's change log of June 2022 exempts answers to
 * interactions, its page about permissions does not. What comes later is posted by the bot itself and surely needs
 * it, so nothing is paid for without.
 */
function missingForFiles(permissions: bigint): PostingLimits {
  const [files] = missingPermissions(permissions, ['Attach Files']);
  return files === undefined ? {} : { files };
}

/** A member that may not see or write there is of no more use than none; its own posts are refused. */
function mayWrite({ channel }: Interaction, { thread }: Address, permissions: bigint): boolean {
  if (channel?.isThread() && channel.locked && (permissions & PermissionFlagsBits.ManageThreads) === 0n)
    return false;
  const send = thread === undefined ? 'Send Messages' : 'Send Messages in Threads';
  const voice = channel?.isVoiceBased() ? (['Connect'] as const) : [];
  return missingPermissions(permissions, ['View Channels', ...voice, send]).length === 0;
}
