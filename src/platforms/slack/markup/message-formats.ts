import { titleOf } from '../../../lib/text.ts';
import {
  type AnyValues,
  type Button,
  type Capabilities,
  type Locale,
  type Message,
  type MessageAddress,
  messageItIsAbout,
  type Person,
} from '../../../port/index.ts';
import type { KeyValueStore } from '../../../store/index.ts';
import { words } from '../../../words/index.ts';
import { isRefused, mayBeContent, slackFeatures } from '../api/errors.ts';
import {
  fallbackText,
  hasVotes,
  mentionText,
  type MessageArguments,
  render,
  type RenderOptions,
} from './blocks.ts';
import { escapeMrkdwn, mrkdwn } from './mrkdwn.ts';
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
): MessageArguments {
  if (format === 'feedback') return render(message, options, 'feedback');
  if (format === 'markdown') return render(message, options);
  if (format === 'sections') {
    const parts = renderSections(message, options);
    const images = options.images?.length ? render({}, { images: options.images }).blocks : [];
    return { text: fallbackText(message), blocks: [...parts.flatMap(({ blocks }) => blocks), ...images] };
  }
  const { text = '', mentions = [], link } = message;
  const words = [options.header, mentionText(mentions), mrkdwn(text), link && mrkdwn(link)]
    .filter(Boolean)
    .join('\n');
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

/** How long it’s remembered, in milliseconds. */
const lifetime = 90 * 86_400_000;

/** What is around a message’s text and has to be sent again with every edit, and the files that belong to it. */
export interface Chrome extends RenderOptions {
  /** Ids of its files, including those in separate messages: they’re deleted with it. */
  readonly files?: readonly string[];
}

/** Remembers what is around messages’ texts: Slack’s edits replace a message as a whole. */
export class MessageChrome {
  readonly #store: KeyValueStore;

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  async of(message: MessageAddress): Promise<Chrome> {
    return (await this.#store.get<Chrome>(keyOf(message))) ?? {};
  }

  /** Remembers a message’s chrome, unless it’s empty. */
  async keep(message: MessageAddress, chrome: Chrome): Promise<void> {
    if (chrome.header === undefined && !chrome.images?.length && !chrome.files) return;
    await this.#store.set(keyOf(message), chrome, lifetime);
  }

  /** Forgets people's words and names in it. */
  async forgetWords(message: MessageAddress): Promise<void> {
    const { header, images = [], ...chrome } = await this.of(message);
    if (header === undefined && images.length === 0) return;
    const wordless = { ...chrome, images: images.map((image) => ({ ...image, altText: '' })) };
    await this.#store.set(keyOf(message), wordless, lifetime);
  }
}

function keyOf({ workspace, channel, message }: MessageAddress): string {
  return `frame ${workspace} ${channel} ${message}`;
}

/** How much of a question is shown above its answer, in characters. */
const headerLength = 300;

/**
 * The line above an answer: who asked what, because nobody else saw the command or button. `how` is the command or
 * the button’s label. Who it was is left out where only they see it.
 */
export function answerHeader(
  { id, name, locale }: Partial<Pick<Person, 'id' | 'name'>> & Pick<Person, 'locale'>,
  how: string,
  text = '',
  values: AnyValues = {},
): string {
  const command = escapeMrkdwn(how);
  const who = name === undefined ? `\`${command}\`` : `${shownAs(name, id)} · \`${command}\``;
  return [who, aboutLink(values, locale), escapeMrkdwn(titleOf(text, headerLength))]
    .filter(Boolean)
    .join(' ');
}

/** A header with the name of the persona that speaks as its last line. */
export function withSpeaker(
  header: string | undefined,
  persona: string | undefined,
): { readonly header?: string } {
  const name = persona === undefined ? undefined : `*${escapeMrkdwn(persona)}*`;
  const lines = [header, name].filter(Boolean).join('\n');
  return lines === '' ? {} : { header: lines };
}

/** A header without the name of a persona as its last line. */
export function withoutSpeaker(
  header: string | undefined,
  persona: string | undefined,
): { readonly header?: string } {
  const { header: line } = withSpeaker(undefined, persona);
  const isNamed = header !== undefined && line !== undefined && header.endsWith(line);
  const rest = isNamed ? header.slice(0, -line.length).trimEnd() : header;
  return rest ? { header: rest } : {};
}

/** The line above an answer in a thread, where several people may have asked: whose question it answers. */
export function speakerHeader({ id, name, locale }: Person, text: string): string {
  const short = titleOf(text, headerLength);
  const { colon } = words(locale);
  return `${shownAs(name, id)}${short === '' ? '' : `${colon}${escapeMrkdwn(short)}`}`;
}

/** A person’s name; where Slack hasn’t said it, as Slack itself shows them: that notifies nobody but whoever asked. */
function shownAs(name: string, id: string | undefined): string {
  return name === id && /^\w+$/.test(id) ? `<@${id}>` : `*${escapeMrkdwn(name)}*`;
}

/** Whose message the command is about, with a link to it. */
function aboutLink(values: AnyValues, locale: Locale): string {
  const message = messageItIsAbout(values);
  if (!message) return '';
  const text = escapeMrkdwn(words(locale).aboutMessage(message.author)).replaceAll('|', '¦');
  return message.link === undefined ? text : `<${escapeMrkdwn(message.link)}|${text}>`;
}
