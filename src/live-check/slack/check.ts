import type { Clock } from '../../lib/clock.ts';
import { slackCode } from '../../platforms/slack/api/errors.ts';
import type { SlackSettings } from '../../platforms/slack/index.ts';
import { CleanUp } from '../clean-up.ts';
import type { Helper } from '../helper.ts';
import { NeedsOperator } from '../needs-operator.ts';
import type { PreparedCheck } from '../run-steps.ts';
import { type Helping, label, type Place, post, type SlackContext } from './context.ts';
import { removeLeftovers } from './leftovers.ts';
import { PacedClient } from './paced-client.ts';
import { explain } from './refusals.ts';
import { SocketListener } from './socket-listener.ts';
import { fileKindSteps } from './steps/file-kind-steps.ts';
import { fileSteps } from './steps/file-steps.ts';
import { messageSteps, rateSteps } from './steps/message-steps.ts';
import { personSteps } from './steps/person-steps.ts';
import { placeSteps } from './steps/place-steps.ts';
import { pressSteps } from './steps/press-steps.ts';
import { streamSteps } from './steps/stream-steps.ts';

export interface SlackCheckOptions {
  readonly settings: SlackSettings;
  readonly channel: string;
  /** Undefined where nobody helps. */
  readonly helper: Helper | undefined;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** Everything that is tried on Slack, in its order; what uses up a rate limit comes last. */
export const slackSteps = [
  ...placeSteps,
  ...messageSteps,
  ...streamSteps,
  ...fileSteps,
  ...fileKindSteps,
  ...pressSteps,
  ...personSteps,
  ...rateSteps,
];

/** People of a channel that are looked at to find one who is no bot. */
const membersLookedAt = 20;
/** How what nobody knows of is called where it cannot be taken away. */
const lost = 'messages whose answers were lost';

/**
 * Prepares the steps on Slack.
 * @throws {NeedsOperator} where token or channel are of no use.
 */
export async function prepareSlack(given: SlackCheckOptions): Promise<PreparedCheck<SlackContext>> {
  const { settings, channel, signal, clock } = given;
  const { SLACK_BOT_TOKEN: token, SLACK_API_URL: apiUrl } = settings;
  if (token === undefined)
    throw new NeedsOperator('SLACK_BOT_TOKEN is not set; the check takes the token of one workspace.');
  const slack = new PacedClient(apiUrl, token, clock);
  const cleanUp = new CleanUp();
  const basis = { slack, cleanUp };
  try {
    const me = await slack.call('auth.test');
    const { team_id, response_metadata } = me;
    const workspace = String(team_id);
    const company = await companyOf(given, cleanUp);
    await requireMember(slack, channel);
    const person = await personIn(slack, channel);
    const recipient =
      person === undefined ? undefined : { recipient_user_id: person, recipient_team_id: workspace };
    // Slack’s clock may be a little behind this one.
    const since = String(clock.now() / 1_000 - 60);
    cleanUp.later(lost, () => removeLeftovers(slack, [{ channel }], since));
    const thread = await post(basis, { channel }, { text: `${label}: everything is tried in this thread` });
    const inDirectMessage = await directMessages(basis, person, since);
    const inChannel: Place = { channel, thread, recipient };
    const threads = inDirectMessage ? [inChannel, inDirectMessage] : [inChannel];
    cleanUp.later(lost, () => removeLeftovers(slack, threads, since));
    const context: SlackContext = {
      ...basis,
      clock,
      signal,
      inChannel,
      inDirectMessage,
      person,
      me,
      scopes: scopesIn(response_metadata),
      helping: company,
      streams: undefined,
    };
    return { context, steps: slackSteps, workspace, cleanUp, explain };
  } catch (error) {
    await cleanUp.run();
    if (error instanceof NeedsOperator) throw error;
    throw new NeedsOperator(`Slack: ${explain(error).text}`);
  }
}

/** Who helps; a sentence where nobody can, because presses do not come here. */
async function companyOf(
  { helper, settings }: SlackCheckOptions,
  cleanUp: CleanUp,
): Promise<Helping | string | undefined> {
  if (!helper) return undefined;
  const { SLACK_APP_TOKEN: appToken, SLACK_API_URL: apiUrl } = settings;
  if (appToken === undefined) return 'takes Socket Mode: in HTTP mode presses go to the bot’s address';
  const presses = await SocketListener.open(appToken, apiUrl);
  cleanUp.later('the socket', () => presses.close());
  if (presses.connections > 1)
    return 'stop the bot first: Slack gives a press to any one of the app’s connections';
  return { helper, presses };
}

async function requireMember(slack: PacedClient, id: string): Promise<void> {
  try {
    const { channel } = await slack.call('conversations.info', { channel: id });
    if (typeof channel === 'object' && channel !== null && 'is_member' in channel && channel.is_member)
      return;
  } catch (error) {
    if (slackCode(error) !== 'channel_not_found') throw error;
    throw new NeedsOperator(
      `Slack: there is no channel ${id}, or the bot cannot see it (channel_not_found). Take its id from “View channel details”; in a private channel type /invite @troupe first.`,
    );
  }
  throw new NeedsOperator(`Slack: the bot is not in the channel ${id}. Type /invite @troupe there.`);
}

/** The first person in the channel. */
async function personIn(slack: PacedClient, channel: string): Promise<string | undefined> {
  const { members } = await slack.call('conversations.members', { channel, limit: membersLookedAt });
  for (const id of Array.isArray(members) ? members.map(String).slice(0, membersLookedAt) : []) {
    const { user } = await slack.call('users.info', { user: id });
    if (typeof user === 'object' && user !== null && 'is_bot' in user && user.is_bot === false) return id;
  }
  return undefined;
}

async function directMessages(
  basis: Pick<SlackContext, 'slack' | 'cleanUp'>,
  person: string | undefined,
  since: string,
): Promise<Place | undefined> {
  if (person === undefined) return undefined;
  const { channel } = await basis.slack.call('conversations.open', { users: person });
  const id = typeof channel === 'object' && channel !== null && 'id' in channel ? String(channel.id) : '';
  basis.cleanUp.later(lost, () => removeLeftovers(basis.slack, [{ channel: id }], since));
  const thread = await post(
    basis,
    { channel: id },
    { text: `${label}: streams are tried under this message` },
  );
  return { channel: id, thread, recipient: undefined };
}

function scopesIn(metadata: unknown): readonly string[] {
  const { scopes } = (metadata ?? {}) as { scopes?: readonly string[] };
  return scopes ?? [];
}
