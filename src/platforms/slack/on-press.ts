import type { BlockAction } from '@slack/bolt';
import { type MessageAddress, parseActionId } from '../../port/index.ts';
import { slackWords } from '../../words/slack.ts';
import { type Listening, replyIn, tell } from './listening.ts';
import { openForm } from './open-form.ts';
import { isDirect, threadOf } from './place.ts';
import { escapeMrkdwn } from './text.ts';

/** A pressed button; acknowledged already. */
export async function onPress(parts: Listening, body: BlockAction): Promise<void> {
  const [action] = body.actions;
  const { container, response_url: responseUrl, trigger_id: trigger } = body;
  const channel = body.channel?.id ?? String(container.channel_id ?? '');
  const eventId = `slack:press:${trigger}`;
  if (!action || !parseActionId(action.action_id) || !parts.recent.isNew(eventId)) return;
  const workspace = body.team?.id ?? body.user.team_id ?? '';
  const requester = await parts.people.find(workspace, body.user.id, body.user.name ?? body.user.username);
  const ts = String(container.message_ts ?? '');
  const thread = container.thread_ts === ts ? undefined : container.thread_ts;
  const address = await parts.threads.place(workspace, channel, thread);
  const message: MessageAddress = container.is_ephemeral
    ? { ...address, ticket: { ...address.ticket, responseUrl }, message: ts }
    : { ...address, message: ts };
  const about = { address, requester, eventId, responseUrl };
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
        channel,
        message: ts,
        ...(thread !== undefined && { thread }),
        via: responseUrl,
      } as const;
      return openForm(parts, form, origin, workspace, trigger, requester.locale);
    }
    case 'accepted': {
      const { seenBy } = prepared;
      const isRoot = threadOf(address) === undefined && !isDirect(channel);
      const label = escapeMrkdwn('text' in action ? action.text.text : '');
      const header = slackWords(requester.locale).asked(escapeMrkdwn(requester.name), label);
      await prepared.run(replyIn(parts, { ...about, seenBy, ...(isRoot && { header }) }));
    }
  }
}
