import type { BlockAction, SlashCommand } from '@slack/bolt';
import { PlatformError } from '../../../../port/index.ts';
import { words } from '../../../../words/index.ts';
import { messageAt, slackAddress } from '../../post/address.ts';
import { slackWords } from '../../words.ts';
import { type HandlerContext, orExplain, whisperTo } from '../handler-context.ts';
import { onCommand } from '../on-command.ts';

/**
 * Handles *Add me here*: joins the channel, then runs the command that was refused there as if it were typed now. Its
 * price and the rules are checked again.
 */
export async function onJoinPress(
  context: HandlerContext,
  body: BlockAction,
  workspace: string,
): Promise<void> {
  const [action] = body.actions;
  const { trigger_id: trigger, response_url: responseUrl, user } = body;
  const channel = body.channel?.id ?? '';
  const eventId = `slack:press:${trigger}`;
  if (!action || !(await context.arrivals.isFirst(eventId))) return;
  const requester = await context.people.find(workspace, user.id, user.name ?? user.username);
  const address = slackAddress(workspace, channel);
  const caller = { address, requester, eventId, responseUrl };
  await orExplain(context, caller, async () => {
    const say = slackWords(requester.locale);
    const refused = await context.joinOffers.take(workspace, action.action_id);
    if (!refused || refused.channel_id !== channel || refused.user_id !== user.id)
      return whisperTo(context, caller, words(requester.locale).buttonExpired);
    const code = await context.joinOffers.join(workspace, channel);
    const botName = await context.botName(workspace);
    const text = code === undefined ? say.joined : say.cantJoin(code, botName);
    // The question is answered: its button goes.
    const shown = { ...messageAt(address, ''), platformData: { responseUrl } };
    await context.adapter.edit(shown, { text }).catch((error: unknown) => {
      if (!(error instanceof PlatformError)) throw error;
    });
    if (code !== undefined) return;
    const again = { ...refused, trigger_id: trigger, response_url: responseUrl } as SlashCommand;
    await onCommand(context, again, workspace);
  });
}
