import type { Command } from '../../../engine/index.ts';
import { type Clock, inTime } from '../../../lib/clock.ts';
import { type Address, type PlatformError, undefinedIfRefused } from '../../../port/index.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { isDirect, slackAddress } from '../post/address.ts';
import { isMember } from '../post/channels/channels.ts';
import type { SlackServices } from '../services.ts';
import type { SlackWords } from '../words.ts';

/** How long a command waits for it, in milliseconds. */
const patience = 1_000;

type MembershipServices = Pick<SlackServices, 'channels' | 'directMessages' | 'clock'>;

/** Where a command was given, and by whom. */
interface CommandTarget {
  readonly address: Address;
  /** Who gave the command. */
  readonly user: string;
  /** A conversation that the bot can’t be invited to: direct messages of two people or a group. */
  readonly closed: boolean;
  /** Text can be posted through a `response_url`, even where the bot isn’t a member. */
  readonly hasResponseUrl: boolean;
}

/**
 * Whether the bot may post where a command was given. `member`: it may. `uninvited`: it has to be invited first, or
 * can join by itself where the channel `isPublic`.
 * `refused`: Slack allows no posts there, with Slack’s own `code`. `closed`: it can never be there; files go to
 * `direct`, its direct messages with the person, where it can have those.
 */
export type ChannelMembership =
  | { readonly kind: 'member' }
  | { readonly kind: 'uninvited'; readonly isPublic: boolean }
  | { readonly kind: 'refused'; readonly code: string | undefined }
  | { readonly kind: 'closed'; readonly direct: Address | undefined };

const member: ChannelMembership = { kind: 'member' };

/**
 * The bot’s membership for a paid command; for any other it counts as a member, as it does where Slack doesn’t say,
 * or not in time: posting will show.
 */
export async function membershipFor(
  services: MembershipServices,
  command: Pick<Command, 'postsFiles' | 'price'> | undefined,
  target: CommandTarget,
): Promise<ChannelMembership> {
  if (!command?.postsFiles) return command?.price ? membershipForText(services, target) : member;
  const looked = isDirect(target.address.channel)
    ? inDirectMessages(services, target)
    : inChannel(services, target);
  return inTime(
    services.clock,
    patience,
    looked.catch(() => member),
    member,
  );
}

/**
 * Whether whoever sends a form is still in the channel where they opened it. They count as there where Slack doesn’t
 * say, or not in time: the form has to be answered.
 */
export function isStillThere(
  { api, clock }: { readonly api: SlackApi; readonly clock: Clock },
  person: string,
  address: Address,
): Promise<boolean> {
  const looked = isMember(api, person, address).catch(() => true);
  return inTime(clock, patience, looked, true);
}

/** Whether no app can be invited into a conversation, by its id and by the name that commands have. */
export function isClosed(channel: string, name = ''): boolean {
  return isDirect(channel) || name.startsWith('mpdm-');
}

/** Where files go that can’t be posted where the command was given. */
export function targetOf(address: Address, membership: ChannelMembership): Address {
  return (membership.kind === 'closed' ? membership.direct : undefined) ?? address;
}

/** Why a paid command is refused here; undefined where it isn’t, or where only the requester sees the answer. */
export function refusalOf(
  membership: ChannelMembership,
  words: SlackWords,
  botName: string,
  seenBy: 'channel' | 'requester' | 'nobody',
): string | undefined {
  if (membership.kind === 'refused' && seenBy === 'channel') return words.postingRefused(membership.code);
  if (membership.kind === 'uninvited') return words.inviteMe(botName);
  return membership.kind === 'closed' && !membership.direct ? words.nowhereToPost : undefined;
}

/**
 * Text needs no membership where there is a `response_url`; and no answer waits for information about an open
 * channel.
 */
async function membershipForText(
  { channels }: MembershipServices,
  target: CommandTarget,
): Promise<ChannelMembership> {
  const refusal = await channels.refusalAt(target.address, { fresh: false }).catch(() => undefined);
  if (!refusal) return member;
  if (refusal.kind !== 'not-a-member') return { kind: 'refused', code: refusal.detail };
  return target.hasResponseUrl || target.closed ? member : uninvitedBy(refusal);
}

async function inDirectMessages(
  services: MembershipServices,
  { address, user }: CommandTarget,
): Promise<ChannelMembership> {
  const { workspace, channel } = address;
  if (await services.directMessages.isOwn(workspace, channel)) return member;
  const direct = await directWith(services, workspace, user);
  return direct?.channel === channel ? member : { kind: 'closed', direct };
}

async function inChannel(
  services: MembershipServices,
  { address, user, closed }: CommandTarget,
): Promise<ChannelMembership> {
  const refusal = await services.channels.refusalAt(address, { fresh: true });
  if (!refusal) return member;
  if (refusal.kind !== 'not-a-member') return { kind: 'refused', code: refusal.detail };
  if (!closed) return uninvitedBy(refusal);
  return { kind: 'closed', direct: await directWith(services, address.workspace, user) };
}

/** Slack shows a public channel to an app that isn’t in it; of a private one it says that there is none. */
function uninvitedBy({ detail }: PlatformError): ChannelMembership {
  return { kind: 'uninvited', isPublic: detail === 'not_in_channel' };
}

/** The bot’s direct messages with somebody; undefined where it can’t have any. Rejects where Slack doesn’t say so, or not now. */
export async function directWith(
  { directMessages }: Pick<MembershipServices, 'directMessages'>,
  workspace: string,
  user: string,
): Promise<Address | undefined> {
  const channel = await undefinedIfRefused(directMessages.open(workspace, user));
  return channel === undefined ? undefined : slackAddress(workspace, channel);
}
