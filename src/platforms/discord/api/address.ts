import type { Address } from '../../../port/index.ts';

/** The channel id that requests about an address name: a thread is a channel of its own. */
export function channelIdOf({ channel, thread }: Address): string {
  return thread ?? channel;
}

/** Whether an address is a direct message: its channel stands in for a server. */
export function isDirectMessage({ workspace, channel }: Address): boolean {
  return workspace === channel;
}
