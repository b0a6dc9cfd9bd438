import type { types } from '@slack/bolt';
import type { Button, Capabilities, Message } from '../../../port/index.ts';
import { isRefused, mayBeContent, slackFeatures } from '../api/errors.ts';
import { fallbackText, hasVotes, type RenderOptions, render } from './blocks.ts';
import { mrkdwn } from './mrkdwn.ts';
import { renderSections } from './sections.ts';

/**
 * The formats of a message, best first: Markdown blocks with Slack’s own feedback buttons, with ordinary ones, sections
 * of Slack’s older markup, text alone.
 */
const formats = ['feedback', 'markdown', 'sections', 'text'] as const;
export type MessageFormat = (typeof formats)[number];

/** A message in a format, as arguments of chat.postMessage and chat.update. */
export function renderIn(
  format: MessageFormat,
  message: Message,
  options: RenderOptions = {},
): { readonly text: string; readonly blocks: types.KnownBlock[] } {
  if (format === 'feedback') return render(message, options, 'feedback');
  if (format === 'markdown') return render(message, options);
  if (format === 'sections') {
    const parts = renderSections(message, options);
    const images = options.images?.length ? render({}, { images: options.images }).blocks : [];
    return { text: fallbackText(message), blocks: [...parts.flatMap(({ blocks }) => blocks), ...images] };
  }
  const { text = '', mentions = [], link } = message;
  const notified = mentions.map((id) => `<@${id}>`).join(' ');
  const words = [options.header, notified, mrkdwn(text), link && mrkdwn(link)].filter(Boolean).join('\n');
  return { text: words || '…', blocks: [] };
}

/** Finds the best format that Slack takes. */
export class MessageFormats {
  readonly #capabilities: Capabilities;

  constructor(capabilities: Capabilities) {
    this.#capabilities = capabilities;
  }

  /** The format to begin with in a workspace, for a message with these buttons. */
  async first(workspace: string, buttons: readonly Button[] = []): Promise<MessageFormat> {
    const seen = await this.#capabilities.find(workspace, slackFeatures.markdownBlock);
    return this.withVotes(workspace, seen === 'refused' ? 'sections' : 'markdown', buttons);
  }

  /** The same format, or the one with Slack’s own feedback buttons if there are votes and Slack may take those. */
  async withVotes(
    workspace: string,
    format: MessageFormat,
    buttons: readonly Button[] = [],
  ): Promise<MessageFormat> {
    if (format !== 'markdown' || !hasVotes(buttons)) return format;
    const seen = await this.#capabilities.find(workspace, slackFeatures.feedbackButtons);
    return seen === 'refused' ? 'markdown' : 'feedback';
  }

  /**
   * Does `work` with a format, and with the next plainer one where Slack refuses it for good or fails on it every
   * time. `withImages` leaves out text alone, which would lose the images.
   * @throws {PlatformError} `refused` where Slack takes none of them; `unreachable` where it fails on the last.
   */
  async run<T>(
    workspace: string,
    from: MessageFormat,
    work: (format: MessageFormat) => Promise<T>,
    withImages = false,
  ): Promise<T> {
    const rest = formats.slice(formats.indexOf(from)).filter((format) => format !== 'text' || !withImages);
    let isFeedbackRefused = false;
    for (const format of rest.slice(0, -1)) {
      try {
        const done = await work(format);
        // It went through without the feedback buttons, so they were the reason.
        if (isFeedbackRefused)
          await this.#capabilities.note(workspace, slackFeatures.feedbackButtons, 'refused');
        return done;
      } catch (error) {
        if (!mayBeContent(error)) throw error;
        isFeedbackRefused = format === 'feedback' && isRefused(error);
      }
    }
    return work(rest.at(-1) ?? from);
  }
}
