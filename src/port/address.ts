import type { PlatformName } from '../lib/platform-names.ts';

export { type PlatformName, platformNames } from '../lib/platform-names.ts';

/** A server, a workspace or an organization where the bot is or was. */
export interface Place {
  readonly platform: PlatformName;
  /** Its id, or an installation's; a direct message's own if it has none. */
  readonly workspace: string;
}

/** A place where messages stand. Plain data: it is stored, and posted to after a restart. */
export interface Address extends Place {
  readonly channel: string;
  readonly thread?: string;
  /** Everyone who can read the channel can read the thread. Absent if not, if unknown, or if it doesn't matter. */
  readonly threadIsPublic?: true;
  /** The one person who may read what's posted here: it's hidden from everybody else, or a direct message. */
  readonly onlyFor?: string;
  /** A person's own page instead of a channel (`HomePage`): its channel is where answers go that don't fit there. */
  readonly isHome?: true;
  /** Extra data that only the platform understands, such as an interaction's token. */
  readonly platformData?: Readonly<Record<string, string>>;
}

/** One message at an address. */
export interface MessageAddress extends Address {
  readonly message: string;
  /** Another way to change it that the platform has for a while, as data that only the platform understands. */
  readonly access?: Readonly<Record<string, string>>;
  /** The ids of further messages in the same place, where what was posted took several. */
  readonly parts?: readonly string[];
  /** Everybody there sees it, though its command was private: its requester has shared it. */
  readonly isShared?: true;
  /** Its requester alone got it, because it was deleted elsewhere or couldn't be sent: it stays where that's taken away. */
  readonly isKept?: true;
}

/**
 * The key of a channel with all its threads: those take turns as one. Its id is enough: where workspaces share a channel, it's
 * the same in all of them. No record is kept by it.
 */
export function channelKey({ platform, channel }: Address): string {
  return [platform, channel].map(encodeURIComponent).join('/');
}

/** By whom calls wait in turns for the service: the channel and the person, who is the same in all servers. */
export function turnsOf(address: Address, { id }: { readonly id: string }) {
  return {
    fairnessKey: channelKey(address),
    fairnessPerson: [address.platform, id].map(encodeURIComponent).join('/'),
  };
}

/** The key of a conversation: platform, workspace, channel, and the thread if it's in one. */
export function conversationKey(address: Address): string {
  const parts = [address.platform, address.workspace, address.channel];
  if (address.thread !== undefined) parts.push(address.thread);
  return parts.map(encodeURIComponent).join('/');
}
