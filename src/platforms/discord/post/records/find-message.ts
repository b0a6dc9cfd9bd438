import type { APIMessage } from 'discord-api-types/v10';
import type { DiscordApi } from '../../api/api.ts';
import { messageFingerprint } from './fingerprint.ts';

const pageSize = 100;

/** What is known of a message that is searched for. */
export interface SoughtMessage {
  readonly nonce: string;
  /** The fingerprints it may have: its text may have differed when it was sent first. */
  readonly fingerprints: readonly string[];
}

/** The first message of a channel after the one of this id that matches, searched in at most `maxPages` of a hundred. */
export async function findMessageAfter(
  api: Pick<DiscordApi, 'messagesAfter'>,
  channel: string,
  after: string,
  matches: (message: APIMessage) => boolean,
  maxPages: number,
): Promise<APIMessage | undefined> {
  let from = after;
  for (let page = 0; page < maxPages; page++) {
    const messages = await api.messagesAfter(channel, from, pageSize);
    const found = messages.findLast(matches);
    const [newest] = messages;
    if (found || !newest || messages.length < pageSize) return found;
    from = newest.id;
  }
  return undefined;
}

/**
 * Whether a message is the one searched for: by its nonce, which Discord may return only to the request that sent it
 * (discord.py#2451), else by its fingerprint.
 */
export function isMessage(message: APIMessage, { nonce, fingerprints }: SoughtMessage): boolean {
  return (
    message.nonce === nonce ||
    (message.author.bot === true && fingerprints.includes(messageFingerprint(message)))
  );
}
