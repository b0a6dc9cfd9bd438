import type { types } from '@slack/bolt';
import { messageAt, slackAddress } from '../../post/address.ts';
import type { UnfinishedAnswer } from '../../reply/unfinished-answer-records.ts';
import { type HandlerContext, orExplain, replyIn, whisperTo } from '../handler-context.ts';

/**
 * Handles Slack’s own Stop button in a thread like the answer’s own. Slack has already ended the streams; the session
 * is ended with the answer, or here where there is none (agent_session_stopped).
 */
export async function onStopButton(
  context: HandlerContext,
  event: types.AgentSessionStoppedEvent,
  workspace: string,
): Promise<void> {
  const { channel, thread_ts: thread, streaming_message_ts: streams = [] } = event;
  await context.nativeStreams.noteStopped(workspace, channel, streams);
  const answers: UnfinishedAnswer[] = [];
  for (const id of context.api.channelIds(channel))
    answers.push(...(await context.unfinishedAnswerRecords.inThread(workspace, id, thread)));
  for (const answer of answers) await stop(context, event, answer);
  if (answers.length === 0) {
    await context.sessions.settle(slackAddress(workspace, channel, undefined, { under: thread }));
  }
}

async function stop(
  context: HandlerContext,
  event: types.AgentSessionStoppedEvent,
  { address, stop: actionId }: UnfinishedAnswer,
): Promise<void> {
  const eventId = `slack:stopped:${actionId}:${event.event_ts}`;
  if (!(await context.arrivals.isFirst(eventId))) return;
  const requester = await context.people.find(address.workspace, event.user);
  const caller = { address, requester, eventId };
  await orExplain(context, caller, async () => {
    const message = messageAt(address, event.streaming_message_ts?.[0] ?? event.thread_ts);
    const prepared = await context.dispatcher.preparePress({ ...caller, actionId, message });
    if (prepared.kind === 'refused') return whisperTo(context, caller, prepared.text);
    if (prepared.kind === 'accepted') {
      await prepared.run(replyIn(context, { ...caller, seenBy: prepared.seenBy }));
    }
  });
}
