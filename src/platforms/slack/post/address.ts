import type { Address, MessageAddress } from '../../../port/index.ts';

/** What a Slack address may carry beside its channel and thread. */
export interface SlackAddressData {
  /**
   * The message under which is written, where the conversation is nevertheless the channel's: the thread below
   * an answer to a slash command, or below a direct message.
   */
  readonly under?: string;
  /** `response_url`: the only way to change a message that one person alone sees. */
  readonly responseUrl?: string;
  /** Set for a message that is, or was, one of Slack's own streams: it is never edited. */
  readonly stream?: 'yes';
}

/** A place in Slack. */
export function slackAddress(
  workspace: string,
  channel: string,
  thread?: string,
  data: SlackAddressData = {},
): Address {
  return {
    platform: 'slack',
    workspace,
    channel,
    ...(thread !== undefined && { thread }),
    ...(Object.keys(data).length > 0 && { platformData: { ...data } }),
  };
}

/** The `thread_ts` with which something is posted at a place; undefined for the channel itself. */
export function threadOf(address: Address): string | undefined {
  return address.thread ?? address.platformData?.under;
}

export function messageAt(address: Address, ts: string): MessageAddress {
  return { ...address, message: ts };
}

/** A message that is one of Slack's own streams. */
export function streamAt(address: Address, ts: string): MessageAddress {
  return { ...address, platformData: { ...address.platformData, stream: 'yes' }, message: ts };
}

export function isStream({ platformData }: Address): boolean {
  return platformData?.stream !== undefined;
}

/** Ids of direct messages begin so: those with the bot, and those of two people, where it cannot be. */
export function isDirect(channel: string): boolean {
  return channel.startsWith('D');
}

const seconds = 1_000;

/** A message's time stamp in milliseconds since the epoch. */
export function timeOf(ts: string): number {
  return Number.parseFloat(ts) * seconds;
}

/** A time stamp for `oldest` and `latest`. */
export function stampOf(milliseconds: number): string {
  return (milliseconds / seconds).toFixed(6);
}
