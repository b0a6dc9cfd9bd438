import type { Clock } from '../../lib/clock.ts';
import { slackCode } from '../../platforms/slack/api/errors.ts';
import type { SlackSettings } from '../../platforms/slack/index.ts';
import { CleanUp } from '../clean-up.ts';
import type { Helper } from '../helper.ts';
import { NeedsOperator } from '../needs-operator.ts';
import type { PreparedCheck } from '../run-steps.ts';
import { type HelperSession, label, type Place, post, type SlackContext } from './context.ts';
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
  /** Undefined if nobody helps. */
  readonly helper: Helper | undefined;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** All steps on Slack, in order; those that use up a rate limit come last. */
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

/** Members of a channel that are looked up to find a person. */
const maxMembers = 20;
/** The name of unknown messages in the report, if they could not be deleted. */
const lostMessages = 'messages whose responses were lost';

/**
 * Prepares the steps on Slack.
 * @throws {NeedsOperator} if the token or the channel can't be used.
 */
export async function prepareSlack(options: SlackCheckOptions): Promise<PreparedCheck<SlackContext>> {
  const { settings, channel, signal, clock } = options;
  const { SLACK_BOT_TOKEN: token, SLACK_API_URL: apiUrl } = settings;
  if (token === undefined)
    throw new NeedsOperator('SLACK_BOT_TOKEN is not set. The check needs the token of one workspace.');
  const slack = new PacedClient(apiUrl, token, clock);
  const cleanUp = new CleanUp();
  const basis = { slack, cleanUp };
  try {
    const me = await slack.call('auth.test');
    const { team_id, response_metadata } = me;
    const workspace = String(team_id);
    const session = await openSession(options, cleanUp);
    await requireMember(slack, channel);
    const person = await personIn(slack, channel);
    const recipient =
      person === undefined ? undefined : { recipient_user_id: person, recipient_team_id: workspace };
    // Slack’s clock may be slightly behind this one.
    const since = String(clock.now() / 1_000 - 60);
    cleanUp.add(lostMessages, () => removeLeftovers(slack, [{ channel }], since));
    const thread = await post(
      basis,
      { channel },
      { text: `${label}: the check’s messages are in this thread` },
    );
    const inDirectMessage = await directMessages(basis, person, since);
    const inChannel: Place = { channel, thread, recipient };
    const threads = inDirectMessage ? [inChannel, inDirectMessage] : [inChannel];
    cleanUp.add(lostMessages, () => removeLeftovers(slack, threads, since));
    const context: SlackContext = {
      ...basis,
      clock,
      signal,
      inChannel,
      inDirectMessage,
      person,
      me,
      scopes: scopesIn(response_metadata),
      session,
      streams: undefined,
    };
    return { context, steps: slackSteps, workspace, cleanUp, explain };
  } catch (error) {
    await cleanUp.run();
    if (error instanceof NeedsOperator) throw error;
    throw new NeedsOperator(`Slack: ${explain(error).text}`);
  }
}

/** The helper's session; a sentence if button presses can't be received; undefined if nobody helps. */
async function openSession(
  { helper, settings }: SlackCheckOptions,
  cleanUp: CleanUp,
): Promise<HelperSession | string | undefined> {
  if (!helper) return undefined;
  const { SLACK_APP_TOKEN: appToken, SLACK_API_URL: apiUrl } = settings;
  if (appToken === undefined) return 'needs Socket Mode: in HTTP mode button presses go to the bot’s address';
  const socket = await SocketListener.open(appToken, apiUrl);
  cleanUp.add('the socket', () => socket.close());
  if (socket.connections > 1)
    return 'stop the bot first: Slack sends a button press to only one of the app’s connections';
  return { helper, socket };
}

async function requireMember(slack: PacedClient, id: string): Promise<void> {
  try {
    const { channel } = await slack.call('conversations.info', { channel: id });
    if (typeof channel === 'object' && channel !== null && 'is_member' in channel && channel.is_member)
      return;
  } catch (error) {
    if (slackCode(error) !== 'channel_not_found') throw error;
    throw new NeedsOperator(
      `Slack: there is no channel ${id}, or the bot can’t see it (channel_not_found). Copy its id from “View channel details”; in a private channel, type /invite @troupe first.`,
    );
  }
  throw new NeedsOperator(`Slack: the bot isn’t in the channel ${id}. Type /invite @troupe there.`);
}

/** The first person in the channel. */
async function personIn(slack: PacedClient, channel: string): Promise<string | undefined> {
  const { members } = await slack.call('conversations.members', { channel, limit: maxMembers });
  for (const id of Array.isArray(members) ? members.map(String).slice(0, maxMembers) : []) {
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
  basis.cleanUp.add(lostMessages, () => removeLeftovers(basis.slack, [{ channel: id }], since));
  const thread = await post(
    basis,
    { channel: id },
    { text: `${label}: the check’s streams are in this thread` },
  );
  return { channel: id, thread, recipient: undefined };
}

function scopesIn(metadata: unknown): readonly string[] {
  const { scopes } = (metadata ?? {}) as { scopes?: readonly string[] };
  return scopes ?? [];
}
