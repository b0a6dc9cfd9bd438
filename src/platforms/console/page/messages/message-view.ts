import type { WireButton, WireCommand, WireMessage, WireThread } from '../../api/wire.ts';
import { confirmAction } from '../elements/dialogs.ts';
import { button, element, icon, iconButton, iconOf } from '../elements/dom.ts';
import { formatDateTime, formatTime, strings } from '../words/index.ts';
import { attachment } from './attachment.ts';
import { showRichText } from './rich-text.ts';

/** Actions of a message. */
export interface MessageContext {
  /** Presses a button; resolves when it can be pressed again, with a refusal to show if there is one. */
  press(message: WireMessage, pressed: WireButton): Promise<Node | undefined>;
  openThread(id: string): void;
  /** The commands in the menu of every message. */
  readonly menu: readonly { readonly label: string; readonly action: string }[];
  /** Lets the person write a reply. */
  reply(message: WireMessage): void;
}

/** How a message is displayed, which depends on its neighbours. */
interface MessageDisplay {
  /** The message above is recent and by the same author: name and avatar are hidden. */
  readonly grouped: boolean;
  /** It quotes the message right above: the quote is hidden. */
  readonly quotesAbove: boolean;
  readonly thread: WireThread | undefined;
}

/** The view of one message. An update changes only what is different. */
export class MessageView {
  readonly node: HTMLElement;
  readonly #context: MessageContext;
  readonly #body = element('div', { class: 'body' });
  readonly #files = element('div', { class: 'files' });
  readonly #buttons = element('div', { class: 'buttons' });
  readonly #refusal = element('div', { class: 'refusal', role: 'alert' });
  readonly #thread = element('div', { class: 'thread-place' });
  #message: WireMessage;
  #display: MessageDisplay | undefined;
  #shown: { files?: string; buttons?: string; thread?: WireThread | undefined; link?: string | undefined } =
    {};

  constructor(message: WireMessage, display: MessageDisplay, context: MessageContext) {
    this.#message = message;
    this.#context = context;
    const you = message.author === 'you';
    const name = you ? strings.you : strings.bot;
    const time = element(
      'time',
      { datetime: new Date(message.at).toISOString(), title: formatDateTime(message.at) },
      formatTime(message.at),
    );
    const notes = element(
      'span',
      { class: 'notes' },
      message.private && element('span', { class: 'note' }, icon('lock'), strings.onlyYou),
      message.mention && element('span', { class: 'note note-mention' }, strings.forYou),
    );
    this.node = element(
      'article',
      {
        class: `message by-${message.author}`,
        'data-message': message.id,
        'aria-label': `${name}, ${formatTime(message.at)}`,
      },
      element('div', { class: 'avatar', 'aria-hidden': 'true' }),
      element('header', {}, element('span', { class: 'name' }, name), time, notes),
      message.persona !== undefined && element('div', { class: 'persona' }, message.persona),
      this.#body,
      this.#files,
      this.#buttons,
      this.#refusal,
      this.#thread,
      this.#menu(),
      iconButton('reply', strings.reply, () => this.#context.reply(this.#message), {
        class: 'icon-button reply',
        title: strings.reply,
      }),
    );
    this.update(message, display);
  }

  update(message: WireMessage, display: MessageDisplay): void {
    if (message === this.#message && sameDisplay(display, this.#display)) return;
    this.#message = message;
    this.#display = display;
    this.node.classList.toggle('grouped', display.grouped);
    this.node.classList.toggle('growing', message.isDraft === true);
    this.node.classList.toggle('private', message.private === true);
    // Screen readers wait for the complete answer.
    this.node.setAttribute('aria-busy', String(message.isDraft === true));
    if (message.command) this.#showCommand(message);
    else showRichText(this.#body, display.quotesAbove ? message.body.slice(1) : message.body);
    this.#showFiles(message);
    this.#showButtons(message.buttons);
    this.#showThread(display.thread);
  }

  #showCommand({ command, repliesTo }: WireMessage): void {
    if (!command || this.#body.hasChildNodes()) return;
    if (repliesTo !== undefined)
      this.#body.append(element('p', { class: 'replies-to' }, icon('reply'), element('span', {}, repliesTo)));
    this.#body.append(sentCommand(command));
  }

  /** Commands that begin from this message. */
  #menu(): HTMLElement {
    const menu = element('details', { class: 'message-menu' });
    const entries = this.#context.menu.map(({ label, action }) => {
      const choose = () => {
        menu.removeAttribute('open');
        void this.#press({ id: action, label, style: 'plain' }, node);
      };
      const node: HTMLButtonElement = button({ class: 'action action-plain' }, choose, label);
      return node;
    });
    const sign = element(
      'summary',
      { class: 'icon-button', 'aria-label': strings.messageMenu, title: strings.messageMenu },
      icon('more'),
    );
    menu.append(sign, element('div', { class: 'message-menu-entries' }, ...entries));
    return menu;
  }

  #showFiles(message: WireMessage): void {
    const files = message.files.map((file) => file.id).join(' ');
    if (this.#shown.files === files && this.#shown.link === message.link) return;
    this.#shown = { ...this.#shown, files, link: message.link };
    this.#files.replaceChildren(...message.files.map(attachment));
    if (message.link !== undefined && /^https?:\/\//i.test(message.link))
      this.#files.append(linkTo(message.link));
    if (message.spoiler && this.#files.hasChildNodes()) hide(this.#files);
  }

  #showButtons(buttons: readonly WireButton[]): void {
    const shown = JSON.stringify(buttons);
    if (this.#shown.buttons === shown) return;
    this.#shown = { ...this.#shown, buttons: shown };
    this.#refusal.replaceChildren();
    this.#buttons.replaceChildren(
      ...rowsOf(buttons).map((row) =>
        element('div', { class: 'button-row' }, ...row.map((one) => this.#buttonFor(one))),
      ),
    );
  }

  #buttonFor(one: WireButton): HTMLButtonElement {
    const node = button(
      {
        class: `action action-${one.style}`,
        ...(one.description !== undefined && { title: one.description, 'aria-label': one.description }),
      },
      () => this.#pressOrAsk(one, node),
      one.label,
    );
    return node;
  }

  /** What can’t be taken back is asked about first. */
  #pressOrAsk(one: WireButton, node: HTMLButtonElement): void {
    const press = async () => void this.#press(one, node);
    if (one.confirm) confirmAction(one.label, one.confirm.question, one.confirm.yes, press);
    else void press();
  }

  #showThread(thread: WireThread | undefined): void {
    if (this.#shown.thread === thread) return;
    this.#shown = { ...this.#shown, thread };
    this.#thread.replaceChildren();
    if (!thread) return;
    this.#thread.append(
      button(
        { class: 'thread-card' },
        () => this.#context.openThread(thread.id),
        icon('thread'),
        element('span', { class: 'thread-name' }, thread.name),
        element('span', { class: 'thread-count' }, strings.messagesIn(thread.messages)),
        element('span', { class: 'thread-preview' }, thread.preview),
      ),
    );
  }

  async #press(pressed: WireButton, node: HTMLButtonElement): Promise<void> {
    node.setAttribute('aria-disabled', 'true');
    node.classList.add('busy');
    this.#refusal.replaceChildren();
    const refusal = await this.#context.press(this.#message, pressed);
    if (refusal) this.#refusal.append(refusal);
    node.removeAttribute('aria-disabled');
    node.classList.remove('busy');
  }
}

function rowsOf(buttons: readonly WireButton[]): readonly (readonly WireButton[])[] {
  const rows = Map.groupBy(buttons, ({ row = 0 }) => row);
  return [...rows].sort(([one], [other]) => one - other).map(([, row]) => row);
}

function sameDisplay(one: MessageDisplay, other: MessageDisplay | undefined): boolean {
  return (
    one.grouped === other?.grouped && one.quotesAbove === other.quotesAbove && one.thread === other.thread
  );
}

/** Covers files until they're clicked. */
function hide(files: HTMLElement): void {
  const hidden = [...files.children].filter((child) => child instanceof HTMLElement);
  for (const one of hidden) one.inert = true;
  const reveal = button(
    { class: 'reveal' },
    () => {
      for (const one of hidden) one.inert = false;
      files.classList.remove('hidden-files');
      reveal.remove();
    },
    strings.reveal,
  );
  files.classList.add('hidden-files');
  files.append(reveal);
}

function linkTo(address: string): HTMLElement {
  return element(
    'a',
    { class: 'saved-file', href: address, target: '_blank', rel: 'noopener noreferrer nofollow' },
    icon('download'),
    element('span', { class: 'file-name' }, strings.result),
    element('span', { class: 'file-size' }, new URL(address).host),
  );
}

/** Characters and lines of a person's text that are shown before “Show all”. */
const shownCharacters = 900;
const shownLines = 12;

/** Shows a sent command: plain text for a question, the name and options for others. */
function sentCommand(command: WireCommand): HTMLElement {
  const plain = command.name === 'ask' && command.options.length === 0;
  const node = element('div', { class: 'given', 'data-command': command.name });
  if (!plain) {
    node.append(element('span', { class: 'given-name' }, iconOf(command.name), `/${command.name}`));
  }
  if (command.text !== '') node.append(textOf(command.text));
  if (command.options.length > 0) {
    const options = command.options.map(({ name, value }) =>
      element('span', { class: 'given-option' }, element('span', {}, name), ` ${value}`),
    );
    node.append(element('span', { class: 'given-options' }, ...options));
  }
  return node;
}

function textOf(text: string): HTMLElement {
  const cut = Math.min(shownCharacters, endOfLine(text, shownLines));
  const node = element('span', { class: 'given-text' });
  if (cut >= text.length) {
    node.textContent = text;
    return node;
  }
  const all = button({ class: 'show-all' }, () => node.replaceChildren(text), strings.showAll);
  node.append(`${text.slice(0, cut).trimEnd()}… `, all);
  return node;
}

/** The index where line number `lines` ends. */
function endOfLine(text: string, lines: number): number {
  let at = -1;
  for (let line = 0; line < lines; line++) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return text.length;
  }
  return at;
}
