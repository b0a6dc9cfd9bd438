import { SocketModeReceiver } from '@slack/bolt';
import type { Config } from '../../config/config.ts';
import { systemClock } from '../../lib/clock.ts';
import { slackCode } from '../../platforms/slack/api/errors.ts';
import { silentLogger } from '../../platforms/slack/api/log.ts';
import { clientOptions } from '../../platforms/slack/api/slack-api.ts';
import {
  type CheckOptions,
  type CheckResult,
  type CleanUp,
  Ended,
  failureToConnect,
  type Help,
  type Helper,
  needs,
  nobodyHelps,
  runSteps,
} from '../run-steps.ts';
import { type Action, CheckClient, type Identity, type SlackChannel } from './client.ts';
import { personSteps } from './person-steps.ts';
import { explain, unaidedSteps } from './steps.ts';

/** All steps on Slack, in order. */
export const steps = [...unaidedSteps, ...personSteps];

/**
 * Tries the steps on Slack.
 * @throws {Ended} if the token or the channel can't be used.
 */
export async function check(options: CheckOptions): Promise<CheckResult> {
  const { SLACK_BOT_TOKEN: token, SLACK_API_URL: apiUrl } = options.config;
  if (token === undefined)
    throw new Ended(needs('SLACK_BOT_TOKEN is not set. The check needs the token of one workspace.'));
  const { clock = systemClock } = options;
  const slack = new CheckClient(apiUrl, token, clock);
  // Slack’s clock may be slightly behind this one.
  const since = String(clock.now() / 1_000 - 60);
  const channel = await open(options, slack, since).catch(async (error: unknown) => {
    await slack.cleanUp.run();
    throw error instanceof Ended ? error : new Ended(needs(`Slack: ${explain(error).text}`));
  });
  return runSteps(channel, steps, explain, options);
}

async function open(
  { config, channel, helper, signal }: CheckOptions,
  slack: CheckClient,
  since: string,
): Promise<SlackChannel> {
  const me = await slack.call<Identity>('auth.test');
  const help = helper ? await helpBy(helper, config, slack.cleanUp) : nobodyHelps;
  await requireMember(slack, channel);
  const person = await personIn(slack, channel);
  const begin = async (id: string, what: string) => {
    slack.removeLeftovers({ channel: id }, since);
    const { ts } = await slack.post({ channel: id }, `the check’s ${what} are in this thread`);
    return { channel: id, thread: ts };
  };
  const inChannel = await begin(channel, 'messages');
  const inDirectMessage = await begin(await directMessages(slack, person), 'streams');
  for (const place of [inChannel, inDirectMessage]) slack.removeLeftovers(place, since);
  const { cleanUp } = slack;
  return { slack, cleanUp, workspace: me.team_id, me, inChannel, inDirectMessage, person, help, signal };
}

async function requireMember(slack: CheckClient, id: string): Promise<void> {
  const { channel } = await slack
    .call<{ channel: { is_member?: boolean } }>('conversations.info', { channel: id })
    .catch((error: unknown) => {
      if (slackCode(error) !== 'channel_not_found') throw error;
      const mend =
        'Copy its id from “View channel details”; in a private channel, type /invite @troupe first.';
      throw new Ended(
        needs(`Slack: there is no channel ${id}, or the bot can’t see it (channel_not_found). ${mend}`),
      );
    });
  if (!channel.is_member)
    throw new Ended(needs(`Slack: the bot isn’t in the channel ${id}. Type /invite @troupe there.`));
}

async function personIn(slack: CheckClient, channel: string): Promise<string> {
  for await (const { id, is_bot } of slack.membersOf(channel)) if (is_bot === false) return id;
  throw new Ended(needs(`Slack: no person is in the channel ${channel}. Join it first.`));
}

async function directMessages(slack: CheckClient, person: string): Promise<string> {
  const { channel } = await slack.call<{ channel: { id: string } }>('conversations.open', { users: person });
  return channel.id;
}

/** Hears over a socket of its own what a person does. A sentence if that isn't possible. */
async function helpBy(
  helper: Helper,
  { SLACK_APP_TOKEN: appToken, SLACK_API_URL: apiUrl }: Config,
  cleanUp: CleanUp,
): Promise<Help<Action> | string> {
  if (appToken === undefined) return 'needs Socket Mode: in HTTP mode button presses go to the bot’s address';
  const { client } = new SocketModeReceiver({
    ...{ appToken, autoReconnectEnabled: false, logger: silentLogger },
    installerOptions: { clientOptions: clientOptions(apiUrl) },
  });
  client.on('slack_event', ({ ack }: { readonly ack: () => Promise<void> }) => {
    void ack().catch(() => undefined);
  });
  let connections = 1;
  client.on('ws_message', (data: unknown) => {
    const { type, num_connections: count } = JSON.parse(String(data)) as Record<string, unknown>;
    if (type === 'hello' && typeof count === 'number') connections = count;
  });
  const failure = await failureToConnect(client.start());
  if (failure !== undefined)
    throw new Ended(needs(`Slack refused a socket for SLACK_APP_TOKEN (${failure})`));
  cleanUp.add('the socket', () => client.disconnect());
  if (connections > 1)
    return 'stop the bot first: Slack sends a button press to only one of the app’s connections';
  return {
    helper,
    listen(listener) {
      const onEvent = ({ body }: { readonly body: Action }) => listener(body);
      client.on('slack_event', onEvent);
      return () => client.off('slack_event', onEvent);
    },
  };
}
