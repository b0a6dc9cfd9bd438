import {
  App,
  type AuthorizeResult,
  type BlockAction,
  type Receiver,
  type ViewSubmitAction,
} from '@slack/bolt';
import { OutletError } from '../../port/index.ts';
import type { Access } from './access.ts';
import { clientOptions } from './api.ts';
import { formCallback } from './form.ts';
import type { Installations } from './installations.ts';
import type { Listening } from './listening.ts';
import { type Log, libraryLogger } from './log.ts';
import { onCommand } from './on-command.ts';
import { onForm } from './on-form.ts';
import { type MessageEvent, type Origin, onAppOpened, onMessage } from './on-message.ts';
import { onPress } from './on-press.ts';

interface AppParts {
  readonly receiver: Receiver;
  readonly apiUrl: string;
  readonly access: Access;
  readonly installations: Installations;
  readonly listening: Listening;
  readonly log: Log;
}

/** Bolt's app with everything troupe listens to. What is heard is acknowledged first and worked on after. */
export async function createApp(parts: AppParts): Promise<App> {
  const { receiver, apiUrl, access, installations, listening, log } = parts;
  const app = new App({
    receiver,
    authorize: (source) => authorize(access, { team: source.teamId, enterprise: source.enterpriseId }),
    clientOptions: clientOptions(apiUrl),
    logger: libraryLogger(log),
    convoStore: false,
    deferInitialization: true,
  });
  await app.init();

  app.command(/.*/, async ({ ack, body }) => {
    await ack();
    await onCommand(listening, body);
  });
  app.action<BlockAction>({ type: 'block_actions' }, async ({ ack, body }) => {
    await ack();
    await onPress(listening, body);
  });
  app.view<ViewSubmitAction>(
    { callback_id: formCallback, type: 'view_submission' },
    async ({ ack, body }) => {
      await onForm(listening, body, async (errors) => {
        await (errors ? ack({ response_action: 'errors', errors }) : ack());
      });
    },
  );
  for (const type of ['app_mention', 'message'] as const) {
    app.event(type, async ({ event, body, context }) => {
      const origin = originOf(body, context.botUserId);
      // Bolt's type of `message` is a union of its subtypes; which of them matter is told by their fields.
      if (origin) await onMessage(listening, event as MessageEvent, origin);
    });
  }
  app.event('app_home_opened', async ({ event, body, context }) => {
    const origin = originOf(body, context.botUserId);
    if (origin) await onAppOpened(listening, event, origin.workspace);
  });
  // Nothing is made of what somebody looks at; Slack asks every agent to listen for it.
  app.event('app_context_changed', async () => {});
  const remove = async ({ team_id: team, enterprise_id: enterprise }: Envelope) => {
    await installations.remove({ team, enterprise });
    log.info({ team, enterprise }, 'taken out of Slack');
  };
  app.event('app_uninstalled', ({ body }) => remove(body));
  app.event('tokens_revoked', async ({ event, body }) => {
    // People's own tokens are none of troupe's.
    if (event.tokens.bot?.length) await remove(body);
  });
  app.error(async (error) => {
    const cause = error.original instanceof Error ? error.original : error;
    log.error({ error: cause }, 'something of Slack’s could not be dealt with');
  });
  return app;
}

interface Envelope {
  readonly team_id: string;
  readonly enterprise_id?: string | undefined;
}

async function authorize(
  access: Access,
  where: { readonly team: string | undefined; readonly enterprise: string | undefined },
): Promise<AuthorizeResult> {
  const identity = await access.find(where);
  if (!identity) throw new OutletError('unreachable', 'troupe is not installed there');
  const { token, botUser, botId } = identity;
  return { botToken: token, botUserId: botUser, ...(botId !== undefined && { botId }) };
}

function originOf(body: { readonly team_id: string }, botUser: string | undefined): Origin | undefined {
  return botUser === undefined ? undefined : { workspace: body.team_id, botUser };
}
