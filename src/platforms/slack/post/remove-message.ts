import { type MessageAddress, PlatformError, refusalOf, undefinedIfRefused } from '../../../port/index.ts';
import { deletionError, platformError, slackCode } from '../api/errors.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { MessageChrome } from '../markup/message-formats.ts';
import type { Uploads } from '../media/uploads.ts';
import { isStream } from './address.ts';
import { endStream } from './edits.ts';
import type { PostedMessages } from './posted-messages.ts';
import type { ResponseUrls } from './response-urls.ts';

/** What knows a message's files. */
interface FileRecords {
  readonly messageChrome: Pick<MessageChrome, 'of'>;
  readonly postedMessages: Pick<PostedMessages, 'at'>;
}

interface RemovalDependencies extends FileRecords {
  readonly api: SlackApi;
  readonly responseUrls: Pick<ResponseUrls, 'remove'>;
  readonly uploads: Pick<Uploads, 'remove'>;
}

/**
 * Removes a message of the bot's with its files. Done again, it removes what's left.
 * @throws {PlatformError} `refused` if Slack keeps the message or one of its files; `unreachable` if it may go later.
 */
export async function removeMessage(
  dependencies: RemovalDependencies,
  message: MessageAddress,
): Promise<void> {
  const { api, responseUrls, uploads } = dependencies;
  const { workspace, channel, message: ts } = message;
  if (ts === '') throw new PlatformError('refused', 'ephemeral');
  // Where the bot may not read the channel, the message goes all the same.
  const files = (await undefinedIfRefused(fileIds(dependencies, message))) ?? [];
  // Before the message, which alone may still tell which they are when this is tried again.
  let keptFile: unknown;
  for (const file of files)
    await uploads.remove(workspace, file).catch((error: unknown) => {
      if (!refusalOf(error)) throw error;
      keptFile ??= error;
    });
  const erase = () => api.call(workspace, 'chat.delete', { channel, ts });
  const eraseStream = async (error: unknown) => {
    if (!isStream(message) || slackCode(error) !== 'cant_delete_message') throw error;
    // Slack deletes no open stream; its process may have died before it ended it.
    if ((await endStream(api, message, ts)) === 'ended') await erase();
  };
  const eraseByPress = async (error: unknown) => {
    const url = message.platformData?.pressUrl;
    const isAbsent =
      platformError(error).kind === 'not-a-member' || slackCode(error) === 'cant_delete_message';
    if (url === undefined || !isAbsent) throw error;
    await responseUrls.remove(url);
  };
  await erase()
    .catch(eraseStream)
    .catch(eraseByPress)
    .catch((error: unknown) => {
      if (slackCode(error) !== 'message_not_found') throw deletionError(error);
    });
  if (keptFile !== undefined) throw keptFile;
}

/**
 * The ids of a message's files: those on record, or those that it says it has.
 * @throws {PlatformError} `gone` if there is no such message.
 */
export async function fileIds(
  { messageChrome, postedMessages }: FileRecords,
  message: MessageAddress,
): Promise<string[]> {
  const { files } = await messageChrome.of(message);
  if (files) return [...files];
  if (isStream(message)) return [];
  // Its files were never stored, or too long ago: looking it up is slow for some apps.
  const found = await postedMessages.at(message, message.message);
  if (!found) throw new PlatformError('gone');
  const payload = found.metadata?.event_payload;
  return [...new Set([...(payload?.files ?? []), ...(found.files ?? []).map(({ id }) => id)])];
}
