import type { types } from '@slack/bolt';
import { sendable } from './returned-blocks.ts';

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
