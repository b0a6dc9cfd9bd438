import type { RichNode, WireMessage } from '../../api/wire.ts';
import { button, element, icon } from '../elements/dom.ts';
import type { Model } from '../model.ts';
import { formatDay, sameDay, strings } from '../words/index.ts';
import { type MessageContext, MessageView } from './message-view.ts';

/** Distance to the end that counts as at the end, and to the beginning that loads older messages, in pixels. */
const nearEnd = 60;
const nearBeginning = 500;
/** Messages of the same author within this time are grouped, in milliseconds. */
const groupedWithin = 5 * 60_000;
/** Messages kept while scrolled to the end; older ones are fetched again when scrolling up. */
const keptAtEnd = 200;

/** The message list of one place. It sticks to the end when scrolled there, else it keeps its position. */
export class MessageList {
  readonly node: HTMLElement;
  readonly #model: Model;
  readonly #place: string;
  readonly #context: MessageContext;
  readonly #empty: () => Node;
  readonly #log = element('div', { class: 'log', role: 'log', 'aria-live': 'off' });
  readonly #top = element('div', { class: 'log-top' });
  readonly #working = element('div', { class: 'working', role: 'status' });
  readonly #jump: HTMLButtonElement;
  readonly #views = new Map<number, MessageView>();
  readonly #stopWatching: () => void;
  #atEnd = true;
  #loadingOlder = false;
  #newBelow = 0;

  constructor(model: Model, place: string, context: MessageContext, empty: () => Node) {
    this.#model = model;
    this.#place = place;
    this.#context = context;
    this.#empty = empty;
    this.#jump = button(
      { class: 'jump', hidden: true },
      () => this.toEnd(),
      icon('down'),
      element('span', {}, strings.newest),
    );
    const content = element('div', { class: 'log-content' }, this.#top, this.#log, this.#working);
    this.node = element('div', { class: 'messages', tabindex: -1 }, content);
    this.node.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    const resized = new ResizeObserver(() => this.#stick());
    resized.observe(content);
    resized.observe(this.node);
    this.#stopWatching = () => resized.disconnect();
  }

  /** The button to the newest messages, outside the scrolling element. */
  get jump(): HTMLElement {
    return this.#jump;
  }

  close(): void {
    this.#stopWatching();
  }

  /** Shows the current messages. */
  show(): void {
    const held = this.#model.messages(this.#place);
    if (!held.loaded) return;
    if (this.#atEnd) held.keepNewest(keptAtEnd);
    this.#showMessages(held.all);
    this.#top.replaceChildren(
      held.all.length === 0
        ? this.#empty()
        : held.more
          ? strings.loadingOlder
          : element('p', { class: 'beginning' }, strings.beginning),
    );
    this.#stick();
  }

  /** Shows whether troupe is working here. */
  showWorking(): void {
    const working = this.#model.working.has(this.#place);
    if (working === this.#working.hasChildNodes()) return;
    if (!working) this.#working.replaceChildren();
    else this.#working.append(element('span', { class: 'dots', 'aria-hidden': 'true' }), strings.working);
    this.#stick();
  }

  /** Counts a new message while scrolled up. */
  noteNew(): void {
    if (this.#atEnd) return;
    this.#newBelow++;
    this.#showJump();
  }

  toEnd(): void {
    this.#atEnd = true;
    this.#stick();
    this.#showJump();
  }

  #showMessages(messages: readonly WireMessage[]): void {
    const ids = new Set(messages.map((message) => message.id));
    for (const [id, view] of this.#views) {
      if (ids.has(id)) continue;
      view.node.remove();
      this.#views.delete(id);
    }
    const wanted: Node[] = [];
    let before: WireMessage | undefined;
    for (const message of messages) {
      if (!before || !sameDay(before.at, message.at)) wanted.push(this.#divider(message));
      wanted.push(this.#viewOf(message, before).node);
      before = message;
    }
    arrange(this.#log, wanted);
  }

  #viewOf(message: WireMessage, before: WireMessage | undefined): MessageView {
    const display = {
      grouped: isGrouped(message, before),
      quotesAbove: quotes(message, before?.command?.text),
      thread: this.#model.threadUnder(message.id),
    };
    const there = this.#views.get(message.id);
    if (there) {
      there.update(message, display);
      return there;
    }
    const made = new MessageView(message, display, this.#context);
    this.#views.set(message.id, made);
    return made;
  }

  #divider(message: WireMessage): Node {
    const day = formatDay(message.at);
    for (const there of this.#log.querySelectorAll<HTMLElement>('.day')) {
      if (there.dataset.before === String(message.id) && there.textContent === day) return there;
    }
    return element('div', { class: 'day', 'data-before': message.id }, element('span', {}, day));
  }

  #scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.node;
    this.#atEnd = scrollHeight - scrollTop - clientHeight < nearEnd;
    if (this.#atEnd) this.#newBelow = 0;
    this.#showJump();
    if (scrollTop < nearBeginning) void this.#loadOlder();
  }

  #stick(): void {
    // The welcome screen starts at its top.
    if (this.#views.size === 0) this.node.scrollTop = 0;
    else if (this.#atEnd) this.node.scrollTop = this.node.scrollHeight;
  }

  #showJump(): void {
    this.#jump.hidden = this.#atEnd;
    const label = this.#jump.lastElementChild;
    if (label) label.textContent = this.#newBelow > 0 ? strings.newMessages(this.#newBelow) : strings.newest;
  }

  async #loadOlder(): Promise<void> {
    const held = this.#model.messages(this.#place);
    if (this.#loadingOlder || !held.loaded || !held.more) return;
    this.#loadingOlder = true;
    // Keep the distance to the end, so the visible messages don't move.
    const toEnd = this.node.scrollHeight - this.node.scrollTop;
    try {
      await this.#model.loadOlder(this.#place);
      this.node.scrollTop = this.node.scrollHeight - toEnd;
    } catch {
      // The next scroll retries; the banner shows a lost connection.
    } finally {
      this.#loadingOlder = false;
    }
  }
}

function isGrouped(message: WireMessage, before: WireMessage | undefined): boolean {
  return (
    before !== undefined &&
    before.author === message.author &&
    before.private === message.private &&
    !message.mention &&
    message.at - before.at < groupedWithin &&
    sameDay(before.at, message.at)
  );
}

/** Whether a message starts with a quote of this text. */
function quotes({ body: [first] }: WireMessage, words: string | undefined): boolean {
  if (words === undefined || typeof first !== 'object' || first.tag !== 'blockquote') return false;
  const onOneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
  return onOneLine(textOf(first)) === onOneLine(words);
}

function textOf(node: RichNode): string {
  if (typeof node === 'string') return node;
  return node.tag === 'br' ? '\n' : node.children.map(textOf).join('');
}

/** Sets the children of `parent`, without moving nodes that are already in place. */
function arrange(parent: Element, wanted: readonly Node[]): void {
  let next: ChildNode | null = parent.firstChild;
  for (const node of wanted) {
    if (node === next) next = next.nextSibling;
    else parent.insertBefore(node, next);
  }
  while (next) {
    const after: ChildNode | null = next.nextSibling;
    next.remove();
    next = after;
  }
}
