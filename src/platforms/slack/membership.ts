import type { Clock } from '../../clock.ts';
import { type Address, type AnyCommand, OutletError } from '../../port/index.ts';
import type { SlackWords } from '../../words/slack.ts';
import type { SlackApi } from './api.ts';
import type { DirectMessages } from './direct-messages.ts';
import { outletError, slackCode } from './errors.ts';
import { isDirect, placeOf, threadOf } from './place.ts';

/** A command waits no longer to learn it, in milliseconds. */
const patience = 1_000;

export interface StandingParts {
  readonly api: SlackApi;
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
}

/**
 * How the bot stands to a place: it may post there; it has to be invited first; the place's settings keep it from
 * posting; or it never can be there, and what is more than words goes to `direct`, its direct messages with who asked,
 * where it can have those.
 */
export type Standing =
  | { readonly kind: 'member' }
  | { readonly kind: 'uninvited' }
  | { readonly kind: 'read-only' }
  | { readonly kind: 'shut-out'; readonly direct: Address | undefined };

const member: Standing = { kind: 'member' };

/** Words come through the response address; files need a place where the bot is. */
export async function standingFor(
  parts: StandingParts,
  command: AnyCommand<never> | undefined,
  place: AskedPlace,
): Promise<Standing> {
  return command?.postsFiles ? standingAt(parts, place) : { kind: 'member' };
}

/**
 * Finds out how the bot stands to a place. Where Slack does not tell, or not in time, it counts as a member, for
 * posting will show.
 */
async function standingAt(parts: StandingParts, place: AskedPlace): Promise<Standing> {
  let cancel = () => {};
  const late = new Promise<Standing>((resolve) => {
    cancel = parts.clock.after(patience, () => resolve(member));
  });
  const looked = isDirect(place.address.channel) ? inDirectMessages(parts, place) : inChannel(parts, place);
  return Promise.race([looked.catch(() => member), late]).finally(cancel);
}

/** A conversation that no app can be invited into, by its id and by the name that commands give. */
export function isClosed(channel: string, name = ''): boolean {
  return isDirect(channel) || name.startsWith('mpdm-');
}

/** Where files go that cannot be posted where they were asked for. */
export function targetOf(address: Address, standing: Standing): Address {
  return (standing.kind === 'shut-out' ? standing.direct : undefined) ?? address;
}

/** Why a command that posts files can do nothing for a place; undefined where it can, as for its requester alone. */
export function refusalOf(
  standing: Standing,
  say: SlackWords,
  botName: string,
  seenBy: 'channel' | 'requester' | 'nobody',
): string | undefined {
  if (standing.kind === 'read-only' && seenBy === 'channel') return say.readOnly;
  if (standing.kind === 'uninvited') return say.inviteMe(botName);
  return standing.kind === 'shut-out' && !standing.direct ? say.nowhereToPost : undefined;
}

async function inDirectMessages(parts: StandingParts, { address, user }: AskedPlace): Promise<Standing> {
  const { workspace, channel } = address;
  if (await parts.directs.isOwn(workspace, channel)) return member;
  const direct = await directWith(parts, workspace, user);
  return direct?.channel === channel ? member : { kind: 'shut-out', direct };
}

async function inChannel(parts: StandingParts, { address, user, closed }: AskedPlace): Promise<Standing> {
  const { workspace, channel } = address;
  const info = await parts.api.call(workspace, 'conversations.info', { channel }).then(
    (answer) => answer.channel as ChannelInfo,
    (error: unknown): ChannelInfo => ({ is_member: outletError(error).kind !== 'not-a-member' }),
  );
  if (info.is_member !== false) return isShut(info, address) ? { kind: 'read-only' } : member;
  if (!closed) return { kind: 'uninvited' };
  return { kind: 'shut-out', direct: await directWith(parts, workspace, user) };
}

/** What `conversations.info` tells of a channel, each from where the bot stands (conversation object). */
interface ChannelInfo {
  readonly is_member?: boolean;
  readonly is_archived?: boolean;
  /** Only some may post there, and the bot isn't one of them. */
  readonly is_read_only?: boolean;
  /** The same, but for replies. */
  readonly is_thread_only?: boolean;
}

function isShut({ is_archived, is_read_only, is_thread_only }: ChannelInfo, address: Address): boolean {
  if (is_archived || is_read_only) return true;
  return is_thread_only === true && threadOf(address) === undefined;
}

async function directWith(
  { directs }: StandingParts,
  workspace: string,
  user: string,
): Promise<Address | undefined> {
  try {
    return placeOf(workspace, await directs.open(workspace, user));
  } catch (error) {
    // What Slack refuses is told from what did not get there.
    if (error instanceof OutletError && slackCode(error.cause) !== undefined) return undefined;
    throw error;
  }
}
