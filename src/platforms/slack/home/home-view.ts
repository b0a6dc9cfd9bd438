import type { types } from '@slack/bolt';
import type { Address, HomeButton, HomeSection, RawValues } from '../../../port/index.ts';
import { cut, plain } from '../commands/form-elements.ts';
import { buttonBlocks } from '../markup/blocks.ts';
import { maxViewBlocks, type ViewPlace } from '../markup/message-view.ts';
import { sectionsOf } from '../markup/sections.ts';
import { slackAddress } from '../post/address.ts';

/** Longest header (Block Kit). */
const maxHeader = 150;
/** What the ids of buttons that run a command begin with; those of actions are `actionId`s. */
const callPrefix = 'home:';

/** The Home tab as an address. */
export function homeAddress({ workspace, channel }: ViewPlace): Address {
  return { ...slackAddress(workspace, channel), isHome: true };
}

/** A person's own page as their Home tab. */
export function homeView(
  sections: readonly HomeSection[],
  place: ViewPlace,
  inSlackStyle: (text: string) => string,
): types.HomeView {
  const blocks = sections.flatMap(({ title, text, buttons = [] }): types.KnownBlock[] => [
    { type: 'header', text: plain(cut(title, maxHeader)) },
    ...sectionsOf(inSlackStyle(text)),
    ...(buttons.length > 0 ? [buttonRow(buttons)] : []),
  ]);
  return { type: 'home', private_metadata: JSON.stringify(place), blocks: blocks.slice(0, maxViewBlocks) };
}

function buttonRow(buttons: readonly HomeButton[]): types.KnownBlock {
  return {
    type: 'actions',
    elements: buttons.flatMap(({ call, ...button }) =>
      buttonBlocks([call ? { ...button, id: `${callPrefix}${button.id}` } : button]).flatMap(({ elements }) =>
        elements.map((element) => (call ? { ...element, value: JSON.stringify(call) } : element)),
      ),
    ),
  };
}

/** The command that a pressed button of a page runs; undefined for a button of another kind. */
export function callOf(
  actionId: string,
  value: string | undefined,
): { readonly command: string; readonly options: RawValues } | undefined {
  if (!actionId.startsWith(callPrefix) || value === undefined) return undefined;
  return JSON.parse(value);
}

/** Where a view of ours says that its answers go; undefined for others. */
export function placeOf(metadata: string): ViewPlace | undefined {
  try {
    const { workspace, channel } = JSON.parse(metadata);
    return typeof workspace === 'string' && typeof channel === 'string' ? { workspace, channel } : undefined;
  } catch {
    return undefined;
  }
}
