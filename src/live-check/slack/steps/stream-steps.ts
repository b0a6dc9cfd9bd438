import { slackFeatures } from '../../../platforms/slack/api/features.ts';
import { type Step, type StepResult, skipped, works } from '../../step.ts';
import { label, openStream, type Place, type SlackContext, textChunk } from '../context.ts';
import { expectRefusal } from '../refusals.ts';

/** A row with buttons of the check's own, which the bot ignores. */
export function buttonRow(...buttons: readonly (readonly [id: string, label: string])[]) {
  const elements = buttons.map(([action_id, text]) => {
    return { type: 'button', action_id, text: { type: 'plain_text', text } };
  });
  return { type: 'actions', elements };
}

/** Slack's own streams. */
export const streamSteps: readonly Step<SlackContext>[] = [
  {
    name: 'stream in direct messages: start, append, stop',
    expects: 'works, in chunks',
    does: { works: 'streams answers in direct messages', refused: 'edits messages there' },
    feature: slackFeatures.streamInDirectMessage,
    async run(context) {
      if (!context.inDirectMessage) return skipped('no person is in the channel');
      return streamAt(context, context.inDirectMessage);
    },
  },
  {
    name: 'stream in a channel: start, append, stop',
    expects: 'works; channel_type_not_supported in some workspaces',
    does: 'edits messages in channels, because only one person sees a stream there live',
    run: (context) => streamAt(context, context.inChannel),
  },
  {
    name: 'stream in a channel without a thread',
    expects: 'works by newer documentation, refused by older',
    does: 'streams in the thread of the message it answers',
    async run(context) {
      const { slack, inChannel } = context;
      const ts = await openStream(context, { ...inChannel, thread: undefined }, [textChunk(label)]);
      await slack.call('chat.stopStream', { channel: inChannel.channel, ts });
      return works();
    },
  },
  {
    name: 'Markdown text in a stream of chunks',
    expects: 'refused (streaming_mode_mismatch)',
    does: 'sends only chunks',
    run: (context) =>
      inStream(context, ({ channel, ts }) =>
        expectRefusal('streaming_mode_mismatch', () =>
          context.slack.call('chat.appendStream', { channel, ts, markdown_text: 'more' }),
        ),
      ),
  },
  {
    name: 'stream started without text',
    expects: 'works; chunks may follow',
    does: 'starts a stream with its first words',
    run: (context) =>
      inStream(
        context,
        async ({ channel, ts }) => {
          await context.slack.call('chat.appendStream', { channel, ts, chunks: [textChunk(label)] });
          return works();
        },
        [],
      ),
  },
  {
    name: 'stream ended without text',
    expects: 'refused (no_text)',
    does: 'starts a stream with its first words; appends a word to an empty one before it deletes it',
    run: (context) =>
      inStream(
        context,
        async ({ channel, ts }) => {
          try {
            await context.slack.call('chat.stopStream', { channel, ts });
            return works('ended');
          } catch (error) {
            // It can be deleted only after it has ended, which takes some text.
            await context.slack.call('chat.appendStream', { channel, ts, chunks: [textChunk(label)] });
            throw error;
          }
        },
        [],
      ),
  },
  {
    name: 'stream started with a button',
    expects: 'not documented',
    does: 'relies on Slack’s own Stop button while it streams',
    run: (context) =>
      inStream(context, async () => works(), [
        { type: 'blocks', blocks: [buttonRow(['live-check', 'Nothing happens'])] },
        textChunk(label),
      ]),
  },
  {
    name: 'stream ended with text and buttons',
    expects: 'works (chunks and blocks)',
    does: {
      works: 'ends a streamed answer with its buttons',
      refused: 'posts the buttons in a message of their own',
    },
    feature: slackFeatures.blocksAtStreamStop,
    run: (context) =>
      inStream(context, async ({ channel, ts }) => {
        const blocks = [buttonRow(['live-check', 'Nothing happens'])];
        await context.slack.call('chat.stopStream', { channel, ts, chunks: [textChunk(' the end')], blocks });
        return works();
      }),
  },
  {
    name: 'stream ended with metadata and the session’s status',
    expects: 'works, by the SDK',
    does: 'ends its streams like this; if that’s refused, posts the answer as a message',
    run: (context) =>
      inStream(context, async ({ channel, ts }) => {
        const metadata = { event_type: 'troupe_live_check', event_payload: {} };
        await context.slack.call('chat.stopStream', { channel, ts, metadata, session_status: 'active' });
        return works();
      }),
  },
  {
    name: 'edit after a stream has ended',
    expects: 'documented to fail (block_mismatch); reported to work',
    does: 'never edits a streamed answer; posts missing text as a new message',
    run: (context) =>
      inStream(context, async ({ channel, ts }) => {
        await context.slack.call('chat.stopStream', { channel, ts });
        const text = `${label}: edited`;
        const blocks = [{ type: 'section', text: { type: 'mrkdwn', text } }];
        await context.slack.call('chat.update', { channel, ts, text, blocks });
        return works();
      }),
  },
  {
    name: 'append after the end',
    expects: 'refused (message_not_in_streaming_state)',
    does: 'continues in an ordinary message before a stream expires',
    run: (context) =>
      inStream(context, async ({ channel, ts }) => {
        await context.slack.call('chat.stopStream', { channel, ts });
        return expectRefusal('message_not_in_streaming_state', () =>
          context.slack.call('chat.appendStream', { channel, ts, chunks: [textChunk('more')] }),
        );
      }),
  },
];

async function streamAt(context: SlackContext, place: Place): Promise<StepResult> {
  const { channel } = place;
  const ts = await openStream(context, place, [textChunk(`${label}: streams `)]);
  await context.slack.call('chat.appendStream', { channel, ts, chunks: [textChunk('word by word')] });
  await context.slack.call('chat.stopStream', { channel, ts });
  context.streams ??= place;
  return works();
}

/** Tries something with a stream, if streams work. */
async function inStream(
  context: SlackContext,
  work: (stream: { readonly channel: string; readonly ts: string }) => Promise<StepResult>,
  chunks: readonly object[] = [textChunk(label)],
): Promise<StepResult> {
  const { streams } = context;
  if (!streams) return skipped('streams don’t work here');
  const { channel } = streams;
  return work({ channel, ts: await openStream(context, streams, chunks) });
}
