import type { Clock } from '../../../lib/clock.ts';
import { inTime } from '../../../lib/in-time.ts';
import { type Address, type AnyCommand, PlatformError } from '../../../port/index.ts';
import { slackCode } from '../api/errors.ts';
import { isDirect, slackAddress } from '../post/address.ts';
import type { Channels } from '../post/channels.ts';
import type { DirectMessages } from '../post/direct-messages.ts';
import type { SlackWords } from '../words.ts';

/** A command waits no longer to learn it, in milliseconds. */
const patience = 1_000;

export interface MembershipDependencies {
  readonly channels: Channels;
  readonly directMessages: DirectMessages;
  readonly clock: Clock;
}

/** A place as somebody's command names it. */
export interface CommandTarget {
  readonly address: Address;
  /** Who gave the command. */
  readonly user: string;
  /** A conversation that nobody can bring the bot into: direct messages of two people, or of a group. */
  readonly closed: boolean;
  /** Words can come through a response address, where the bot is no member. */
  readonly hasResponseUrl: boolean;
}

/**
 * How the bot stands to a place: it may post there; it has to be invited first; Slack lets it post nothing there, by
 * the `code` of the refusal; or it never can be there, and what is more than words goes to `direct`, its direct
 * messages with who asked, where it can have those.
 */
export type ChannelMembership =
  | { readonly kind: 'member' }
  | { readonly kind: 'uninvited' }
  | { readonly kind: 'shut'; readonly code: string | undefined }
  | { readonly kind: 'shut-out'; readonly direct: Address | undefined };

const member: ChannelMembership = { kind: 'member' };

/**
 * How the bot stands to the place of a command that is paid for; for any other it counts as a member, and so where
 * Slack doesn't tell, or not in time: posting will show.
 */
export async function membershipFor(
  dependencies: MembershipDependencies,
  command: AnyCommand<never> | undefined,
  target: CommandTarget,
): Promise<ChannelMembership> {
  if (!command?.postsFiles) return command?.price ? membershipForText(dependencies, target) : member;
  const looked = isDirect(target.address.channel)
    ? inDirectMessages(dependencies, target)
    : inChannel(dependencies, target);
  return inTime(
    dependencies.clock,
    patience,
    looked.catch(() => member),
    member,
  );
}

/** A conversation that no app can be invited into, by its id and by the name that commands give. */
export function isClosed(channel: string, name = ''): boolean {
  return isDirect(channel) || name.startsWith('mpdm-');
}

/** Where files go that cannot be posted where they were asked for. */
export function targetOf(address: Address, membership: ChannelMembership): Address {
  return (membership.kind === 'shut-out' ? membership.direct : undefined) ?? address;
}

/** Why a paid command can do nothing for a place; undefined where it can, as for its requester alone. */
export function refusalOf(
  membership: ChannelMembership,
  say: SlackWords,
  botName: string,
  seenBy: 'channel' | 'requester' | 'nobody',
): string | undefined {
  if (membership.kind === 'shut' && seenBy === 'channel') return say.shut(membership.code);
  if (membership.kind === 'uninvited') return say.inviteMe(botName);
  return membership.kind === 'shut-out' && !membership.direct ? say.nowhereToPost : undefined;
}

/** Words need no membership where a response address takes them; and no answer waits to hear of an open channel. */
async function membershipForText(
  { channels }: MembershipDependencies,
  target: CommandTarget,
): Promise<ChannelMembership> {
  const refusal = await channels.refusalAt(target.address, { fresh: false }).catch(() => undefined);
  if (!refusal) return member;
  if (refusal.kind !== 'not-a-member') return { kind: 'shut', code: refusal.detail };
  return target.hasResponseUrl || target.closed ? member : { kind: 'uninvited' };
}

async function inDirectMessages(
  dependencies: MembershipDependencies,
  { address, user }: CommandTarget,
): Promise<ChannelMembership> {
  const { workspace, channel } = address;
  if (await dependencies.directMessages.isOwn(workspace, channel)) return member;
  const direct = await directWith(dependencies, workspace, user);
  return direct?.channel === channel ? member : { kind: 'shut-out', direct };
}

async function inChannel(
  dependencies: MembershipDependencies,
  { address, user, closed }: CommandTarget,
): Promise<ChannelMembership> {
  const refusal = await dependencies.channels.refusalAt(address, { fresh: true });
  if (!refusal) return member;
  if (refusal.kind !== 'not-a-member') return { kind: 'shut', code: refusal.detail };
  if (!closed) return { kind: 'uninvited' };
  return { kind: 'shut-out', direct: await directWith(dependencies, address.workspace, user) };
}

async function directWith(
  { directMessages }: MembershipDependencies,
  workspace: string,
  user: string,
): Promise<Address | undefined> {
  try {
    return slackAddress(workspace, await directMessages.open(workspace, user));
  } catch (error) {
    // What Slack refuses is told from what did not get there.
    if (error instanceof PlatformError && slackCode(error.cause) !== undefined) return undefined;
    throw error;
  }
}
