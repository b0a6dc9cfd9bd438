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
import { placeOf } from '../home/home-tab.ts';
import type { MessageEvent } from '../incoming/slack-message.ts';
import { isWorkspace } from '../post/address.ts';
import { isJoinButton } from '../post/channels/join-offers.ts';
import { onAppOpened, onViewPress } from '../receive/on-app-home.ts';
import { onButtonPress, onStopButton, pressedIn } from '../receive/on-button-press.ts';
import { onCommand, onJoinPress } from '../receive/on-command.ts';
import { onForm } from '../receive/on-form.ts';
import { onMessage } from '../receive/on-message.ts';
import { onShortcut } from '../receive/on-shortcut.ts';
import { onStep } from '../receive/on-step.ts';
import type { SlackServices } from '../services.ts';
import type { BotIdentity, Uninstallations } from '../setup/workspace-access.ts';
import type { Listening, SlackReceiver } from './receiver.ts';

/** Creates Bolt’s app with all its listeners; the receiver says when what they handle is acknowledged. */
export async function createApp(
  receiver: SlackReceiver,
  services: SlackServices,
  uninstallations: Uninstallations,
): Promise<App> {
  const { settings, losses, channels, channelIds, log } = services;
  const app = new App<Listening>({
    receiver,
    authorize: async (source, body) => {
      const bot = await botFor(services, source, body);
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
    void onStopButton(services, event, bot.workspace).catch(logError('the Stop button', log));
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
    // Another organization may share it now.
    await channels.changed(bot.workspace, channelIds.first(to));
    log.info({ workspace: bot.workspace, from, to }, 'a channel in Slack has another id');
  });
  for (const type of ['channel_shared', 'channel_unshared'] as const)
    app.event(type, ({ event, context: { bot } }) => channels.changed(bot.workspace, event.channel));
  for (const type of ['channel_deleted', 'group_deleted'] as const) {
    app.event(type, async ({ event: { channel }, context: { services } }) => {
      // Of the workspaces that share a channel, Slack names any.
      for (const id of channelIds.all(channel))
        await services.dispatcher.deleted({ platform: 'slack', messages: [], place: { channel: id } });
    });
  }
  // What conversations quote of a file is forgotten with it, though its message stays. Its id is no other thing's.
  app.event('file_deleted', ({ event: { file_id: file }, context: { services } }) =>
    services.dispatcher.deleted({ platform: 'slack', messages: [file] }),
  );
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
  services: SlackServices,
  source: AuthorizeSourceData<boolean>,
  body: unknown,
): Promise<BotIdentity> {
  const team = await teamOf(services, source, body);
  const identity = await services.access.find({ team, enterprise: source.enterpriseId });
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
 * The workspace that a payload belongs to. Bolt knows it, except where the app is installed in a whole organization: then
 * Slack names none with what people do, and Bolt takes the channel owner’s, which in Slack Connect is another one, or the
 * first of the person’s. A press belongs to the message or the view that has its button; what only one person is shown
 * comes without, so there it belongs where its command was given. A shortcut’s handler finds its own.
 */
async function teamOf(
  { dispatcher }: SlackServices,
  { isEnterpriseInstall, teamId }: AuthorizeSourceData<boolean>,
  body: unknown,
): Promise<string | undefined> {
  if (!isEnterpriseInstall) return teamId;
  const { context_team_id: byEvent, type, message, view, actions = [] } = body as OrganizationPayload;
  const byView = placeOf(view?.private_metadata ?? '')?.workspace;
  const ofMessage = type === 'block_actions' ? message?.team : undefined;
  const named = [byEvent, byView, ofMessage].find((id) => id && isWorkspace(id));
  if (named || type !== 'block_actions') return named ?? teamId;
  const action = pressedIn({ actions });
  const asked = action && (await dispatcher.askedAt(action.action_id));
  return asked?.workspace ?? teamId;
}

/** What payloads of an app in a whole organization say of where they belong. */
interface OrganizationPayload extends Partial<Pick<BlockAction, 'actions'>> {
  readonly type?: string;
  readonly context_team_id?: string | null;
  readonly message?: { readonly team?: string };
  readonly view?: { readonly private_metadata?: string };
}
