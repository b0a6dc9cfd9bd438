import type { Channel, Json } from '../records.ts';
import type { Rule, Trial } from '../trial.ts';

const root = (t: Trial) => t.posted({ text: 'a question' });
const inChannel = (t: Trial) => ({
  channel: t.general.id,
  recipient_user_id: t.ada.user.id,
  recipient_team_id: t.workspace.id,
});
const chunk = (text: string) => ({ type: 'markdown_text', text });
async function started(t: Trial, args: object = {}): Promise<{ channel: string; ts: string }> {
  const channel = t.ada.directMessages;
  const thread_ts = t.ada.says('a question', channel).message.ts;
  const answer = await t.ask('chat.startStream', { channel: channel.id, thread_ts, ...args });
  if (answer.ok !== true) throw new Error(String(answer.error));
  return { channel: channel.id, ts: String(answer.ts) };
}

/** Streams, and what an assistant's thread shows. */
export const streamRules: readonly Rule[] = [
  {
    rule: 'a stream outside a thread',
    answer: 'invalid_arguments',
    source: 'chat.startStream',
    attempt: (t) => t.call('chat.startStream', { channel: t.ada.directMessages.id }),
  },
  {
    rule: 'a stream for somebody in a channel',
    answer: 'channel_type_not_supported',
    source: 'integration-templates issue 676 (seen; uncertain)',
    attempt: async (t) => t.call('chat.startStream', { ...inChannel(t), thread_ts: await root(t) }),
  },
  {
    rule: 'a stream in a channel without recipient_user_id',
    answer: 'missing_recipient_user_id',
    source: 'chat.startStream',
    attempt: async (t) => {
      t.slack.world.readings.streamInChannel = 'works';
      return t.call('chat.startStream', { ...inChannel(t), thread_ts: await root(t), recipient_user_id: '' });
    },
  },
  {
    rule: 'a stream in a channel without recipient_team_id',
    answer: 'missing_recipient_team_id',
    source: 'chat.startStream',
    attempt: async (t) => {
      t.slack.world.readings.streamInChannel = 'works';
      return t.call('chat.startStream', { ...inChannel(t), thread_ts: await root(t), recipient_team_id: '' });
    },
  },
  {
    rule: 'a stream in direct messages without a recipient',
    answer: 'ok',
    source: 'chat.startStream',
    attempt: (t) => {
      const channel = t.ada.directMessages;
      const { message } = t.ada.says('a question', channel);
      return t.call('chat.startStream', { channel: channel.id, thread_ts: message.ts });
    },
  },
  {
    rule: 'going on with a stream after five minutes',
    answer: 'message_not_in_streaming_state',
    source: 'python-slack-sdk issue 1859 (seen)',
    attempt: async (t) => {
      const stream = await started(t);
      await t.clock.advance(5 * 60_000);
      return t.call('chat.appendStream', { ...stream, markdown_text: 'x' });
    },
  },
  {
    rule: 'stopping a stream after five minutes',
    answer: 'message_not_in_streaming_state',
    source: 'python-slack-sdk issue 1859 (seen)',
    attempt: async (t) => {
      const stream = await started(t, { markdown_text: 'x' });
      await t.clock.advance(5 * 60_000);
      return t.call('chat.stopStream', stream);
    },
  },
  {
    rule: 'going on with a stopped stream',
    answer: 'message_not_in_streaming_state',
    source: 'chat.appendStream',
    attempt: async (t) => {
      const stream = await started(t, { markdown_text: 'x' });
      await t.call('chat.stopStream', stream);
      return t.call('chat.appendStream', { ...stream, markdown_text: 'y' });
    },
  },
  {
    rule: 'going on with a stream that was deleted',
    answer: 'message_not_found',
    source: 'chat.appendStream: errors (of what else is uncertain)',
    attempt: async (t) => {
      const stream = await started(t, { markdown_text: 'x' });
      t.ada.directMessages.messages.delete(stream.ts);
      return t.call('chat.appendStream', { ...stream, markdown_text: 'y' });
    },
  },
  {
    rule: 'changing a message that still streams',
    answer: 'streaming_state_conflict',
    source: 'chat.update: errors',
    attempt: async (t) => t.call('chat.update', { ...(await started(t)), text: 'x' }),
  },
  {
    rule: 'changing a stream that has ended',
    answer: 'block_mismatch',
    source: 'chat.update: errors (uncertain)',
    attempt: async (t) => {
      const stream = await started(t, { chunks: [chunk('x')] });
      await t.call('chat.stopStream', stream);
      return t.call('chat.update', { ...stream, text: 'y' });
    },
  },
  {
    rule: 'deleting a message that still streams',
    answer: 'cant_delete_message',
    source: 'chat.delete (seen)',
    attempt: async (t) => t.call('chat.delete', await started(t)),
  },
  {
    rule: 'text and chunks at once',
    answer: 'cannot_provide_both_markdown_text_and_chunks',
    source: 'chat.appendStream: errors',
    attempt: async (t) =>
      t.call('chat.appendStream', { ...(await started(t)), markdown_text: 'x', chunks: [chunk('x')] }),
  },
  {
    rule: 'text after chunks, at the start, an addition and the stop',
    answer: 'streaming_mode_mismatch, streaming_mode_mismatch, streaming_mode_mismatch',
    source: 'chat.appendStream: errors; hermes-agent pull request 104173 (seen)',
    attempt: async (t) => {
      const first = await started(t, { chunks: [chunk('x')] });
      const second = await started(t);
      await t.call('chat.appendStream', { ...second, chunks: [chunk('x')] });
      const text = { markdown_text: 'y' };
      const answers = [
        await t.call('chat.appendStream', { ...first, ...text }),
        await t.call('chat.appendStream', { ...second, ...text }),
        await t.call('chat.stopStream', { ...first, ...text }),
      ];
      return answers.join(', ');
    },
  },
  {
    rule: 'chunks after text',
    answer: 'streaming_mode_mismatch, streaming_mode_mismatch',
    source: 'chat.appendStream: errors',
    attempt: async (t) => {
      const stream = await started(t, { markdown_text: 'x' });
      const more = { ...stream, chunks: [chunk('y')] };
      return `${await t.call('chat.appendStream', more)}, ${await t.call('chat.stopStream', more)}`;
    },
  },
  {
    rule: 'more than 50 chunks in a call',
    answer: 'invalid_chunks',
    source: 'chat.appendStream: chunks (the code is uncertain)',
    attempt: async (t) => {
      const stream = await started(t, {});
      return t.call('chat.appendStream', { ...stream, chunks: Array(51).fill(chunk('y')) });
    },
  },
  {
    rule: 'chunks without any in them',
    answer: 'invalid_chunks',
    source: 'chat.startStream: errors (uncertain)',
    attempt: (t) =>
      started(t, { chunks: [] }).then(
        () => 'ok',
        (error: Error) => error.message,
      ),
  },
  {
    rule: 'ending a stream that shows nothing',
    answer: 'no_text',
    source: 'chat.stopStream: errors (uncertain)',
    attempt: async (t) => t.call('chat.stopStream', await started(t, {})),
  },
  {
    rule: 'adding nothing to a stream',
    answer: 'no_text',
    source: 'chat.appendStream',
    attempt: async (t) => t.call('chat.appendStream', { ...(await started(t)), markdown_text: '' }),
  },
  {
    rule: 'more than 12,000 characters at once or in all',
    answer: 'msg_too_long, msg_too_long',
    source: 'chat.appendStream: markdown_text',
    attempt: async (t) => {
      const stream = await started(t);
      const once = await t.call('chat.appendStream', { ...stream, markdown_text: 'x'.repeat(12_001) });
      await t.call('chat.appendStream', { ...stream, markdown_text: 'x'.repeat(8_000) });
      const inAll = await t.call('chat.appendStream', { ...stream, markdown_text: 'x'.repeat(8_000) });
      return `${once}, ${inAll}`;
    },
  },
  {
    rule: 'a link in a stream',
    answer: 'fetched: streams have no unfurl arguments',
    source: 'chat.startStream: arguments',
    attempt: async (t) => {
      const { ts } = await started(t, { markdown_text: 'https://leak.example/', unfurl_links: false });
      const fetched = t.ada.directMessages.messages.get(ts)?.unfurled.length ?? 0;
      return fetched > 0 ? 'fetched: streams have no unfurl arguments' : 'not fetched';
    },
  },
  {
    rule: 'a mention that comes in two pieces of a stream',
    answer: 'rings for channel',
    source: 'formatting message text',
    attempt: async (t) => {
      const stream = await started(t, { markdown_text: 'look <!chan' });
      await t.call('chat.appendStream', { ...stream, markdown_text: 'nel>' });
      return `rings for ${t.ada.directMessages.messages.get(stream.ts)?.pings.join()}`;
    },
  },
  {
    rule: 'a status under no message',
    answer: 'invalid_thread_ts',
    source: 'assistant.threads.setStatus',
    attempt: (t) =>
      t.call('assistant.threads.setStatus', { channel_id: t.general.id, thread_ts: '1.000001', status: 'x' }),
  },
  {
    rule: 'a status after two minutes, and after a post',
    answer: 'timeout, post',
    source: 'assistant.threads.setStatus',
    attempt: async (t) => {
      const thread_ts = await root(t);
      const say = () =>
        t.call('assistant.threads.setStatus', { channel_id: t.general.id, thread_ts, status: 'thinks' });
      await say();
      await t.clock.advance(120_000);
      await say();
      await t.posted({ thread_ts });
      return t.slack.world.statuses.map((status) => status.endedBy).join(', ');
    },
  },
  {
    rule: 'a status, or a waiting message, of 51 characters',
    answer: 'invalid_arguments, invalid_arguments',
    source: 'letta-code pull request 3553, junior issue 56 (seen)',
    attempt: async (t) => {
      const place = { channel_id: t.general.id, thread_ts: await root(t) };
      const long = 'x'.repeat(51);
      const set = (args: object) => t.call('assistant.threads.setStatus', { ...place, ...args });
      const answers = [await set({ status: long }), await set({ status: 'x', loading_messages: [long] })];
      return answers.join(', ');
    },
  },
  {
    rule: 'a session that is new, and one that is there, with a title',
    answer: 'the first title stays',
    source: 'agents.sessions.setStatus: title',
    attempt: async (t) => {
      const place = { channel_id: t.general.id, thread_ts: await root(t) };
      const set = (title: string) =>
        t.ask('agents.sessions.setStatus', { ...place, status: 'processing', title });
      await set('one');
      return (await set('two')).title === 'one' ? 'the first title stays' : 'the title changes';
    },
  },
  {
    rule: 'a session’s title of 201 characters',
    answer: 'invalid_arguments',
    source: 'agents.sessions.setStatus: title',
    attempt: async (t) =>
      t.call('agents.sessions.setStatus', {
        channel_id: t.general.id,
        thread_ts: await root(t),
        status: 'processing',
        title: 'x'.repeat(201),
      }),
  },
  {
    rule: 'a session without a thread',
    answer: 'thread_ts_required',
    source: 'agents.sessions.setStatus: errors',
    attempt: (t) => t.call('agents.sessions.setStatus', { channel_id: t.general.id, status: 'processing' }),
  },
  {
    rule: 'a session in a public channel without the bot, in a private one, and for somebody who isn’t there',
    answer: 'not_authorized, channel_not_found, user_not_found',
    source: 'agents.sessions.setStatus: errors',
    attempt: async (t) => {
      const say = (channel: Channel) => t.ben.says('hello', channel).message.ts;
      const set = (channel: Channel, more: Json = {}) =>
        t.call('agents.sessions.setStatus', {
          ...{ channel_id: channel.id, thread_ts: say(channel), status: 'processing' },
          ...more,
        });
      const stranger = { initiator_user_id: 'U0NOBODY' };
      const answers = [await set(t.outside), await set(t.secret), await set(t.general, stranger)];
      return answers.join(', ');
    },
  },
  {
    rule: 'a session’s status that there is none of, and its title in an archived channel',
    answer: 'invalid_status, is_archived',
    source: 'agents.sessions.setStatus, agents.sessions.rename: errors',
    attempt: async (t) => {
      const at = { channel_id: t.general.id, thread_ts: await root(t) };
      const refused = await t.call('agents.sessions.setStatus', { ...at, status: 'busy' });
      t.general.archived = true;
      return `${refused}, ${await t.call('agents.sessions.rename', { ...at, title: 'x' })}`;
    },
  },
  {
    rule: 'renaming a session that is not there',
    answer: 'session_not_found',
    source: 'agents.sessions.rename: errors',
    attempt: async (t) =>
      t.call('agents.sessions.rename', { channel_id: t.general.id, thread_ts: await root(t), title: 'x' }),
  },
  {
    rule: 'a stream that begins and ends, for its thread’s session',
    answer: 'processing, then active',
    source: 'agent sessions: lifecycle; agentconnect issue 1483 (seen)',
    attempt: async (t) => {
      const stream = await started(t, { chunks: [chunk('x')] });
      const [session] = [...t.slack.world.sessions.values()];
      const before = session?.status;
      await t.call('chat.stopStream', stream);
      return `${before}, then ${[...t.slack.world.sessions.values()][0]?.status}`;
    },
  },
  {
    rule: 'Slack’s own Stop button',
    answer: 'ends the stream, stopped_by_user; the session is still processing',
    source: 'agent_session_stopped; agentconnect issue 1483 (seen)',
    attempt: async (t) => {
      const stream = await started(t, { chunks: [chunk('x')] });
      const thread = t.ada.directMessages.messages.get(stream.ts)?.threadTs ?? '';
      void t.ada.stops(t.ada.directMessages, thread);
      const refused = await t.call('chat.appendStream', { ...stream, chunks: [chunk('y')] });
      const [session] = [...t.slack.world.sessions.values()];
      return `ends the stream, ${refused}; the session is still ${session?.status}`;
    },
  },
  {
    rule: 'a session at work, and one that has ended, where the app does not get agent_session_stopped',
    answer: 'warned, warned; with the event not',
    source: 'agent_session_stopped',
    attempt: async (t) => {
      const at = { channel_id: t.general.id, thread_ts: await root(t) };
      const warning = async (status: string) =>
        (await t.ask('agents.sessions.setStatus', { ...at, status })).warning ===
        'missing_agent_session_stopped_event_subscription'
          ? 'warned'
          : 'not';
      const heard = await warning('processing');
      (t.slack.world.settings.events as Set<string>).delete('agent_session_stopped');
      return `${await warning('processing')}, ${await warning('active')}; with the event ${heard}`;
    },
  },
  {
    rule: 'a title outside direct messages',
    answer: 'invalid_thread_ts',
    source: 'assistant.threads.setTitle',
    attempt: async (t) =>
      t.call('assistant.threads.setTitle', {
        channel_id: t.general.id,
        thread_ts: await root(t),
        title: 'x',
      }),
  },
  {
    rule: 'five suggested prompts',
    answer: 'invalid_arguments',
    source: 'assistant.threads.setSuggestedPrompts',
    attempt: (t) =>
      t.call('assistant.threads.setSuggestedPrompts', {
        channel_id: t.ada.directMessages.id,
        prompts: Array.from({ length: 5 }, () => ({ title: 'x', message: 'x' })),
      }),
  },
];
