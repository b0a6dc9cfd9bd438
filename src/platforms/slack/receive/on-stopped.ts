import type { types } from '@slack/bolt';
import { messageAt, slackAddress } from '../post/address.ts';
import type { UnfinishedAnswer } from '../reply/unfinished-records.ts';
import { type HandlerContext, orTell, replyIn, tell } from './handler-context.ts';

/**
 * Somebody pressed Slack's own Stop button in a thread: the same as the answer's own. Slack has ended the streams
 * by then; the session is ended where the answer is, or here where there is none (agent_session_stopped).
 */
export async function onStopped(
  context: HandlerContext,
  event: types.AgentSessionStoppedEvent,
  workspace: string,
): Promise<void> {
  const { channel, thread_ts: thread, streaming_message_ts: streams = [] } = event;
  context.streams.noteStopped(workspace, channel, streams);
  const answers = await context.unfinishedRecords.inThread(workspace, channel, thread);
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
  if (!context.recent.isNew(eventId)) return;
  const requester = await context.people.find(address.workspace, event.user);
  const asking = { address, requester, eventId };
  await orTell(context, asking, async () => {
    const message = messageAt(address, event.streaming_message_ts?.[0] ?? event.thread_ts);
    const prepared = await context.dispatcher.preparePress({ ...asking, actionId, message });
    if (prepared.kind === 'refused') return tell(context, asking, prepared.text);
    if (prepared.kind === 'accepted') {
      await prepared.run(replyIn(context, { ...asking, seenBy: prepared.seenBy }));
    }
  });
}
