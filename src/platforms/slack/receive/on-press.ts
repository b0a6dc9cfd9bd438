import type { BlockAction } from '@slack/bolt';
import { type MessageAddress, type PreparedRequest, parseActionId } from '../../../port/index.ts';
import { openForm } from '../commands/open-form.ts';
import { acknowledging } from '../connection/acknowledging.ts';
import { headerOf } from '../markup/header.ts';
import { threadOf } from '../post/address.ts';
import { slackWords } from '../words.ts';
import { type Asking, type HandlerContext, orTell, replyIn, tell } from './handler-context.ts';
import { isClosed, refusalOf, standingFor } from './membership.ts';

/** A button pressed in a workspace; acknowledged when what it gives is on record, or will never be. */
export async function onPress(
  context: HandlerContext,
  body: BlockAction,
  workspace: string,
  ack: () => Promise<void>,
): Promise<void> {
  const acknowledge = acknowledging(context.clock, ack);
  await take(context, body, workspace, acknowledge);
  await acknowledge();
}

async function take(
  context: HandlerContext,
  body: BlockAction,
  workspace: string,
  acknowledge: () => Promise<void>,
): Promise<void> {
  const [action] = body.actions;
  const { container, response_url: responseUrl, trigger_id: trigger } = body;
  const channel = body.channel?.id ?? String(container.channel_id ?? '');
  const eventId = `slack:press:${trigger}`;
  if (!action || !parseActionId(action.action_id) || !context.recent.isNew(eventId)) return;
  const requester = await context.people.find(workspace, body.user.id, body.user.name ?? body.user.username);
  const ts = String(container.message_ts ?? '');
  const thread = container.thread_ts === ts ? undefined : container.thread_ts;
  const address = await context.threads.place(workspace, channel, thread);
  const message: MessageAddress = container.is_ephemeral
    ? { ...address, platformData: { ...address.platformData, responseUrl }, message: ts }
    : { ...address, message: ts };
  const about = { address, requester, eventId, responseUrl };
  await orTell(context, about, () =>
    carryOut(context, { about, message, action, trigger, thread, acknowledge }),
  );
}

interface Pressed {
  readonly about: Asking & { readonly responseUrl: string };
  readonly message: MessageAddress;
  readonly action: BlockAction['actions'][number];
  readonly trigger: string;
  readonly thread: string | undefined;
  readonly acknowledge: () => Promise<void>;
}

async function carryOut(
  context: HandlerContext,
  { about, message, action, trigger, thread, acknowledge }: Pressed,
): Promise<void> {
  const { address, requester, eventId, responseUrl } = about;
  const { workspace, channel } = address;
  const prepared = await context.dispatcher.preparePress({
    eventId,
    actionId: action.action_id,
    address,
    message,
    requester,
    acknowledgement: { responseUrl },
    onRecorded: () => void acknowledge().catch(() => undefined),
  });
  if (prepared.kind !== 'accepted') await acknowledge();
  switch (prepared.kind) {
    case 'refused':
      return tell(context, about, prepared.text);
    case 'form': {
      const { form } = prepared;
      const origin = {
        kind: 'press',
        action: action.action_id,
        command: form.command,
        workspace,
        channel,
        message: message.message,
        ...(thread !== undefined && { thread }),
        via: responseUrl,
      } as const;
      return openForm(context, form, origin, trigger, about);
    }
    case 'accepted': {
      const refusal = await refusalAt(context, about, prepared, action.action_id);
      if (refusal !== undefined) {
        await prepared.abandon();
        await acknowledge();
        return tell(context, about, refusal);
      }
      await prepared.record();
      const { seenBy } = prepared;
      const isRoot = threadOf(address) === undefined && !(await context.directs.isOwn(workspace, channel));
      const header = headerOf(requester, 'text' in action ? action.text.text : '');
      await prepared.run(replyIn(context, { ...about, seenBy, ...(isRoot && { header }) }));
    }
  }
}

/** Why what a press asks for could not be posted here, known before anything is paid for. */
async function refusalAt(
  context: HandlerContext,
  { address, requester }: Asking,
  { call: given, seenBy }: PreparedRequest & { readonly kind: 'accepted' },
  actionId: string,
): Promise<string | undefined> {
  if (seenBy !== 'channel') return undefined;
  const pressed = given?.command ?? parseActionId(actionId)?.command;
  const command = context.dispatcher.commands.find(({ name }) => name === pressed);
  const place = { address, user: requester.id, closed: isClosed(address.channel), byAddress: true };
  const standing = await standingFor(context, command, place);
  return refusalOf(standing, slackWords(requester.locale), await context.botName(address.workspace), seenBy);
}
