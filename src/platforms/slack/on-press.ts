import type { BlockAction } from '@slack/bolt';
import { type MessageAddress, parseActionId } from '../../port/index.ts';
import { headerOf } from './header.ts';
import { type Asking, type Listening, orTell, replyIn, tell } from './listening.ts';
import { openForm } from './open-form.ts';
import { threadOf } from './place.ts';

/** A button pressed in a workspace; acknowledged already. */
export async function onPress(parts: Listening, body: BlockAction, workspace: string): Promise<void> {
  const [action] = body.actions;
  const { container, response_url: responseUrl, trigger_id: trigger } = body;
  const channel = body.channel?.id ?? String(container.channel_id ?? '');
  const eventId = `slack:press:${trigger}`;
  if (!action || !parseActionId(action.action_id) || !parts.recent.isNew(eventId)) return;
  const requester = await parts.people.find(workspace, body.user.id, body.user.name ?? body.user.username);
  const ts = String(container.message_ts ?? '');
  const thread = container.thread_ts === ts ? undefined : container.thread_ts;
  const address = await parts.threads.place(workspace, channel, thread);
  const message: MessageAddress = container.is_ephemeral
    ? { ...address, ticket: { ...address.ticket, responseUrl }, message: ts }
    : { ...address, message: ts };
  const about = { address, requester, eventId, responseUrl };
  await orTell(parts, about, () => carryOut(parts, { about, message, action, trigger, thread }));
}

interface Pressed {
  readonly about: Asking & { readonly responseUrl: string };
  readonly message: MessageAddress;
  readonly action: BlockAction['actions'][number];
  readonly trigger: string;
  readonly thread: string | undefined;
}

async function carryOut(
  parts: Listening,
  { about, message, action, trigger, thread }: Pressed,
): Promise<void> {
  const { address, requester, eventId, responseUrl } = about;
  const { workspace, channel } = address;
  const prepared = await parts.dispatcher.preparePress({
    eventId,
    actionId: action.action_id,
    address,
    message,
    requester,
    acknowledgement: { responseUrl },
  });
  switch (prepared.kind) {
    case 'refused':
      return tell(parts, about, prepared.text);
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
      return openForm(parts, form, origin, trigger, about);
    }
    case 'accepted': {
      const { seenBy } = prepared;
      const isRoot = threadOf(address) === undefined && !(await parts.directs.isOwn(workspace, channel));
      const header = headerOf(requester, 'text' in action ? action.text.text : '');
      await prepared.run(replyIn(parts, { ...about, seenBy, ...(isRoot && { header }) }));
    }
  }
}
