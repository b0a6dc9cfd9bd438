import { slackFeatures } from '../../../platforms/slack/api/features.ts';
import { type Step, type StepResult, skipped, works } from '../../step.ts';
import { label, openStream, type Place, type SlackContext, textChunk } from '../context.ts';
import { expectRefusal } from '../refusals.ts';

/** A row with a button of the check's own; the bot leaves such buttons alone. */
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
    does: { works: 'streams answers in direct messages', refused: 'edits its answers in direct messages' },
    feature: slackFeatures.streamInDirectMessage,
    async run(context) {
      if (!context.inDirectMessage) return skipped('nobody is in the channel to write to');
      return streamAt(context, context.inDirectMessage);
    },
  },
  {
    name: 'stream in a channel: start, append, stop',
    expects: 'works; channel_type_not_supported in some workspaces',
    does: 'edits its answers in channels: a stream there is live for one person alone',
    run: (context) => streamAt(context, context.inChannel),
  },
  {
    name: 'stream in a channel without a thread',
    expects: 'newer documentation: works; older: refused',
    does: 'streams under the message it answers',
    async run(context) {
      const { slack, inChannel } = context;
      const ts = await openStream(context, { ...inChannel, thread: undefined }, [textChunk(label)]);
      await slack.call('chat.stopStream', { channel: inChannel.channel, ts });
      return works();
    },
  },
  {
    name: 'Markdown text in a stream of chunks',
    expects: 'streaming_mode_mismatch',
    does: 'sends chunks from the beginning to the end',
    run: (context) =>
      inStream(context, ({ channel, ts }) =>
        expectRefusal('streaming_mode_mismatch', () =>
          context.slack.call('chat.appendStream', { channel, ts, markdown_text: 'more' }),
        ),
      ),
  },
  {
    name: 'stream begun without any text',
    expects: 'works; chunks may follow',
    does: 'begins a stream with its first words',
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
    name: 'stream ended without any text',
    expects: 'no_text',
    does: 'begins a stream with its first words, and gives one that shows nothing a word before it takes it away',
    run: (context) =>
      inStream(
        context,
        async ({ channel, ts }) => {
          try {
            await context.slack.call('chat.stopStream', { channel, ts });
            return works('was ended');
          } catch (error) {
            // It can only be taken away once it has ended.
            await context.slack.call('chat.appendStream', { channel, ts, chunks: [textChunk(label)] });
            throw error;
          }
        },
        [],
      ),
  },
  {
    name: 'stream begun with a button',
    expects: 'not documented',
    does: 'leaves Stop to Slack’s own button while it streams',
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
      refused: 'posts the buttons under a streamed answer',
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
    expects: 'works (arguments of the SDK)',
    does: 'ends its streams so; where that is refused the answer comes as an ordinary message',
    run: (context) =>
      inStream(context, async ({ channel, ts }) => {
        const metadata = { event_type: 'troupe_live_check', event_payload: {} };
        await context.slack.call('chat.stopStream', { channel, ts, metadata, session_status: 'active' });
        return works();
      }),
  },
  {
    name: 'edit after a stream has ended',
    expects: 'block_mismatch by the documentation; works by reports',
    does: 'never edits a streamed answer; what is missing comes as a new message',
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
    expects: 'message_not_in_streaming_state',
    does: 'goes on in an ordinary message before its stream dies',
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

/** Does something with a stream, where streams were found to work. */
async function inStream(
  context: SlackContext,
  work: (stream: { readonly channel: string; readonly ts: string }) => Promise<StepResult>,
  chunks: readonly object[] = [textChunk(label)],
): Promise<StepResult> {
  const { streams } = context;
  if (!streams) return skipped('no stream can be started here');
  const { channel } = streams;
  return work({ channel, ts: await openStream(context, streams, chunks) });
}
