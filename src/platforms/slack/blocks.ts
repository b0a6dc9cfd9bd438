import type { types } from '@slack/bolt';
import type { Button, Message } from '../../port/index.ts';
import { escapeMrkdwn, plainWords, quietMarkdown } from './text.ts';

/** Longest text of one message, counted as it goes over the wire: well within 13,200 for all its blocks. */
export const maxMessageLength = 8_000;
/** Longest text beside the blocks, for notifications and screen readers. */
const maxFallback = 3_000;
const maxButtons = 25;
const maxAltText = 2_000;

/** How Slack counts a text in blocks: as JSON, where a line break is two characters. */
export function wireLength(markdown: string): number {
  return JSON.stringify(quietMarkdown(markdown)).length - 2;
}

/** An image that lies in Slack already. */
export interface SlackImage {
  readonly id: string;
  readonly altText: string;
}

/** What a message says, as arguments of chat.postMessage and chat.update. */
export interface Rendered {
  readonly text: string;
  readonly blocks: types.KnownBlock[];
}

export interface RenderOptions {
  /** A line above everything, in Slack's own markup. */
  readonly header?: string;
  readonly images?: readonly SlackImage[];
}

/** A message as blocks, with the plain text beside them that Slack asks for. */
export function render(message: Message, { header, images = [] }: RenderOptions = {}): Rendered {
  const mentions = (message.mentions ?? []).map((id) => `<@${id}>`).join(' ');
  const blocks: types.KnownBlock[] = [];
  if (header !== undefined) blocks.push({ type: 'context', elements: [{ type: 'mrkdwn', text: header }] });
  if (mentions !== '') blocks.push({ type: 'section', text: { type: 'mrkdwn', text: mentions } });
  if (message.text) blocks.push({ type: 'markdown', text: quietMarkdown(message.text) });
  if (message.link !== undefined) {
    blocks.push({ type: 'section', text: { type: 'mrkdwn', text: `<${escapeMrkdwn(message.link)}>` } });
  }
  for (const { id, altText } of images) {
    const alt_text = altText.slice(0, maxAltText) || 'image';
    blocks.push({ type: 'image', slack_file: { id }, alt_text });
  }
  if (message.buttons?.length) blocks.push(actions(message.buttons));
  const words = [message.text, message.link].filter(Boolean).join(' ');
  const fallback = plainWords(words, maxFallback - mentions.length - 1);
  return { text: [mentions, fallback].filter(Boolean).join(' ') || '…', blocks };
}

/** Buttons in a row; their ids carry everything. */
export function actions(buttons: readonly Button[]): types.ActionsBlock {
  return {
    type: 'actions',
    elements: buttons.slice(0, maxButtons).map(({ id, label, style }) => ({
      type: 'button',
      action_id: id,
      text: { type: 'plain_text', text: label.slice(0, 75) },
      ...(style !== undefined && style !== 'plain' && { style }),
    })),
  };
}
