import type { Address, MessageAddress, ThreadsAt } from '../../../port/index.ts';
import { isDirectMessage } from '../api/address.ts';
import { errorCode, isGone, isModerated } from '../api/errors.ts';
import { tokenOfAddress } from '../api/interaction-token.ts';
import type { DiscordServices } from './services.ts';

/** Half of what Discord allows: a character outside the basic plane may count as two. */
const maxNameLength = 50;

/** Whether threads can be opened under messages somewhere: not in threads or direct messages, or by a token. */
export function threadsAt({ gateway }: Pick<DiscordServices, 'gateway'>, address: Address): ThreadsAt {
  const isOutside = tokenOfAddress(address) || address.thread !== undefined || isDirectMessage(address);
  if (isOutside || !gateway.takesThreads(address.channel)) return { kind: 'none' };
  const missing = missingForThreads(gateway, address.channel);
  return missing.length > 0 ? { kind: 'missing', permission: missing.join(', ') } : { kind: 'possible' };
}

/** Whether everyone who can read an address's channel can read its thread; false if that isn't known. */
export function isThreadPublic(
  { gateway }: Pick<DiscordServices, 'gateway'>,
  { thread, threadIsPublic }: Address,
): boolean {
  return threadIsPublic === true || (thread !== undefined && gateway.isPublicThread(thread));
}

/** A thread in which the bot can't write is of no use. */
function missingForThreads(gateway: DiscordServices['gateway'], channel: string): readonly string[] {
  return gateway.missingPermissions(channel, ['Create Public Threads', 'Send Messages in Threads']);
}

/** Opens a thread under a message; returns the message's own address where threads aren't possible. */
export async function openThread(
  services: Pick<DiscordServices, 'api' | 'gateway'>,
  message: MessageAddress,
  name: string,
): Promise<Address> {
  const { api, gateway } = services;
  const { message: id, ...address } = message;
  if (tokenOfAddress(address) || address.thread !== undefined || isDirectMessage(address)) return address;
  if (missingForThreads(gateway, address.channel).length > 0) return address;
  const title = [...name.replace(/\s+/gu, ' ').trim()].slice(0, maxNameLength).join('');
  try {
    await api.openThread(address.channel, id, title || id);
    return { ...address, thread: id, threadIsPublic: true };
  } catch (error) {
    const plainTitle = `#${id.slice(-4)}`;
    if (isModerated(error) && title !== plainTitle) return openThread(services, message, plainTitle);
    // Threads are forbidden here, or there are too many: the channel itself will do.
    if (errorCode(error) !== undefined && !isGone(error)) return address;
    throw error;
  }
}
