import {
  App,
  type AuthorizeResult,
  type AuthorizeSourceData,
  type BlockAction,
  type Receiver,
  type ReceiverEvent,
  type ViewSubmitAction,
} from '@slack/bolt';
import { isLocal } from '../../../lib/local-faults.ts';
import { PlatformError } from '../../../port/index.ts';
import { clientOptions } from '../api/slack-api.ts';
import { formCallback } from '../commands/form.ts';
import type { HandlerContext } from '../receive/handler-context.ts';
import { onButtonPress } from '../receive/on-button-press.ts';
import { onCommand } from '../receive/on-command.ts';
import { onForm } from '../receive/on-form.ts';
import { type MessageEvent, type Origin, onAppOpened, onMessage } from '../receive/on-message.ts';
import { onStopButton } from '../receive/on-stop-button.ts';
import type { Uninstallations } from '../setup/uninstallations.ts';
import type { AccessLosses } from './access-losses.ts';
import { type Log, libraryLogger } from './log.ts';
import type { WorkspaceAccess } from './workspace-access.ts';

interface AppDependencies {
  readonly receiver: Receiver;
  readonly apiUrl: string;
  readonly access: WorkspaceAccess;
  readonly losses: AccessLosses;
  readonly uninstallations: Uninstallations;
  readonly context: HandlerContext;
  readonly log: Log;
}

/** What Bolt tells of an error, with the payload it is about. */
type ErrorAbout = Parameters<Parameters<App['error']>[0]>[0];

/** Bolt's app with everything troupe listens to. What is heard is put on record, acknowledged, and worked on after. */
export async function createApp(dependencies: AppDependencies): Promise<App> {
  const { receiver, apiUrl, access, losses, uninstallations, context: handlerContext, log } = dependencies;
  const app: RecordingApp = new RecordingApp({
    receiver,
    authorize: async (source, body) => {
      const identity = await authorize(access, source, body);
      // Slack tells nobody of a workspace who has no access to it.
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
  app.action<BlockAction>({ type: 'block_actions' }, ({ ack, body, context }) =>
    onButtonPress(handlerContext, body, context.teamId ?? '', () => ack()),
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
      // Bolt's type of `message` is a union of its subtypes; which of them matter is told by their fields.
      if (origin) await onMessage(handlerContext, event as MessageEvent, origin, isLastTry(context));
    });
  }
  app.event('agent_session_stopped', async ({ event, context }) => {
    const origin = originOf(context);
    if (origin)
      void onStopButton(handlerContext, event, origin.workspace).catch(noted('Slack’s Stop button', log));
  });
  app.event('app_home_opened', async ({ event, context }) => {
    const origin = originOf(context);
    if (origin) void onAppOpened(handlerContext, event, origin.workspace).catch(noted('the opened app', log));
  });
  // Nothing is made of what somebody looks at; Slack asks every agent to listen for it.
  app.event('app_context_changed', async () => {});
  app.event('app_uninstalled', ({ body }) => uninstallations.removed(body));
  app.event('tokens_revoked', async ({ event, body }) => {
    // People's own tokens are none of troupe's.
    if (event.tokens.bot?.length) await uninstallations.removed(body);
  });
  app.event('team_access_revoked', ({ event }) => uninstallations.left(event.team_ids));
  app.error(async ({ error, body }: ErrorAbout) => {
    const cause = error.original instanceof Error ? error.original : error;
    if (isLocal(cause)) app.leaveUnread(body);
    noted('a payload', log)(cause);
  });
  return app;
}

/**
 * Bolt acknowledges events before anybody has heard them; here that comes when their listeners are through. And it
 * acknowledges what it could not authorize or what a listener failed at: where that is because the database is away,
 * Slack is left to send the event again, or to tell the person that the app did not respond.
 */
class RecordingApp extends App {
  readonly #unread = new WeakSet<object>();

  /** A fault of this machine kept a payload from being read, or from being put on record. */
  leaveUnread(body: object): void {
    this.#unread.add(body);
  }

  override async processEvent(event: ReceiverEvent): Promise<void> {
    const { body } = event;
    const ack: typeof event.ack = async (response) => {
      if (!this.#unread.has(body)) await event.ack(response);
    };
    if (body.type !== 'event_callback') return super.processEvent({ ...event, ack });
    await super.processEvent({ ...event, ack: async () => {} });
    await ack();
  }
}

/** Slack sends an event three times more, and never again after that. */
function isLastTry({ retryNum }: { readonly retryNum?: number }): boolean {
  return (retryNum ?? 0) >= 3;
}

function noted(what: string, log: Log): (error: unknown) => void {
  return (error) => log.error({ error }, `${what} of Slack’s could not be dealt with`);
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
 * The workspace by which a payload came. Bolt knows it, but where the app is in a whole organization: then Slack
 * names none, and Bolt takes the channel's owner or the person's own, which in Slack Connect is somebody else's.
 */
function teamOf({ isEnterpriseInstall, teamId }: AuthorizeSourceData<boolean>, body: unknown) {
  if (!isEnterpriseInstall) return teamId;
  const { context_team_id: byEvent, message } = body as {
    readonly context_team_id?: string | null;
    readonly message?: { readonly team?: string };
  };
  return [byEvent, message?.team, teamId].find((id) => id?.startsWith('T')) ?? teamId;
}

function originOf(context: { readonly botUserId?: string; readonly teamId?: string }): Origin | undefined {
  const { botUserId: botUser, teamId: workspace } = context;
  return botUser === undefined || workspace === undefined ? undefined : { workspace, botUser };
}
