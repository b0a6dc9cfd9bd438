import type { types } from '@slack/bolt';
import { messageAt, placeOf } from '../post/address.ts';
import type { UnfinishedAnswer } from '../reply/unfinished-records.ts';
import { type Listening, orTell, replyIn, tell } from './handler-context.ts';

/**
 * Somebody pressed Slack's own Stop button in a thread: the same as the answer's own. Slack has ended the streams
 * by then; the session is ended where the answer is, or here where there is none (agent_session_stopped).
 */
export async function onStopped(
  parts: Listening,
  event: types.AgentSessionStoppedEvent,
  workspace: string,
): Promise<void> {
  const { channel, thread_ts: thread, streaming_message_ts: streams = [] } = event;
  parts.streams.noteStopped(workspace, channel, streams);
  const answers = await parts.unfinishedRecords.inThread(workspace, channel, thread);
  for (const answer of answers) await stop(parts, event, answer);
  if (answers.length === 0) {
    await parts.sessions.settle(placeOf(workspace, channel, undefined, { under: thread }));
  }
}

async function stop(
  parts: Listening,
  event: types.AgentSessionStoppedEvent,
  { address, stop: actionId }: UnfinishedAnswer,
): Promise<void> {
  const eventId = `slack:stopped:${actionId}:${event.event_ts}`;
  if (!parts.recent.isNew(eventId)) return;
  const requester = await parts.people.find(address.workspace, event.user);
  const asking = { address, requester, eventId };
  await orTell(parts, asking, async () => {
    const message = messageAt(address, event.streaming_message_ts?.[0] ?? event.thread_ts);
    const prepared = await parts.dispatcher.preparePress({ ...asking, actionId, message });
    if (prepared.kind === 'refused') return tell(parts, asking, prepared.text);
    if (prepared.kind === 'accepted') {
      await prepared.run(replyIn(parts, { ...asking, seenBy: prepared.seenBy }));
    }
  });
}
