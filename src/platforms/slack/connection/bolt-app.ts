import {
  App,
  type AuthorizeResult,
  type AuthorizeSourceData,
  type BlockAction,
  type MessageShortcut,
  type Receiver,
  type ReceiverEvent,
  type ViewSubmitAction,
} from '@slack/bolt';
import { isLocal } from '../../../lib/local-faults.ts';
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
import { onCommand } from '../receive/on-command.ts';
import { onForm } from '../receive/on-form.ts';
import { type MessageEvent, type Origin, onAppOpened, onMessage } from '../receive/on-message.ts';
import { onShortcut } from '../receive/on-shortcut.ts';
import { onStep, type StepContext } from '../receive/on-step.ts';
import type { Uninstallations } from '../setup/uninstallations.ts';
import type { WorkspaceAccess } from '../setup/workspace-access.ts';

interface AppDependencies {
  readonly receiver: Receiver;
  readonly apiUrl: string;
  readonly access: WorkspaceAccess;
  readonly losses: AccessLosses;
  readonly uninstallations: Uninstallations;
  readonly context: StepContext;
  readonly log: Log;
}

/** An error as Bolt reports it, with its payload. */
type ErrorAbout = Parameters<Parameters<App['error']>[0]>[0];

/** Creates Bolt’s app with all its listeners. Events are put on record, then acknowledged, then handled. */
export async function createApp(dependencies: AppDependencies): Promise<App> {
  const { receiver, apiUrl, access, losses, uninstallations, context: handlerContext, log } = dependencies;
  const app: RecordingApp = new RecordingApp({
    receiver,
    authorize: async (source, body) => {
      const identity = await authorize(access, source, body);
      // Slack sends events only while the app has access.
      if (identity.teamId !== undefined) losses.askAgain(identity.teamId);
      return identity;
    },
    clientOptions: clientOptions(apiUrl),
    logger: libraryLogger(log),
    convoStore: false,
    deferInitialization: true,
    extendedErrorHandler: true,
  });
  await app.init();

  app.command(/.*/, ({ ack, body, context }) =>
    onCommand(handlerContext, body, context.teamId ?? body.team_id, () => ack()),
  );
  app.action<BlockAction>({ type: 'block_actions' }, ({ ack, body, context }) => {
    const [action] = body.actions;
    const joins = action !== undefined && isJoinButton(action.action_id);
    const handle = joins ? onJoinPress : body.view ? onViewPress : onButtonPress;
    return handle(handlerContext, body, context.teamId ?? '', () => ack());
  });
  app.shortcut<MessageShortcut>(
    { callback_id: shortcutIds, type: 'message_action' },
    ({ ack, body, context }) => onShortcut(handlerContext, body, context.teamId ?? '', () => ack()),
  );
  app.view<ViewSubmitAction>(
    { callback_id: formCallback, type: 'view_submission' },
    async ({ ack, body }) => {
      await onForm(handlerContext, body, async (errors) => {
        await (errors ? ack({ response_action: 'errors', errors }) : ack());
      });
    },
  );
  for (const type of ['app_mention', 'message'] as const) {
    app.event(type, async ({ event, context }) => {
      const origin = originOf(context);
      // Bolt types `message` as a union of its subtypes; the fields tell which of them matter.
      if (origin) await onMessage(handlerContext, event as MessageEvent, origin, isLastTry(context));
    });
  }
  app.event('agent_session_stopped', async ({ event, context }) => {
    const origin = originOf(context);
    if (origin)
      void onStopButton(handlerContext, event, origin.workspace).catch(logError('Slack’s Stop button', log));
  });
  app.event('app_home_opened', async ({ event, context }) => {
    const origin = originOf(context);
    if (origin)
      void onAppOpened(handlerContext, event, origin.workspace).catch(logError('the opened app', log));
  });
  app.event('function_executed', async ({ event, context }) => {
    const origin = originOf(context);
    if (origin) await onStep(handlerContext, event, origin.workspace);
  });
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
    if (isLocal(cause)) app.leaveUnacknowledged(body);
    logError('a payload', log)(cause);
  });
  return app;
}

/**
 * Bolt acknowledges events before a listener has run; this app does so after. Bolt also acknowledges what it couldn’t
 * authorize or what a listener failed on: if the database is away, this app doesn’t, so that Slack sends the event
 * again or tells the person that the app didn’t respond.
 */
class RecordingApp extends App {
  readonly #unacknowledged = new WeakSet<object>();

  /** A fault of this machine kept a payload from being read or recorded. */
  leaveUnacknowledged(body: object): void {
    this.#unacknowledged.add(body);
  }

  override async processEvent(event: ReceiverEvent): Promise<void> {
    const { body } = event;
    const ack: typeof event.ack = async (response) => {
      if (!this.#unacknowledged.has(body)) await event.ack(response);
    };
    if (body.type !== 'event_callback') return super.processEvent({ ...event, ack });
    await super.processEvent({ ...event, ack: async () => {} });
    await ack();
  }
}

/** Slack sends an event up to three more times. */
function isLastTry({ retryNum }: { readonly retryNum?: number }): boolean {
  return (retryNum ?? 0) >= 3;
}

function logError(what: string, log: Log): (error: unknown) => void {
  return (error) => log.error({ error }, `${what} of Slack’s could not be handled`);
}

async function authorize(
  access: WorkspaceAccess,
  source: AuthorizeSourceData<boolean>,
  body: unknown,
): Promise<AuthorizeResult> {
  const identity = await access.find({ team: teamOf(source, body), enterprise: source.enterpriseId });
  if (!identity) throw new PlatformError('unreachable', 'troupe is not installed there');
  const { token, botUser, botId, workspace } = identity;
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
  // Buttons are under the bot’s own messages; a shortcut’s message is anybody’s, and whoever chose it is of the workspace.
  const ofMessage = type === 'block_actions' ? message?.team : undefined;
  return [byEvent, ofMessage, teamId].find((id) => id?.startsWith('T')) ?? teamId;
}

function originOf(context: { readonly botUserId?: string; readonly teamId?: string }): Origin | undefined {
  const { botUserId: botUser, teamId: workspace } = context;
  return botUser === undefined || workspace === undefined ? undefined : { workspace, botUser };
}
