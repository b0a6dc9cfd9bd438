import type { types } from '@slack/bolt';
import type { Chrome } from '../markup/message-chrome.ts';
import type { FoundMessage } from './posted-messages.ts';

/** What a message shows, as far as it can be told from what Slack gives back. */
export interface ReadBack {
  readonly text: string;
  /** Slack gave its Markdown back in another form, of which the plain text alone is read: cut, and without its marks. */
  readonly isLossy?: true;
  readonly files: number;
  /** What stands around its words. */
  readonly chrome: Chrome;
}

/**
 * Reads a message of the bot's. Slack may give Markdown back as it was sent or taken apart into other blocks; about
 * what it says is in the plain text beside them in any case.
 */
export function readBack({ text = '', blocks = [], files = [], metadata }: FoundMessage): ReadBack {
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

/** The line above a message's words. */
function headerIn(block: types.KnownBlock | undefined): string | undefined {
  if (block?.type !== 'context') return undefined;
  const [line] = block.elements;
  return line?.type === 'mrkdwn' ? line.text : undefined;
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
