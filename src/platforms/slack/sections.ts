import type { types } from '@slack/bolt';
import type { Message } from '../../port/index.ts';
import { splitMarkdown } from '../../reply/index.ts';
import { blocksAround, fallbackText, type Rendered, type RenderOptions } from './blocks.ts';
import { mrkdwn } from './mrkdwn.ts';

/** Longest text of one section as it goes over the wire; Slack's limit is 3,000 (Block Kit reference). */
const maxSection = 2_900;
/** Longest text of one message's sections over the wire: all blocks together may have about 13,200. */
const maxSections = 11_600;

/** How Slack counts a section's text: as JSON, where a line break is two characters. */
function sectionLength(markdown: string): number {
  return JSON.stringify(mrkdwn(markdown)).length - 2;
}

/** Markdown as section blocks in Slack's own markup, at most 3,000 characters each. */
export function sectionsOf(markdown: string): types.SectionBlock[] {
  return splitMarkdown(markdown, { maxLength: maxSection, length: sectionLength }).map((piece) => ({
    type: 'section',
    text: { type: 'mrkdwn', text: mrkdwn(piece) },
  }));
}

/**
 * A message for where Slack takes no `markdown` blocks, as a `response_url` does: as many as its words need,
 * the header above the first, links and buttons under the last.
 */
export function renderSections(message: Message, { header }: RenderOptions = {}): Rendered[] {
  const rooms: types.SectionBlock[][] = [[]];
  let room = maxSections;
  for (const section of sectionsOf(message.text ?? '')) {
    const length = JSON.stringify(section).length;
    if (length > room) {
      rooms.push([]);
      room = maxSections;
    }
    rooms.at(-1)?.push(section);
    room -= length;
  }
  const last = rooms.length - 1;
  return rooms.map((sections, index) => {
    const above = index === 0 && header !== undefined ? { header } : {};
    const around = index === last ? message : {};
    const text = index === 0 ? fallbackText(message) : '…';
    return { text, blocks: blocksAround(around, above, sections) };
  });
}
