import {
  type App,
  type AuthorizeResult,
  type AuthorizeSourceData,
  type BlockAction,
  ErrorCode,
  type MessageShortcut,
  type Receiver,
  type ViewSubmitAction,
} from '@slack/bolt';
import { GivenUpError } from '../../../engine/index.ts';
import { PlatformError } from '../../../port/index.ts';
import type { AccessLosses } from '../api/access-losses.ts';
import { type Log, libraryLogger } from '../api/log.ts';
import { clientOptions } from '../api/slack-api.ts';
import { formCallback } from '../commands/form.ts';
import { shortcutIds } from '../commands/message-shortcuts.ts';
import { isJoinButton } from '../post/channels/join-offers.ts';
import { onButtonPress } from '../receive/buttons/on-button-press.ts';
import { onJoinPress } from '../receive/buttons/on-join-press.ts';
import { onStopButton } from '../receive/buttons/on-stop-button.ts';
import { onViewPress } from '../receive/buttons/on-view-press.ts';
import type { MessageEvent } from '../receive/context/slack-message.ts';
import { isLeftToMention, unlessMentionComes } from '../receive/left-to-mention.ts';
import { onCommand } from '../receive/on-command.ts';
import { onForm } from '../receive/on-form.ts';
import { type Origin, onAppOpened, onMessage } from '../receive/on-message.ts';
import { onShortcut } from '../receive/on-shortcut.ts';
import { onStep } from '../receive/on-step.ts';
import type { Uninstallations } from '../setup/uninstallations.ts';
import type { BotIdentity, WorkspaceAccess } from '../setup/workspace-access.ts';
import { RecordingApp, type RecordingDependencies } from './recording-app.ts';

interface AppDependencies extends RecordingDependencies {
  readonly receiver: Receiver;
  readonly apiUrl: string;
  readonly access: WorkspaceAccess;
  readonly losses: AccessLosses;
  readonly uninstallations: Uninstallations;
}

/** An error as Bolt reports it, with its payload. */
type ErrorAbout = Parameters<Parameters<App['error']>[0]>[0];

/** Creates Bolt’s app with all its listeners. Events are put on record, then acknowledged, then handled. */
export async function createApp(dependencies: AppDependencies): Promise<App> {
  const { receiver, apiUrl, access, losses, channelIds, uninstallations, log } = dependencies;
  const app: RecordingApp = new RecordingApp(dependencies, {
    receiver,
    authorize: async (source, body) => {
      const bot = await botFor(access, source, body);
      app.isFor(body as object, bot);
      // Slack sends events only while the app has access.
      losses.askAgain(bot.workspace);
      return authorized(bot);
    },
    clientOptions: clientOptions(apiUrl),
    logger: libraryLogger(log),
    convoStore: false,
    deferInitialization: true,
    extendedErrorHandler: true,
  });
  await app.init();

  app.command(/.*/, ({ ack, body, context }) =>
    onCommand(app.contextOf(body), body, context.teamId ?? body.team_id, () => ack()),
  );
  app.action<BlockAction>({ type: 'block_actions' }, ({ ack, body, context }) => {
    const [action] = body.actions;
    const joins = action !== undefined && isJoinButton(action.action_id);
    const handle = joins ? onJoinPress : body.view ? onViewPress : onButtonPress;
    return handle(app.contextOf(body), body, context.teamId ?? '', () => ack());
  });
  app.shortcut<MessageShortcut>(
    { callback_id: shortcutIds, type: 'message_action' },
    ({ ack, body, context }) => onShortcut(app.contextOf(body), body, context.teamId ?? '', () => ack()),
  );
  app.view<ViewSubmitAction>(
    { callback_id: formCallback, type: 'view_submission' },
    async ({ ack, body }) => {
      await onForm(app.contextOf(body), body, async (errors) => {
        await (errors ? ack({ response_action: 'errors', errors }) : ack());
      });
    },
  );
  for (const type of ['app_mention', 'message'] as const) {
    app.event(type, async ({ body, event, context }) => {
      const origin = originOf(context);
      // Bolt types `message` as a union of its subtypes; the fields tell which of them matter.
      if (!origin) return;
      const message = event as MessageEvent;
      const services = app.contextOf(body);
      const handle = () => onMessage(services, message, origin);
      if (!services.arrivals.hasOthers || !isLeftToMention(body)) return handle();
      unlessMentionComes(services, message, { handle, failed: logError('a mention', log) });
    });
  }
  app.event('agent_session_stopped', async ({ body, event, context }) => {
    const origin = originOf(context);
    if (origin)
      void onStopButton(app.contextOf(body), event, origin.workspace).catch(
        logError('Slack’s Stop button', log),
      );
  });
  app.event('app_home_opened', async ({ body, event, context }) => {
    const origin = originOf(context);
    if (origin)
      void onAppOpened(app.contextOf(body), event, origin.workspace).catch(logError('the opened app', log));
  });
  app.event('function_executed', async ({ body, event, context }) => {
    const origin = originOf(context);
    if (origin) await onStep(app.contextOf(body), event, origin.workspace);
  });
  // Slack sends it again if it fails.
  app.event('channel_id_changed', async ({ event, context }) => {
    const origin = originOf(context);
    if (!origin) return;
    const { old_channel_id: from, new_channel_id: to } = event;
    await channelIds.moved(from, to);
    log.info({ workspace: origin.workspace, from, to }, 'a channel in Slack has another id');
  });
  for (const type of ['channel_deleted', 'group_deleted'] as const) {
    app.event(type, async ({ body, event: { channel }, context }) => {
      if (!originOf(context)) return;
      const { dispatcher } = app.contextOf(body);
      // Of the workspaces that share a channel, Slack names any.
      for (const id of channelIds.all(channel))
        await dispatcher.deleted({ platform: 'slack', messages: [], place: { channel: id } });
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
  app.error(async ({ error, body }: ErrorAbout) => {
    const cause = error.original instanceof Error ? error.original : error;
    app.failed(body, cause, error.code !== ErrorCode.AuthorizationError);
    if (!(cause instanceof GivenUpError)) logError('a payload', log)(cause);
  });
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

function authorized({ token, botUser, botId, workspace }: BotIdentity): AuthorizeResult {
  return {
    botToken: token,
    botUserId: botUser,
    teamId: workspace,
    ...(botId !== undefined && { botId }),
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

function originOf(context: { readonly botUserId?: string; readonly teamId?: string }): Origin | undefined {
  const { botUserId: botUser, teamId: workspace } = context;
  return botUser === undefined || workspace === undefined ? undefined : { workspace, botUser };
}
