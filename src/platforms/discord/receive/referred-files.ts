import type { APIMessage } from 'discord-api-types/v10';
import type { CommandAbout, IncomingFile } from '../../../port/index.ts';
import { filesShownIn } from '../media/shown-files.ts';
import { fileOfMessage } from '../post/message-access.ts';
import type { DiscordServices } from '../post/services.ts';
import { referencedMessage } from './text/referenced-message.ts';

/**
 * The images and videos of the message that another one replies to, as many as a command takes; `withheld` if Discord
 * doesn't show them.
 */
export async function referredFiles(
  services: Pick<DiscordServices, 'api' | 'gateway'>,
  message: APIMessage,
  { options }: Pick<CommandAbout, 'options'>,
): Promise<readonly IncomingFile[] | 'withheld'> {
  const kinds = Object.values(options).flatMap((option) => (option.type === 'file' ? [option.media] : []));
  if (kinds.length === 0) return [];
  const replied = await referencedMessage(services, message);
  if (replied === undefined || replied === 'withheld') return replied ?? [];
  const shown = filesShownIn(replied).map((file) => fileOfMessage(file, message.channel_id, replied.id));
  return (['image', 'video'] as const).flatMap((media) =>
    shown
      .filter(({ contentType }) => contentType.startsWith(`${media}/`))
      .slice(0, kinds.filter((kind) => kind === media).length),
  );
}
