import type { Clock } from '../../clock.ts';
import { type Address, type AnyCommand, OutletError } from '../../port/index.ts';
import type { SlackWords } from '../../words/slack.ts';
import type { SlackApi } from './api.ts';
import type { DirectMessages } from './direct-messages.ts';
import { outletError, slackCode } from './errors.ts';
import { isDirect, placeOf } from './place.ts';

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
 * How the bot stands to a place: it may post there; it has to be invited first; or it never can be there, and what
 * is more than words goes to `direct`, its direct messages with who asked, where it can have those.
 */
export type Standing =
  | { readonly kind: 'member' }
  | { readonly kind: 'uninvited' }
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

/** Why a command that posts files can do nothing for a place; undefined where it can. */
export function refusalOf(standing: Standing, say: SlackWords, botName: string): string | undefined {
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
  const isMember = await parts.api.call(workspace, 'conversations.info', { channel }).then(
    (answer) => (answer.channel as { readonly is_member?: boolean }).is_member !== false,
    (error: unknown) => outletError(error).kind !== 'not-a-member',
  );
  if (isMember) return member;
  if (!closed) return { kind: 'uninvited' };
  return { kind: 'shut-out', direct: await directWith(parts, workspace, user) };
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
