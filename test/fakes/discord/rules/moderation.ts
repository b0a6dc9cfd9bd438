import { invalidField, refusals } from '../http/refusal.ts';
import type { Channel, Guild } from '../model.ts';
import type { World } from '../world.ts';
import { displayedTexts } from './gallery-rules.ts';
import type { MessageContent } from './message-rules.ts';

/**
 * What a server's own moderation refuses (resources/auto-moderation), and Discord's filter of harmful links everywhere,
 * direct messages included (discord-api-docs#5328). Whether AutoMod looks at what bots say is not documented: here it does,
 * unless the server is told to read that otherwise.
 */
export function checkModeration(
  world: World,
  channel: Channel,
  { content = '', components = [], files }: MessageContent & { readonly files: number },
  work?: 'edits',
): void {
  const text = [content, ...displayedTexts(components)].join('\n');
  if (world.harmfulLinks.some((link) => text.includes(link))) throw refusals.harmfulLink();
  const moderation = moderationOf(world, channel);
  if (!moderation) return;
  if (holds(world, moderation, text)) throw refusals.blockedMessage();
  if (moderation.buttons && components.length > 0)
    throw invalidField('components', 'BASE_TYPE_BAD_LENGTH', 'Components are not taken here.');
  if (moderation.files && files > 0) throw refusals.uploadsLimited();
  if (work === 'edits' && moderation.edits) throw refusals.unheardOf();
}

/** A thread's name; in communities it's held to more (Dragory/modmailbot#651). */
export function checkTitle(world: World, channel: Channel, title: string): void {
  const moderation = moderationOf(world, channel);
  if (moderation && holds(world, moderation, title)) throw refusals.blockedTitle();
  if (moderation?.names.some((word) => title.includes(word)))
    throw invalidField(
      'name',
      'INVALID_COMMUNITY_PROPERTY_NAME',
      'Contains words not allowed for servers in Server Discovery.',
    );
}

function moderationOf(world: World, { guildId }: Channel): Guild['moderation'] | undefined {
  return guildId === undefined ? undefined : world.guilds.get(guildId)?.moderation;
}

function holds({ readings }: World, { words }: Guild['moderation'], text: string): boolean {
  return readings.wordsPastAutoMod === 'refused' && words.some((word) => text.includes(word));
}
