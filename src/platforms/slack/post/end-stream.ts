import type { Address } from '../../../port/index.ts';
import { isAnswerLost, slackCode, writeError } from '../api/errors.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { quietMarkdown } from '../markup/safe-text.ts';

/**
 * Ends a stream as it is, no matter which process began it. One that has ended already, or is gone, needs nothing
 * more.
 */
export async function endStream(
  api: SlackApi,
  { workspace, channel }: Address,
  ts: string,
): Promise<'ended' | 'gone'> {
  const stop = async (more: object, triesLeft = 2): Promise<'ended' | 'gone' | 'empty'> => {
    try {
      await api.call(workspace, 'chat.stopStream', { channel, ts, ...more });
      return 'ended';
    } catch (error) {
      // Ending it twice does no harm.
      if (isAnswerLost(error) && triesLeft > 0) return stop(more, triesLeft - 1);
      const code = slackCode(error);
      if (code === 'no_text') return 'empty';
      const known = writeError(error);
      if (known.kind === 'unreachable') throw known;
      return code === 'message_not_found' ? 'gone' : 'ended';
    }
  };
  const first = await stop({});
  if (first !== 'empty') return first;
  // Slack refuses to end a stream that shows nothing; an empty message would be useless.
  await stop({ chunks: chunksOf('…') });
  await api.call(workspace, 'chat.delete', { channel, ts }).catch(() => undefined);
  return 'gone';
}

/** Text as a stream’s content. Only chunks: a stream’s mode is fixed by its first content. */
export function chunksOf(text: string) {
  return text === '' ? [] : [{ type: 'markdown_text', text: quietMarkdown(text) }];
}
