import type { Json } from '../records.ts';
import type { Rule, Trial } from '../trial.ts';

const post = (t: Trial, args: object) => t.call('chat.postMessage', { channel: t.general.id, ...args });
const message = (t: Trial, ts: string) => {
  const found = t.general.messages.get(ts);
  if (!found) throw new Error('no message');
  return found;
};
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
const button = (over: object) => ({
  type: 'actions',
  elements: [{ type: 'button', text: { type: 'plain_text', text: 'Go' }, action_id: 'go', ...over }],
});

const plainText = (text: string) => ({ type: 'plain_text', text });

/** What a message may say. */
export const messageRules: readonly Rule[] = [
  {
    rule: 'a message that says nothing',
    answer: 'no_text',
    source: 'chat.postMessage',
    attempt: (t) => post(t, {}),
  },
  {
    rule: 'text over 40,000 characters',
    answer: 'cut to 40000',
    source: 'chat.postMessage: truncating content',
    attempt: async (t) => {
      const ts = await t.posted({ text: 'x'.repeat(40_001) });
      return `cut to ${message(t, ts).text.length}`;
    },
  },
  {
    rule: 'changing a message to text over 4,000 characters',
    answer: 'msg_too_long',
    source: 'chat.update: errors',
    attempt: async (t) =>
      t.call('chat.update', { channel: t.general.id, ts: await t.posted(), text: 'x'.repeat(4_001) }),
  },
  {
    rule: 'Markdown over 12,000 characters',
    answer: 'msg_too_long',
    source: 'chat.postMessage: markdown_text',
    attempt: (t) => post(t, { markdown_text: 'x'.repeat(12_001) }),
  },
  {
    rule: 'Markdown beside text or blocks',
    answer: 'markdown_text_conflict',
    source: 'chat.postMessage: errors',
    attempt: (t) => post(t, { markdown_text: 'x', text: 'x' }),
  },
  {
    rule: 'Markdown blocks over 12,000 characters together',
    answer: 'invalid_blocks',
    source: 'Block Kit: markdown block',
    attempt: (t) => {
      const half = { type: 'markdown', text: 'x'.repeat(6_001) };
      return post(t, { text: 'x', blocks: [half, half] });
    },
  },
  {
    rule: 'a section over 3,000 characters',
    answer: 'invalid_blocks',
    source: 'Block Kit: section block',
    attempt: (t) => post(t, { text: 'x', blocks: [section('x'.repeat(3_001))] }),
  },
  {
    rule: 'more than 50 blocks',
    answer: 'msg_blocks_too_many',
    source: 'Block Kit',
    attempt: (t) => post(t, { text: 'x', blocks: Array.from({ length: 51 }, () => ({ type: 'divider' })) }),
  },
  {
    rule: 'blocks over about 13,200 characters in all',
    answer: 'msg_blocks_too_long',
    source: 'chat.postMessage: errors (size seen)',
    attempt: (t) =>
      post(t, { text: 'x', blocks: Array.from({ length: 5 }, () => section('x'.repeat(2_900))) }),
  },
  ...(
    [
      ['feedback with a label of 76 characters', { text: plainText('x'.repeat(76)) }],
      ['feedback with a value of 2,001 characters', { value: 'x'.repeat(2_001) }],
      ['feedback without a value', { value: undefined }],
    ] as const
  ).map(([rule, wrong]): Rule => ({
    rule,
    answer: 'invalid_blocks',
    source: 'Block Kit: feedback buttons element',
    attempt: (t) => {
      const button = { text: plainText('Good'), value: 'good' };
      const element = {
        type: 'feedback_buttons',
        positive_button: { ...button, ...wrong },
        negative_button: button,
      };
      const blocks = [{ type: 'context_actions', elements: [element] }];
      return t.call('chat.postMessage', { channel: t.general.id, text: 'x', blocks });
    },
  })),
  {
    rule: "a button's label over 75 characters",
    answer: 'invalid_blocks',
    source: 'Block Kit: button element',
    attempt: (t) =>
      post(t, { text: 'x', blocks: [button({ text: { type: 'plain_text', text: 'x'.repeat(76) } })] }),
  },
  {
    rule: "a button's value over 2,000 characters",
    answer: 'invalid_blocks',
    source: 'Block Kit: button element',
    attempt: (t) => post(t, { text: 'x', blocks: [button({ value: 'x'.repeat(2_001) })] }),
  },
  {
    rule: 'an action_id over 255 characters',
    answer: 'invalid_blocks',
    source: 'Block Kit: button element',
    attempt: (t) => post(t, { text: 'x', blocks: [button({ action_id: 'x'.repeat(256) })] }),
  },
  {
    rule: 'a block_id twice',
    answer: 'invalid_blocks',
    source: 'Block Kit',
    attempt: (t) => {
      const twin = { ...section('x'), block_id: 'twin' };
      return post(t, { text: 'x', blocks: [twin, twin] });
    },
  },
  {
    rule: 'an input outside a form',
    answer: 'invalid_blocks',
    source: 'Block Kit: input block',
    attempt: (t) => post(t, { text: 'x', blocks: [{ type: 'input' }] }),
  },
  {
    rule: 'changing blocks with text alone',
    answer: 'the blocks are gone',
    source: 'chat.update: usage info',
    attempt: async (t) => {
      const ts = await t.posted({ blocks: [section('x')] });
      await t.call('chat.update', { channel: t.general.id, ts, text: 'y' });
      return message(t, ts).blocks.length === 0 ? 'the blocks are gone' : 'the blocks are still there';
    },
  },
  {
    rule: "changing another's message",
    answer: 'cant_update_message',
    source: 'chat.update: errors',
    attempt: (t) => {
      const { message: other } = t.ada.says('mine', t.general);
      return t.call('chat.update', { channel: t.general.id, ts: other.ts, text: 'x' });
    },
  },
  {
    rule: 'changing its own message in a public channel that it was taken out of, as the documentation can be read',
    answer: 'cant_update_message',
    source: 'chat.update: errors (uncertain)',
    attempt: async (t) => {
      const ts = await t.posted();
      t.general.members.delete(t.workspace.botUser);
      return t.call('chat.update', { channel: t.general.id, ts, text: 'x' });
    },
  },
  {
    rule: "deleting another's message",
    answer: 'cant_delete_message',
    source: 'chat.delete: errors',
    attempt: (t) => {
      const { message: other } = t.ada.says('mine', t.general);
      return t.call('chat.delete', { channel: t.general.id, ts: other.ts });
    },
  },
  {
    rule: 'deleting its own message in a public channel that it was taken out of, as the documentation can be read',
    answer: 'cant_delete_message',
    source: 'chat.delete: errors (uncertain)',
    attempt: async (t) => {
      t.slack.world.readings.deleteWhereAbsent = 'refused';
      await post(t, { text: 'x' });
      const [ts] = t.general.messages.keys();
      t.general.members.delete(t.workspace.botUser);
      return t.call('chat.delete', { channel: t.general.id, ts });
    },
  },
  {
    rule: 'changing a message that is gone',
    answer: 'message_not_found',
    source: 'chat.update: errors',
    attempt: (t) => t.call('chat.update', { channel: t.general.id, ts: '1.000001', text: 'x' }),
  },
  {
    rule: 'changing a message in an archived channel',
    answer: 'is_inactive',
    source: 'chat.update: errors',
    attempt: async (t) => {
      const ts = await t.posted();
      t.general.archived = true;
      return t.call('chat.update', { channel: t.general.id, ts, text: 'x' });
    },
  },
  {
    rule: 'deleting a message in an archived channel, as it may be by what changing one gets',
    answer: 'is_inactive',
    source: 'chat.delete: errors (uncertain)',
    attempt: async (t) => {
      t.slack.world.readings.deleteWhereArchived = 'refused';
      const ts = await t.posted();
      t.general.archived = true;
      return t.call('chat.delete', { channel: t.general.id, ts });
    },
  },
  {
    rule: 'changing a message later than the workspace allows',
    answer: 'edit_window_closed',
    source: 'chat.update: errors (uncertain for apps)',
    attempt: async (t) => {
      const ts = await t.posted();
      t.workspace.editWindowMs = 60_000;
      await t.clock.advance(61_000);
      return t.call('chat.update', { channel: t.general.id, ts, text: 'x' });
    },
  },
  {
    rule: "a thread under a reply's time stamp",
    answer: 'cannot_reply_to_message',
    source: "chat.postMessage: thread_ts, “use its parent's”",
    attempt: async (t) => {
      const reply = await t.posted({ thread_ts: await t.posted() });
      await t.clock.advance(1_000);
      return post(t, { text: 'x', thread_ts: reply });
    },
  },
  {
    rule: 'a reply to a message of a kind that takes none, such as that a channel has another name',
    answer: 'cannot_reply_to_message',
    source: 'chat.postMessage: errors; hermes-agent issues 98285, 110778 (seen)',
    attempt: async (t) => {
      const { message } = t.ada.says('has renamed the channel', t.general);
      message.isUnthreadable = true;
      return post(t, { text: 'x', thread_ts: message.ts });
    },
  },
  {
    rule: 'a reply to a message that is gone, and to one whose replies are there still',
    answer: 'ok, in the channel itself; ok, in the thread',
    source:
      'slack-go issue 1571, posthog pull request 83601, python-slack-events-api issue 87 (seen); chat.delete',
    attempt: async (t) => {
      const places: string[] = [];
      for (const hasReplies of [false, true]) {
        const root = await t.posted();
        if (hasReplies) await t.posted({ thread_ts: root });
        await t.call('chat.delete', { channel: t.general.id, ts: root });
        await t.clock.advance(1_000);
        const { ok, message } = await t.ask('chat.postMessage', {
          ...{ channel: t.general.id, text: 'x', thread_ts: root },
        });
        const { thread_ts } = message as Json;
        places.push(`${ok ? 'ok' : 'no'}, in the ${thread_ts === root ? 'thread' : 'channel itself'}`);
      }
      return places.join('; ');
    },
  },
  {
    rule: 'metadata without an event type',
    answer: 'invalid_metadata_format',
    source: 'message metadata',
    attempt: (t) => post(t, { text: 'x', metadata: { event_payload: {} } }),
  },
  {
    rule: 'metadata where it was not asked for',
    answer: 'hidden; there with include_all_metadata',
    source: 'conversations.replies',
    attempt: async (t) => {
      const ts = await t.posted({ metadata: { event_type: 'job', event_payload: { id: '1' } } });
      const read = async (all: boolean) => {
        const args = { channel: t.general.id, ts, include_all_metadata: all };
        const { messages } = (await t.ask('conversations.replies', args)) as {
          messages: { metadata?: object }[];
        };
        return messages[0]?.metadata;
      };
      const [without, asked] = [await read(false), await read(true)];
      return `${without ? 'shown' : 'hidden'}; ${asked ? 'there' : 'missing'} with include_all_metadata`;
    },
  },
  {
    rule: 'an ephemeral message to somebody who isn’t in the channel',
    answer: 'user_not_in_channel',
    source: 'chat.postEphemeral',
    attempt: (t) => {
      const eve = t.slack.person(t.workspace, { name: 'eve' });
      return t.call('chat.postEphemeral', { channel: t.general.id, user: eve.user.id, text: 'x' });
    },
  },
  {
    rule: 'an ephemeral message in a channel without the bot',
    answer: 'not_in_channel',
    source: 'chat.postEphemeral',
    attempt: (t) => t.call('chat.postEphemeral', { channel: t.outside.id, user: t.ada.user.id, text: 'x' }),
  },
  {
    rule: 'an ephemeral message can’t be edited',
    answer: 'message_not_found',
    source: 'chat.postEphemeral: chat.update doesn’t know it',
    attempt: async (t) => {
      const { message_ts: ts } = await t.ask('chat.postEphemeral', {
        channel: t.general.id,
        user: t.ada.user.id,
        text: 'x',
      });
      return t.call('chat.update', { channel: t.general.id, ts: String(ts), text: 'y' });
    },
  },
  {
    rule: 'an ephemeral message can’t be deleted',
    answer: 'message_not_found',
    source: 'chat.postEphemeral: chat.delete doesn’t know it',
    attempt: async (t) => {
      const { message_ts: ts } = await t.ask('chat.postEphemeral', {
        channel: t.general.id,
        user: t.ada.user.id,
        text: 'x',
      });
      return t.call('chat.delete', { channel: t.general.id, ts: String(ts) });
    },
  },
  {
    rule: 'an ephemeral message in a thread without replies, with one, and once that’s deleted',
    answer: 'ok, nobody sees it; ok, seen; ok, nobody sees it',
    source: 'chat.postEphemeral: thread_ts, “only shown if there is already an active thread”',
    attempt: async (t) => {
      const ts = await t.posted();
      const tell = async () => {
        const args = { channel: t.general.id, user: t.ada.user.id, text: 'x', thread_ts: ts };
        const before = t.ada.whispers.length;
        const answer = await t.call('chat.postEphemeral', args);
        return `${answer}, ${t.ada.whispers.length > before ? 'seen' : 'nobody sees it'}`;
      };
      const before = await tell();
      const { message: reply } = t.ben.says('a reply', t.general, { thread: ts });
      const between = await tell();
      t.ben.deletes(reply);
      return `${before}; ${between}; ${await tell()}`;
    },
  },
  {
    rule: 'mentions in a text',
    answer: 'rings for channel, here, everyone, the group, the person',
    source: 'formatting message text',
    attempt: async (t) => {
      const text = `<!channel> <!here> <!everyone|x> <!subteam^S1> <@${t.ada.user.id}> &lt;!channel&gt; a@here.example`;
      const { pings } = message(t, await t.posted({ text }));
      const known = ['channel', 'here', 'everyone', 'S1', t.ada.user.id].join();
      return pings.join() === known
        ? 'rings for channel, here, everyone, the group, the person'
        : pings.join();
    },
  },
  {
    rule: 'plain @channel, @here and @everyone, in blocks, beside them, in Markdown and in a text',
    answer: 'rings; nobody where a text object is verbatim',
    source: 'formatting message text: automatic parsing (uncertain: node-slack-sdk issue 662)',
    attempt: async (t) => {
      const object = (text: string, more = {}) => ({ type: 'mrkdwn', text, ...more });
      const contents = [
        { blocks: [{ type: 'section', text: object('to @channel') }] },
        { blocks: [{ type: 'context', elements: [object('_@here_')] }] },
        { blocks: [{ type: 'markdown', text: 'to @everyone!' }] },
        { text: '@Channel', blocks: [section('x')] },
        { text: 'to @here' },
      ];
      const rings: number[] = [];
      for (const content of contents) rings.push(message(t, await t.posted(content)).pings.length);
      const verbatim = { blocks: [{ type: 'section', text: object('to @channel', { verbatim: true }) }] };
      const quiet = message(t, await t.posted(verbatim)).pings.length;
      return `${rings.every((count) => count === 1) ? 'rings' : rings.join()}; ${quiet === 0 ? 'nobody' : 'rings'} where a text object is verbatim`;
    },
  },
  {
    rule: 'a link without unfurl_links and unfurl_media set to false',
    answer: 'fetched; not fetched with both',
    source: 'unfurling links in messages',
    attempt: async (t) => {
      const text = 'see https://leak.example/?secret';
      const without = message(t, await t.posted({ text, unfurl_links: false }));
      const both = message(t, await t.posted({ text, unfurl_links: false, unfurl_media: false }));
      const word = (fetched: number) => (fetched > 0 ? 'fetched' : 'not fetched');
      return `${word(without.unfurled.length)}; ${word(both.unfurled.length)} with both`;
    },
  },
];
