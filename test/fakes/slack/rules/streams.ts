import type { Rule, Trial } from '../trial.ts';

const root = (t: Trial) => t.posted({ text: 'a question' });
const inChannel = (t: Trial) => ({
  channel: t.general.id,
  recipient_user_id: t.ada.user.id,
  recipient_team_id: t.workspace.id,
});
async function started(t: Trial, args: object = {}): Promise<{ channel: string; ts: string }> {
  const thread_ts = await root(t);
  const answer = await t.ask('chat.startStream', { ...inChannel(t), thread_ts, ...args });
  if (answer.ok !== true) throw new Error(String(answer.error));
  return { channel: t.general.id, ts: String(answer.ts) };
}

/** Streams, and what an assistant's thread shows. */
export const streamRules: readonly Rule[] = [
  {
    rule: 'a stream outside a thread',
    answer: 'invalid_arguments',
    source: 'chat.startStream',
    attempt: (t) => t.call('chat.startStream', inChannel(t)),
  },
  {
    rule: 'a stream in a channel without recipient_user_id',
    answer: 'missing_recipient_user_id',
    source: 'chat.startStream',
    attempt: async (t) =>
      t.call('chat.startStream', { ...inChannel(t), thread_ts: await root(t), recipient_user_id: '' }),
  },
  {
    rule: 'a stream in a channel without recipient_team_id',
    answer: 'missing_recipient_team_id',
    source: 'chat.startStream',
    attempt: async (t) =>
      t.call('chat.startStream', { ...inChannel(t), thread_ts: await root(t), recipient_team_id: '' }),
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
    rule: 'changing a message that still streams',
    answer: 'streaming_state_conflict',
    source: 'chat.update: errors',
    attempt: async (t) => t.call('chat.update', { ...(await started(t)), text: 'x' }),
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
      const fetched = t.general.messages.get(ts)?.unfurled.length ?? 0;
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
      return `rings for ${t.general.messages.get(stream.ts)?.pings.join()}`;
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
