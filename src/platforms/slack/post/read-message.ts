import type { types } from '@slack/bolt';
import type { Chrome } from '../markup/message-chrome.ts';
import type { FoundMessage } from './posted-messages.ts';

/** What a message shows, as far as Slack returns it. */
export interface ReadMessage {
  readonly text: string;
  /**
   * Slack returned its Markdown as other blocks, so only the plain text was read: shortened, and without formatting.
   */
  readonly isLossy?: true;
  readonly files: number;
  /** What is around its text. */
  readonly chrome: Chrome;
}

/**
 * Reads one of the bot’s messages. Slack may return Markdown as it was sent, or as other blocks; the plain text
 * beside them says about the same in any case.
 */
export function readMessage({ text = '', blocks = [], files = [], metadata }: FoundMessage): ReadMessage {
  const markdown = blocks.flatMap((block) => (block.type === 'markdown' ? [block.text] : []));
  const ids = metadata?.event_payload?.files ?? files.map(({ id }) => id);
  const header = headerIn(blocks[0]);
  const isLossy =
    markdown.length === 0 && blocks.some(({ type }) => type === 'rich_text' || type === 'table');
  return {
    text: markdown.length > 0 ? markdown.join('\n\n') : unescaped(text),
    ...(isLossy && { isLossy }),
    files: ids.length,
    chrome: { ...(header !== undefined && { header }), ...(ids.length > 0 && { files: ids }) },
  };
}

/** The line above a message’s text. */
function headerIn(block: types.KnownBlock | undefined): string | undefined {
  if (block?.type !== 'context') return undefined;
  const [line] = block.elements;
  return line?.type === 'mrkdwn' ? line.text : undefined;
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
