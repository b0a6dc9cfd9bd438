import { slackFeatures } from '../../../platforms/slack/api/features.ts';
import { isKindRefused } from '../../../platforms/slack/media/file-kinds.ts';
import { onePixelPng } from '../../sample-files.ts';
import { refused, type Step, skipped, works } from '../../step.ts';
import { label, post, removeLater, type SlackContext } from '../context.ts';
import { fileInfo, pollFor, shareTimeout, upload, waitUntilProcessed } from '../upload.ts';

const picture = { extension: 'png', bytes: onePixelPng };

/** Files that are shared, and files that are shown without being shared. */
export const fileSteps: readonly Step<SlackContext>[] = [
  {
    name: 'upload, share and delete a file',
    expects: 'shared within seconds; reported to fail sometimes',
    does: 'waits until a file is shared; after 30 s uploads it once more',
    async run(context) {
      const { channel, thread } = context.inChannel;
      const id = await upload(context, picture, { channel_id: channel, thread_ts: thread });
      const began = context.clock.now();
      const ts = await pollFor(context, async () => {
        const { shares } = await fileInfo(context, id);
        return sharedIn(shares, channel);
      });
      if (ts === undefined) return refused(`not shared within ${shareTimeout / 1_000} s`);
      removeLater(context, channel, ts);
      return works(`shared after ${Math.ceil((context.clock.now() - began) / 1_000)} s`);
    },
  },
  {
    name: 'picture in a block, uploaded without sharing',
    expects: 'works (slack_file)',
    does: {
      works: 'shows all images of a command in one message',
      refused: 'shows images as files under the message',
    },
    feature: slackFeatures.slackFileImage,
    async run(context) {
      const id = await upload(context, picture).catch((error: unknown) => {
        if (isKindRefused(error)) return undefined;
        throw error;
      });
      if (id === undefined) return skipped('PNG files are forbidden here');
      await waitUntilProcessed(context, id);
      const blocks = [{ type: 'image', slack_file: { id }, alt_text: label }];
      await post(context, context.inChannel, { text: `${label}: a picture`, blocks });
      return works();
    },
  },
  {
    name: 'picture sent back as Slack returned it',
    expects: 'refused (invalid_blocks): Slack adds its size and URL; reported to work again since',
    does: 'leaves out what Slack added',
    async run(context) {
      const id = await upload(context, picture).catch((error: unknown) => {
        if (isKindRefused(error)) return undefined;
        throw error;
      });
      if (id === undefined) return skipped('PNG files are forbidden here');
      await waitUntilProcessed(context, id);
      const { channel, thread } = context.inChannel;
      const blocks = [{ type: 'image', slack_file: { id }, alt_text: label }];
      const args = { channel, thread_ts: thread, text: `${label}: a picture`, blocks };
      const { ts, message } = await context.slack.call('chat.postMessage', args);
      removeLater(context, channel, String(ts));
      const returned = typeof message === 'object' && message && 'blocks' in message ? message.blocks : [];
      await context.slack.call('chat.update', { channel, ts, text: label, blocks: returned });
      return works();
    },
  },
];

/** The timestamp of the message that shows a file. */
function sharedIn(shares: unknown, channel: string): string | undefined {
  const byKind = Object.values((shares ?? {}) as Record<string, Record<string, { ts?: string }[]>>);
  return byKind.flatMap((channels) => channels[channel] ?? []).find(({ ts }) => ts !== undefined)?.ts;
}
