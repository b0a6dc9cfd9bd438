import { type Address, channelKey, type MessageAddress } from '../../../port/index.ts';

/** The platform's own data in a Slack address. */
export interface SlackAddressData {
  /**
   * The message to post under, where the conversation is still the channel’s: the thread under an answer to a slash
   * command, or under a direct message.
   */
  readonly under?: string;
  /** `response_url`: the only way to edit a message that only one person sees. */
  readonly responseUrl?: string;
  /**
   * The `response_url` of the press on a button of a message that everybody sees: the only way to delete it where the bot
   * isn’t a member.
   */
  readonly pressUrl?: string;
  /**
   * Set for the thread under the very message that was asked with: until somebody replies there, nobody sees in it what is
   * shown only to one person (chat.postEphemeral).
   */
  readonly newThread?: 'yes';
  /** The window that shows this message: only one person sees it, until they close it. */
  readonly view?: string;
  /** Set for a message that is, or was, a native stream: it’s never edited. */
  readonly stream?: 'yes';
  /** Set for a message that asks for somebody’s decision: its thread waits for that until it’s edited or deleted. */
  readonly question?: 'yes';
}

/** The channel of a workflow’s step that only has outputs: nothing is posted there. */
export const nowhere = 'workflow';

/** An address in Slack. */
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

/** The `thread_ts` for a post; undefined for the channel itself. */
export function threadOf(address: Address): string | undefined {
  return address.thread ?? address.platformData?.under;
}

/** The address of a message by its time stamp; `''` where it has none that the bot knows. */
export function messageAt(address: Address, ts: string): MessageAddress {
  return { ...address, message: ts };
}

/** The address of a message that is a native stream. */
export function streamAt(address: Address, ts: string): MessageAddress {
  return { ...address, platformData: { ...address.platformData, stream: 'yes' }, message: ts };
}

/** Whether a message is a native stream. */
export function isStream({ platformData }: Address): boolean {
  return platformData?.stream !== undefined;
}

/** The address of a message that asks for somebody’s decision. */
export function questionAt(message: MessageAddress): MessageAddress {
  return { ...message, platformData: { ...message.platformData, question: 'yes' } };
}

/** Whether a message asks, or asked, for somebody’s decision. */
export function isQuestionAt({ platformData }: Address): boolean {
  return platformData?.question !== undefined;
}

/** Whether a thread begins with the message that was asked with, so that it may have no replies. */
export function isNewThread({ platformData }: Address): boolean {
  return platformData?.newThread !== undefined;
}

/** Where people see what’s posted at an address: in its thread; in the channel; or, in a thread that may have no replies, in both. */
export function placesOf(address: Address): readonly string[] {
  const [channel, thread] = [channelKey(address), threadOf(address)];
  if (thread === undefined) return [channel];
  const inThread = `${channel} ${thread}`;
  return isNewThread(address) ? [channel, inThread] : [inThread];
}

/** Whether a channel is direct messages: with the bot, or between two people, where the bot can’t be. */
export function isDirect(channel: string): boolean {
  return channel.startsWith('D');
}

/** Whether an id is a workspace’s; an organization’s begins with another letter. */
export function isWorkspace(id: string): boolean {
  return id.startsWith('T');
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
