import { type APIMessage, Routes } from 'discord.js';
import { type DiscordContext, mark, remove } from './context.ts';

/** Removes messages of the check's that it knows nothing of: of a run that was killed, or whose answers were lost. */
export async function removeLeftovers(context: DiscordContext): Promise<void> {
  const { rest, channelId, applicationId } = context;
  const query = new URLSearchParams({ limit: '100' });
  const messages = (await rest
    .get(Routes.channelMessages(channelId), { query })
    .catch(() => [])) as APIMessage[];
  const own = messages.filter(
    ({ author, content }) => author.id === applicationId && content.startsWith(mark),
  );
  for (const { id } of own) await remove(context, id);
}
