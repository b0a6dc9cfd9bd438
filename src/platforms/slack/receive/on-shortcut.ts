import type { MessageShortcut } from '@slack/bolt';
import { formLimits } from '../commands/form-inputs.ts';
import { shortcutCommand } from '../commands/slash-commands.ts';
import { isClosed } from './channel-membership.ts';
import { chosenMessage } from './chosen-message.ts';
import { type HandlerContext, orExplain, whisperTo } from './handler-context.ts';
import { openForm } from './open-form.ts';

/**
 * Handles a shortcut in the menu of a message: opens the command's form, within three seconds. A submitted form has no
 * `response_url` of its own, so the form carries the shortcut's: with it, it works where the bot isn't a member, too.
 */
export async function onShortcut(
  context: HandlerContext,
  body: MessageShortcut,
  workspace: string,
): Promise<void> {
  await context.acknowledge();
  const { trigger_id: trigger, response_url: via, channel, user } = body;
  const eventId = `slack:shortcut:${trigger}`;
  const command = shortcutCommand(body.callback_id);
  if (command === undefined || !(await context.arrivals.isFirst(eventId))) return;
  const thread = threadIn(body.message);
  const address = await context.threads.addressOf(workspace, channel.id, thread);
  const [requester, message] = await Promise.all([
    context.people.findAt(address, workspace, user.id, user.name),
    chosenMessage(context, body, workspace),
  ]);
  const caller = { address, requester, eventId, responseUrl: via };
  await orExplain(context, caller, async () => {
    const asked = { command, message, address, requester, maxInput: formLimits.input };
    const prepared = await context.dispatcher.prepareFromMessage(asked);
    if (prepared.kind === 'refused') return whisperTo(context, caller, prepared.text);
    if (prepared.kind !== 'form' || prepared.draft === undefined) return;
    const origin = {
      kind: 'command',
      command,
      workspace,
      channel: channel.id,
      closed: isClosed(channel.id, channel.name),
      via,
      draft: prepared.draft,
      ...(thread !== undefined && { thread }),
    } as const;
    await openForm(context, prepared.form, origin, trigger, caller);
  });
}

/** The thread that a message is a reply in. */
function threadIn({ ts, thread_ts: thread }: MessageShortcut['message']): string | undefined {
  return thread === ts ? undefined : thread;
}
