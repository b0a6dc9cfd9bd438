import { type Interaction, InteractionContextType } from 'discord.js';
import { type Address, type Locale, localeOf, type Person } from '../../port/index.ts';
import type { Acknowledged } from './interaction-seat.ts';
import { personOf } from './people.ts';
import type { ReceiverParts } from './receiver.ts';

/** An interaction as everything behind it sees it: who asked, where, and what the place allows. */
export interface Asked extends Omit<Acknowledged, 'hidden' | 'deferred'> {
  readonly requester: Person;
}

/** Reads an interaction. */
export function askedOf(
  interaction: Interaction,
  { routes, client }: Pick<ReceiverParts, 'routes' | 'client'>,
): Asked {
  const { user, member, memberPermissions, guildId, context } = interaction;
  const locale: Locale = localeOf(interaction.locale);
  const botIsMember =
    guildId === null ? context === InteractionContextType.BotDM : client().guilds.cache.has(guildId);
  return {
    id: interaction.id,
    token: interaction.token,
    receivedAt: routes.clock.now(),
    address: addressOf(interaction),
    userId: user.id,
    locale,
    botIsMember,
    uploadLimit: interaction.attachmentSizeLimit,
    permissions: interaction.appPermissions.bitfield,
    requester: personOf({ user, member, permissions: guildId === null ? null : memberPermissions, locale }),
  };
}

function addressOf({ guildId, channelId, channel }: Interaction): Address {
  const id = channelId ?? '';
  const workspace = guildId ?? id;
  if (channel?.isThread() && channel.parentId !== null) {
    return { platform: 'discord', workspace, channel: channel.parentId, thread: id };
  }
  return { platform: 'discord', workspace, channel: id };
}
