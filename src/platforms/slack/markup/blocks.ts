import type { types } from '@slack/bolt';
import { beginningOf, shortened } from '../../../lib/text.ts';
import { type Button, buttonRows, type Message } from '../../../port/index.ts';
import { escapeMrkdwn, mrkdwnObject, plainText, plainWords, quietMarkdown } from './mrkdwn.ts';

/** Longest text of one message as sent, in characters of JSON: well within 13,200 for all its blocks. */
const maxMessageLength = 8_000;
/** Longest text beside the blocks, for notifications and screen readers. */
const maxFallback = 3_000;
const maxButtons = 25;
const maxAltText = 2_000;
/** Longest label of a button, seen or read aloud. */
const maxLabel = 75;

/** How Slack counts a text in blocks: as JSON, where a line break is two characters. */
export function wireLength(markdown: string): number {
  return JSON.stringify(quietMarkdown(markdown)).length - 2;
}

/** What one message takes of a text; Slack hides no words. */
export const textLimits = { maxLength: maxMessageLength, length: wireLength, hides: false };

/** An image that was uploaded already. */
export interface SlackImage {
  readonly id: string;
  readonly altText: string;
}

/** A message as arguments of chat.postMessage and chat.update. */
export interface MessageArguments {
  readonly text: string;
  readonly blocks: types.KnownBlock[];
}

export interface RenderOptions {
  /** A line above everything, in Slack’s own markup. */
  readonly header?: string;
  readonly images?: readonly SlackImage[];
  /** The thread that the buttons belong to, for a message that may stand outside of it (`threadOfButtons`). */
  readonly thread?: string;
}

/**
 * How votes on an answer are shown: as Slack's own feedback buttons, or as ordinary ones where it takes none (which
 * surfaces do isn't documented).
 */
export type VotesAs = 'feedback' | 'buttons';

/** A message as blocks, with the plain text that Slack wants beside them. */
export function render(
  message: Message,
  options: RenderOptions = {},
  votes: VotesAs = 'buttons',
): MessageArguments {
  const words: types.KnownBlock[] = message.text
    ? [{ type: 'markdown', text: quietMarkdown(message.text) }]
    : [];
  return { text: fallbackText(message), blocks: blocksAround(message, options, words, votes) };
}

/** The Markdown of a message, which the text beside it has shortened; undefined where Slack returns none. */
export function markdownIn(
  blocks: readonly { readonly type?: string; readonly text?: unknown }[] = [],
): string | undefined {
  const texts = blocks.flatMap(({ type, text }) => (type === 'markdown' ? [String(text)] : []));
  return texts.length > 0 ? texts.join('\n\n') : undefined;
}

/** Puts a message’s header and mentions above its text; link, images and buttons below. */
export function blocksAround(
  { mentions, link, buttons }: Message,
  { header, images = [], thread }: RenderOptions,
  words: readonly types.KnownBlock[],
  votes: VotesAs = 'buttons',
): types.KnownBlock[] {
  const blocks: types.KnownBlock[] = [];
  if (header !== undefined) blocks.push({ type: 'context', elements: [mrkdwnObject(header)] });
  if (mentions?.length) {
    blocks.push({ type: 'section', text: mrkdwnObject(mentionText(mentions)) });
  }
  blocks.push(...words);
  if (link !== undefined) {
    blocks.push({ type: 'section', text: mrkdwnObject(`<${escapeMrkdwn(link)}>`) });
  }
  for (const { id, altText } of images) {
    const alt_text = beginningOf(altText, maxAltText) || 'image';
    blocks.push({ type: 'image', slack_file: { id }, alt_text });
  }
  const below = actions(buttons ?? [], votes);
  blocks.push(...(thread === undefined ? below : below.map((row, index) => inThread(row, thread, index))));
  return blocks;
}

/** Slack brings a row's id back with a press. */
function inThread<B extends types.KnownBlock>(row: B, thread: string, index: number): B {
  return { ...row, block_id: `thread ${thread} ${index}` };
}

/** The thread that a pressed button belongs to, by the id of its row; undefined if that doesn't say. */
export function threadOfButtons(blockId = ''): string | undefined {
  return /^thread (\S+) \d+$/.exec(blockId)?.[1];
}

/** The plain text beside a message's blocks. */
export function fallbackText({ text, link, mentions = [] }: Message): string {
  const notified = mentionText(mentions);
  const words = plainWords([text, link].filter(Boolean).join(' '), maxFallback - notified.length - 1);
  return [notified, words].filter(Boolean).join(' ') || '…';
}

/** Mentions of people, by their ids. */
export function mentionText(mentions: readonly string[]): string {
  return mentions.map((id) => `<@${id}>`).join(' ');
}

function dialog(
  label: string,
  { question, yes, no }: NonNullable<Button['confirm']>,
): types.ConfirmationDialog {
  return {
    title: plainText(label, 100),
    text: plainText(question, 300),
    confirm: plainText(yes, 30),
    deny: plainText(no, 30),
    style: 'danger',
  };
}

/** Whether both votes are among the buttons. */
export function hasVotes(buttons: readonly Button[] = []): boolean {
  return votesIn(buttons) !== undefined;
}

function votesIn(buttons: readonly Button[]) {
  const good = buttons.find(({ vote }) => vote === 'good');
  const bad = buttons.find(({ vote }) => vote === 'bad');
  return good && bad && { good, bad };
}

/** Buttons in their rows; all they mean is in their ids. */
export function actions(
  buttons: readonly Button[],
  votes: VotesAs = 'buttons',
): (types.ActionsBlock | types.ContextActionsBlock)[] {
  const pair = votes === 'feedback' ? votesIn(buttons) : undefined;
  if (!pair) return buttonBlocks(buttons);
  const others = buttons.filter((button) => button !== pair.good && button !== pair.bad);
  return [...buttonBlocks(others), feedbackBlock(pair)];
}

/** What the `action_id` of feedback buttons begins with; which was pressed, and what that means, is their value. */
const feedbackAction = 'feedback:';

/** Slack's own buttons for feedback (Block Kit: context actions block, feedback buttons element). */
function feedbackBlock({ good, bad }: NonNullable<ReturnType<typeof votesIn>>): types.ContextActionsBlock {
  const button = ({ id, label, description = label }: Button) => ({
    text: plainText(description, maxLabel),
    accessibility_label: shortened(description, maxLabel),
    value: id,
  });
  return {
    type: 'context_actions',
    elements: [
      {
        type: 'feedback_buttons',
        action_id: `${feedbackAction}${good.id}`,
        positive_button: button(good),
        negative_button: button(bad),
      },
    ],
  };
}

/** Ordinary buttons in their rows. */
export function buttonBlocks(buttons: readonly Button[]): types.ActionsBlock[] {
  return buttonRows(buttons, maxButtons).map((row) => ({
    type: 'actions',
    elements: row.map(({ id, label, description, style, confirm }) => ({
      type: 'button',
      action_id: id,
      text: plainText(label, maxLabel),
      ...(description !== undefined && { accessibility_label: shortened(description, maxLabel) }),
      ...(style !== undefined && style !== 'plain' && { style }),
      ...(confirm && { confirm: dialog(label, confirm) }),
    })),
  }));
}
