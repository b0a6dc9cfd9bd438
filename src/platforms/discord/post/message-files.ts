import { type IncomingFile, type MessageAddress, PlatformError } from '../../../port/index.ts';
import { channelIdOf, tokenOfAddress } from '../api/address.ts';
import { filesShownIn, type ShownFile } from '../media/shown-files.ts';
import { accessAsBot, accessTo } from './message-access.ts';
import type { DiscordServices } from './services.ts';

type Services = Pick<DiscordServices, 'api' | 'applicationId' | 'clock' | 'download'>;

/** The files of a message. */
export async function messageFiles(
  services: Services,
  message: MessageAddress,
): Promise<readonly IncomingFile[]> {
  const shown = filesShownIn(await accessTo(services, message).get(message.message));
  const channel = tokenOfAddress(message) ? undefined : channelIdOf(message);
  return shown.map((file) => fileOfMessage(file, channel, message.message));
}

/** Reads a file of at most `maxBytes`. */
export async function readMessageFile(
  services: Services,
  { source }: IncomingFile,
  maxBytes: number,
): Promise<Uint8Array> {
  return services.download(await currentUrl(services, source), maxBytes);
}

/** The source of a file names its message, if the bot can read that again; otherwise it's the file's URL. */
export function fileOfMessage(file: ShownFile, channel: string | undefined, message: string): IncomingFile {
  const { id, filename, content_type: contentType = '', size = 0, url } = file;
  const source = channel === undefined ? url : `${channel}/${message}/${id}`;
  return { name: filename, contentType, size, url, source };
}

/** URLs expire after a day; reading the message again returns current ones. */
async function currentUrl(services: Services, source: string): Promise<string> {
  const [, channel, message, id] = /^(\d+)\/(\d+)\/(\d+)$/.exec(source) ?? [];
  if (!channel || !message) return source;
  const shown = filesShownIn(await accessAsBot(services, channel).get(message));
  const attachment = shown.find((candidate) => candidate.id === id);
  if (!attachment) throw new PlatformError('gone');
  return attachment.url;
}
