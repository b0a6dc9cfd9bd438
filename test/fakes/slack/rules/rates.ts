import type { Rule, Trial } from '../trial.ts';

async function last(t: Trial, times: number, method: string, args: object): Promise<string> {
  let answer = '';
  for (let call = 0; call < times; call++) answer = await t.call(method, { ...args });
  return answer;
}

/** How often. Every limit is per workspace unless it says otherwise. */
export const rateRules: readonly Rule[] = [
  {
    rule: 'two messages in one channel within a second',
    answer: '429, Retry-After 1; another channel: ok',
    source: 'rate limits: chat.postMessage, no burst to count on',
    attempt: async (t) => {
      const same = await last(t, 2, 'chat.postMessage', { channel: t.general.id, text: 'x' });
      const other = await t.call('chat.postMessage', { channel: t.ada.directMessages.id, text: 'x' });
      return `${same}; another channel: ${other}`;
    },
  },
  {
    rule: 'a 51st edit within a minute, whatever the messages; bursts are welcome',
    answer: '429, Retry-After 60',
    source: 'rate limits: chat.update, Tier 3',
    attempt: async (t) => {
      const [one, two] = [await t.posted(), await t.posted()];
      await last(t, 25, 'chat.update', { channel: t.general.id, ts: one, text: 'x' });
      return last(t, 26, 'chat.update', { channel: t.general.id, ts: two, text: 'x' });
    },
  },
  {
    rule: 'a 21st stream within a minute',
    answer: '429, Retry-After 60',
    source: 'rate limits: Tier 2',
    attempt: (t) => {
      const channel = t.ada.directMessages;
      const thread_ts = t.ada.says('a question', channel).message.ts;
      return last(t, 21, 'chat.startStream', { channel: channel.id, thread_ts });
    },
  },
  {
    rule: 'a 101st addition to streams within a minute',
    answer: '429, Retry-After 60',
    source: 'rate limits: Tier 4',
    attempt: async (t) => {
      const channel = t.ada.directMessages;
      const thread_ts = t.ada.says('a question', channel).message.ts;
      const { ts } = await t.ask('chat.startStream', { channel: channel.id, thread_ts });
      return last(t, 101, 'chat.appendStream', { channel: channel.id, ts, markdown_text: 'x' });
    },
  },
  {
    rule: 'a 101st question after a person within a minute',
    answer: '429, Retry-After 60',
    source: 'rate limits: Tier 4',
    attempt: (t) => last(t, 101, 'users.info', { user: t.ada.user.id }),
  },
  {
    rule: 'a 51st look into a channel within a minute',
    answer: '429, Retry-After 60',
    source: 'rate limits: Tier 3',
    attempt: (t) => last(t, 51, 'conversations.history', { channel: t.general.id }),
  },
  {
    rule: 'a second look into a thread within a minute, for an app distributed outside of the Marketplace',
    answer: '429, Retry-After 60',
    source: 'rate limits: conversations.replies',
    attempt: (t) => {
      t.slack.world.readings.quickHistory = 'refused';
      const { ts } = t.ada.says('root', t.general).message;
      return last(t, 2, 'conversations.replies', { channel: t.general.id, ts });
    },
  },
  {
    rule: 'a thread of 20 messages, for such an app',
    answer: 'the oldest 15, has_more',
    source: 'rate limits: conversations.replies',
    attempt: async (t) => {
      t.slack.world.readings.quickHistory = 'refused';
      const { ts } = t.ada.says('0', t.general).message;
      for (let at = 1; at < 20; at++) t.ada.says(String(at), t.general, { thread: ts });
      const args = { channel: t.general.id, ts, limit: 200 };
      const { messages, has_more } = await t.ask('conversations.replies', args);
      const texts = (messages as { text: string }[]).map(({ text }) => text);
      const isOldest = texts.every((text, at) => text === String(at));
      return `${isOldest ? 'the oldest' : 'others,'} ${texts.length}${has_more ? ', has_more' : ''}`;
    },
  },
];
