import type { types } from '@slack/bolt';

/**
 * A message's blocks as Slack returned them, as it takes them again: it adds sizes and URLs to images, and refuses an
 * image that has them (bolt-js#1841).
 */
export function sendable(blocks: readonly types.KnownBlock[]): types.KnownBlock[] {
  return blocks.map((block) => {
    if (block.type !== 'image' || !('slack_file' in block)) return block;
    const { type, slack_file: file, alt_text } = block;
    return { type, slack_file: 'id' in file ? { id: file.id } : { url: file.url }, alt_text };
  });
}

/** A message's blocks with another label on one button; undefined if they haven't that button. */
export function relabelled(
  blocks: readonly types.KnownBlock[],
  buttonId: string,
  label: string,
): types.KnownBlock[] | undefined {
  let isFound = false;
  const changed = sendable(blocks).map((block): types.KnownBlock => {
    if (block.type !== 'actions') return block;
    const elements = block.elements.map((element) => {
      if (element.type !== 'button' || element.action_id !== buttonId) return element;
      isFound = true;
      return { ...element, text: { ...element.text, text: label } };
    });
    return { ...block, elements };
  });
  return isFound ? changed : undefined;
}
