import {
  App,
  type AuthorizeResult,
  type AuthorizeSourceData,
  type BlockAction,
  type MessageShortcut,
  type ViewSubmitAction,
} from '@slack/bolt';
import { PlatformError } from '../../../port/index.ts';
import { libraryLogger, type Log } from '../api/log.ts';
import { clientOptions } from '../api/slack-api.ts';
import { formCallback } from '../commands/form.ts';
import { shortcutIds } from '../commands/slash-commands.ts';
import type { MessageEvent } from '../incoming/slack-message.ts';
import { isJoinButton } from '../post/channels/join-offers.ts';
import { onAppOpened, onViewPress } from '../receive/on-app-home.ts';
import { onButtonPress, onStopButton } from '../receive/on-button-press.ts';
import { onCommand, onJoinPress } from '../receive/on-command.ts';
import { onForm } from '../receive/on-form.ts';
import { onMessage } from '../receive/on-message.ts';
import { onShortcut } from '../receive/on-shortcut.ts';
import { onStep } from '../receive/on-step.ts';
import type { SlackServices } from '../services.ts';
import type { BotIdentity, Uninstallations, WorkspaceAccess } from '../setup/workspace-access.ts';
import type { Listening, SlackReceiver } from './receiver.ts';

/** Creates Bolt’s app with all its listeners; the receiver says when what they handle is acknowledged. */
export async function createApp(
  receiver: SlackReceiver,
  { settings, access, losses, channelIds, log }: SlackServices,
  uninstallations: Uninstallations,
): Promise<App> {
  const app = new App<Listening>({
    receiver,
    authorize: async (source, body) => {
      const bot = await botFor(access, source, body);
      // Slack sends events only while the app has access.
      losses.askAgain(bot.workspace);
      return authorized(bot);
    },
    clientOptions: clientOptions(settings.SLACK_API_URL),
    logger: libraryLogger(log),
    convoStore: false,
    deferInitialization: true,
  });
  await app.init();
  // The receiver tells whoever waits.
  app.error(async (error) => {
    throw error;
  });

  app.use(async ({ context, next }) => {
    if (context.bot) context.isFor(context.bot);
    await next();
  });
  app.command(/.*/, ({ body, context: { services, bot } }) => onCommand(services, body, bot.workspace));
  app.action<BlockAction>({ type: 'block_actions' }, ({ body, context: { services, bot } }) => {
    const [action] = body.actions;
    const joins = action !== undefined && isJoinButton(action.action_id);
    const handle = joins ? onJoinPress : body.view ? onViewPress : onButtonPress;
    return handle(services, body, bot.workspace);
  });
  app.shortcut<MessageShortcut>(
    { callback_id: shortcutIds, type: 'message_action' },
    ({ body, context: { services, bot } }) => onShortcut(services, body, bot.workspace),
  );
  app.view<ViewSubmitAction>(
    { callback_id: formCallback, type: 'view_submission' },
    ({ ack, body, context: { services } }) =>
      onForm(services, body, (errors) => (errors ? ack({ response_action: 'errors', errors }) : ack())),
  );
  for (const type of ['app_mention', 'message'] as const) {
    // Bolt types `message` as a union of its subtypes; the fields tell which of them matter.
    app.event(type, ({ event, context: { services, bot } }) =>
      onMessage(services, event as MessageEvent, bot),
    );
  }
  app.event('agent_session_stopped', async ({ event, context: { services, bot } }) => {
    void onStopButton(services, event, bot.workspace).catch(logError('Slack’s Stop button', log));
  });
  app.event('app_home_opened', async ({ event, context: { services, bot } }) => {
    void onAppOpened(services, event, bot.workspace).catch(logError('the opened app', log));
  });
  app.event('function_executed', ({ event, context: { services, bot } }) =>
    onStep(services, event, bot.workspace),
  );
  // Slack sends it again if it fails.
  app.event('channel_id_changed', async ({ event, context: { bot } }) => {
    const { old_channel_id: from, new_channel_id: to } = event;
    await channelIds.moved(from, to);
    log.info({ workspace: bot.workspace, from, to }, 'a channel in Slack has another id');
  });
  for (const type of ['channel_deleted', 'group_deleted'] as const) {
    app.event(type, async ({ event: { channel }, context: { services } }) => {
      // Of the workspaces that share a channel, Slack names any.
      for (const id of channelIds.all(channel))
        await services.dispatcher.deleted({ platform: 'slack', messages: [], place: { channel: id } });
    });
  }
  // Unused, but every agent must subscribe to it.
  app.event('app_context_changed', async () => {});
  app.event('app_uninstalled', ({ body }) => uninstallations.removed(body));
  app.event('tokens_revoked', async ({ event, body }) => {
    // People’s own tokens don’t matter here.
    if (event.tokens.bot?.length) await uninstallations.removed(body);
  });
  app.event('team_access_revoked', ({ event }) => uninstallations.leftTeams(event.team_ids));
  return app;
}

function logError(what: string, log: Log): (error: unknown) => void {
  return (error) => log.error({ error }, `${what} of Slack’s could not be handled`);
}

async function botFor(
  access: WorkspaceAccess,
  source: AuthorizeSourceData<boolean>,
  body: unknown,
): Promise<BotIdentity> {
  const identity = await access.find({ team: teamOf(source, body), enterprise: source.enterpriseId });
  if (!identity) throw new PlatformError('unreachable', 'troupe is not installed there');
  return identity;
}

/** A bot as Bolt knows it, with the bot for the listeners. */
function authorized(bot: BotIdentity): AuthorizeResult {
  const { token, botUser, botId, workspace } = bot;
  return {
    botToken: token,
    botUserId: botUser,
    teamId: workspace,
    ...(botId !== undefined && { botId }),
    bot,
  };
}

/**
 * The workspace that a payload belongs to. Bolt knows it, except where the app is installed in a whole organization:
 * then Slack names none, and Bolt takes the channel owner’s or the person’s, which in Slack Connect is another one.
 */
function teamOf({ isEnterpriseInstall, teamId }: AuthorizeSourceData<boolean>, body: unknown) {
  if (!isEnterpriseInstall) return teamId;
  const {
    context_team_id: byEvent,
    type,
    message,
  } = body as {
    readonly context_team_id?: string | null;
    readonly type?: string;
    readonly message?: { readonly team?: string };
  };
  // Buttons are under the bot’s own messages; a shortcut’s message is anybody’s, but the
  // person who chose it belongs to the workspace.
  const ofMessage = type === 'block_actions' ? message?.team : undefined;
  return [byEvent, ofMessage, teamId].find((id) => id?.startsWith('T')) ?? teamId;
}
