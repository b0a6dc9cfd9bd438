import type { types } from '@slack/bolt';
import type { Message } from '../../../port/index.ts';
import { actions } from './blocks.ts';
import { sectionsOf } from './sections.ts';

/** The most blocks of a view (Home tab views, modals). */
export const maxViewBlocks = 100;

/** Where a view’s answers go: the bot’s direct messages with the person who sees it. */
export interface ViewPlace {
  readonly workspace: string;
  readonly channel: string;
}

/** A message that one person sees in a window of its own. */
export function messageView(message: Message, { workspace, channel }: ViewPlace): types.ModalView {
  const below = actions(message.buttons ?? []);
  const blocks = sectionsOf(message.text || '…').slice(0, maxViewBlocks - below.length);
  return {
    type: 'modal',
    title: { type: 'plain_text', text: 'troupe' },
    private_metadata: JSON.stringify({ workspace, channel }),
    blocks: [...blocks, ...below],
  };
}
