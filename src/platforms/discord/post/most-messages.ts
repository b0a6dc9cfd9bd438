import type { Address } from '../../../port/index.ts';
import { mostMessages } from '../../../reply/index.ts';
import { isDirectMessage } from '../api/address.ts';
import { tokenOfAddress } from '../api/interaction-token.ts';

/** Where the bot isn't a member it has five messages after the first; one of them is the file. */
const mostByToken = 5;

/** How many messages show a text at most, whose whole is a file then; in threads and direct messages as many as it takes. */
export function mostMessagesAt(address: Address): number {
  if (tokenOfAddress(address)) return mostByToken;
  return isSpacious(address) ? Number.POSITIVE_INFINITY : mostMessages;
}

/** Whether nobody else's messages are in the way: in a thread, and in direct messages. */
export function isSpacious(address: Address): boolean {
  return !tokenOfAddress(address) && (address.thread !== undefined || isDirectMessage(address));
}
