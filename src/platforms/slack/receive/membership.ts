import type { Clock } from '../../../lib/clock.ts';
import { inTime } from '../../../lib/in-time.ts';
import { type Address, type AnyCommand, PlatformError } from '../../../port/index.ts';
import { slackCode } from '../api/errors.ts';
import { isDirect, slackAddress } from '../post/address.ts';
import type { Channels } from '../post/channels.ts';
import type { SlackWords } from '../words.ts';
import type { DirectMessages } from './direct-messages.ts';

/** A command waits no longer to learn it, in milliseconds. */
const patience = 1_000;

export interface StandingDependencies {
  readonly channels: Channels;
  readonly directs: DirectMessages;
  readonly clock: Clock;
}

/** A place as somebody's command names it. */
export interface AskedPlace {
  readonly address: Address;
  /** Who gave the command. */
  readonly user: string;
  /** A conversation that nobody can bring the bot into: direct messages of two people, or of a group. */
  readonly closed: boolean;
  /** Words can come through a response address, where the bot is no member. */
  readonly byAddress: boolean;
}

/**
 * How the bot stands to a place: it may post there; it has to be invited first; Slack lets it post nothing there, by
 * the `code` of the refusal; or it never can be there, and what is more than words goes to `direct`, its direct
 * messages with who asked, where it can have those.
 */
export type Standing =
  | { readonly kind: 'member' }
  | { readonly kind: 'uninvited' }
  | { readonly kind: 'shut'; readonly code: string | undefined }
  | { readonly kind: 'shut-out'; readonly direct: Address | undefined };

const member: Standing = { kind: 'member' };

/**
 * How the bot stands to the place of a command that is paid for; for any other it counts as a member, and so where
 * Slack doesn't tell, or not in time: posting will show.
 */
export async function standingFor(
  dependencies: StandingDependencies,
  command: AnyCommand<never> | undefined,
  place: AskedPlace,
): Promise<Standing> {
  if (!command?.postsFiles) return command?.price ? standingOfWords(dependencies, place) : member;
  const looked = isDirect(place.address.channel)
    ? inDirectMessages(dependencies, place)
    : inChannel(dependencies, place);
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
export function targetOf(address: Address, standing: Standing): Address {
  return (standing.kind === 'shut-out' ? standing.direct : undefined) ?? address;
}

/** Why a paid command can do nothing for a place; undefined where it can, as for its requester alone. */
export function refusalOf(
  standing: Standing,
  say: SlackWords,
  botName: string,
  seenBy: 'channel' | 'requester' | 'nobody',
): string | undefined {
  if (standing.kind === 'shut' && seenBy === 'channel') return say.shut(standing.code);
  if (standing.kind === 'uninvited') return say.inviteMe(botName);
  return standing.kind === 'shut-out' && !standing.direct ? say.nowhereToPost : undefined;
}

/** Words need no membership where a response address takes them; and no answer waits to hear of an open channel. */
async function standingOfWords({ channels }: StandingDependencies, place: AskedPlace): Promise<Standing> {
  const refusal = await channels.refusalAt(place.address, { fresh: false }).catch(() => undefined);
  if (!refusal) return member;
  if (refusal.kind !== 'not-a-member') return { kind: 'shut', code: refusal.detail };
  return place.byAddress || place.closed ? member : { kind: 'uninvited' };
}

async function inDirectMessages(
  dependencies: StandingDependencies,
  { address, user }: AskedPlace,
): Promise<Standing> {
  const { workspace, channel } = address;
  if (await dependencies.directs.isOwn(workspace, channel)) return member;
  const direct = await directWith(dependencies, workspace, user);
  return direct?.channel === channel ? member : { kind: 'shut-out', direct };
}

async function inChannel(
  dependencies: StandingDependencies,
  { address, user, closed }: AskedPlace,
): Promise<Standing> {
  const refusal = await dependencies.channels.refusalAt(address, { fresh: true });
  if (!refusal) return member;
  if (refusal.kind !== 'not-a-member') return { kind: 'shut', code: refusal.detail };
  if (!closed) return { kind: 'uninvited' };
  return { kind: 'shut-out', direct: await directWith(dependencies, address.workspace, user) };
}

async function directWith(
  { directs }: StandingDependencies,
  workspace: string,
  user: string,
): Promise<Address | undefined> {
  try {
    return slackAddress(workspace, await directs.open(workspace, user));
  } catch (error) {
    // What Slack refuses is told from what did not get there.
    if (error instanceof PlatformError && slackCode(error.cause) !== undefined) return undefined;
    throw error;
  }
}
