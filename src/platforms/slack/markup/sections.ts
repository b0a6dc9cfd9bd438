import type { types } from '@slack/bolt';
import type { Button, Message } from '../../../port/index.ts';
import { smallestMaxLength, splitMarkdown } from '../../../reply/index.ts';
import { actions, blocksAround, fallbackText, type MessageArguments, type RenderOptions } from './blocks.ts';
import { mrkdwn, mrkdwnObject, plainText } from './mrkdwn.ts';

/** Longest text of one section; Slack's limit is 3,000 (Block Kit reference). */
const maxSection = 3_000;
/** Longest section by the estimate, which leaves space for what the markup adds. */
const likelySection = 2_700;
/** Longest text of one message by the estimate. */
const likelyMessage = 8_000;
/** Longest text of one message's sections over the wire: all blocks together may have about 13,200. */
const maxSections = 11_600;

const [quote, ampersand, less, more, backslash, newline] = ['"', '&', '<', '>', '\\', '\n'].map((character) =>
  character.charCodeAt(0),
);

/** Estimates a text’s length in a section: escaped, and as JSON. Cheap, because it’s called very often. */
function likelyLength(markdown: string): number {
  let length = markdown.length;
  for (let at = 0; at < markdown.length; at++) {
    const code = markdown.charCodeAt(at);
    if (code === newline || code === quote || code === backslash) length += 1;
    else if (code === less || code === more) length += 3;
    else if (code === ampersand) length += 4;
  }
  return length;
}

/** Markdown as section blocks in Slack's own markup, at most 3,000 characters each. */
export function sectionsOf(markdown: string, most = likelySection): types.SectionBlock[] {
  return splitMarkdown(markdown, { maxLength: most, length: likelyLength, hides: false }).flatMap((piece) => {
    const text = mrkdwn(piece);
    if (text.length > maxSection && most > 2 * smallestMaxLength) return sectionsOf(piece, most >> 1);
    return [{ type: 'section' as const, text: mrkdwnObject(text.slice(0, maxSection)) }];
  });
}

/** Markdown in pieces, each of which one message takes in sections. */
export function sectionPieces(markdown: string): string[] {
  return splitMarkdown(markdown, { maxLength: likelyMessage, length: likelyLength, hides: false });
}

/** Whether one message in sections takes it all. */
export function fitsOneMessage(message: Message): boolean {
  return renderSections(message).length === 1;
}

/**
 * A message for where Slack takes no `markdown` blocks, such as a `response_url`: as many messages as the text needs,
 * the header above the first, links and buttons under the last. @param onEach The buttons that are under the others, too.
 * @param goesOn Whether the last goes on in another message. Each that goes on ends with “…”; none does where this is absent.
 */
export function renderSections(
  message: Message,
  { header, thread }: RenderOptions = {},
  onEach: readonly Button[] = [],
  goesOn?: boolean,
): MessageArguments[] {
  const messages: types.SectionBlock[][] = [[]];
  let space = maxSections;
  for (const section of sectionsOf(message.text ?? '')) {
    const length = JSON.stringify(section).length;
    if (length > space) {
      messages.push([]);
      space = maxSections;
    }
    messages.at(-1)?.push(section);
    space -= length;
  }
  const last = messages.length - 1;
  return messages.map((sections, index) => {
    const above = index === 0 && header !== undefined ? { header } : {};
    const around = index === last ? message : { buttons: onEach };
    const text = index === 0 ? fallbackText(message) : '…';
    const options = { ...above, ...(thread !== undefined && { thread }) };
    const isCut = goesOn !== undefined && (index < last || goesOn);
    return {
      text,
      blocks: blocksAround(around, options, isCut ? [...sections, ...sectionsOf('…')] : sections),
    };
  });
}

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
    title: plainText('troupe'),
    private_metadata: JSON.stringify({ workspace, channel }),
    blocks: [...blocks, ...below],
  };
}
