import type { WireButton, WireMessage } from '../../api/wire.ts';
import { openCommandForm } from '../composer/command-form.ts';
import { Composer } from '../composer/composer.ts';
import { button, element, icon, iconButton, iconOf } from '../elements/dom.ts';
import { MessageList } from '../messages/message-list.ts';
import type { Sender, SendResult } from '../messages/sender.ts';
import { goTo, type Model, type ModelEvent } from '../model.ts';
import { strings } from '../words/index.ts';

interface ChannelViewDependencies {
  readonly model: Model;
  readonly sender: Sender;
  readonly place: string;
  readonly onMenu: () => void;
}

/** The view of a channel or thread: title, messages and message box. */
export class ChannelView {
  readonly node: HTMLElement;
  /** The channel's or the thread's id. */
  readonly place: string;
  readonly #dependencies: ChannelViewDependencies;
  readonly #title = element('h1', { class: 'place-title' });
  readonly #list: MessageList;
  readonly #composer: Composer;
  readonly #stopListening: () => void;
  #dragging = 0;

  constructor(dependencies: ChannelViewDependencies) {
    this.#dependencies = dependencies;
    const { model, sender, place } = dependencies;
    this.place = place;
    const isThread = model.threads.has(place);
    const context = {
      press: (message: WireMessage, pressed: WireButton) => this.#press(message, pressed),
      menu: model.commands.flatMap(({ fromMessage }) => fromMessage ?? []),
      openThread: (thread: string) => goTo(this.#channel, thread),
      reply: (message: WireMessage) => this.#composer.replyTo(message),
    };
    const empty = () =>
      isThread
        ? element('p', { class: 'beginning' }, strings.noMessages)
        : welcome(model, (line) => this.#composer.write(line));
    this.#list = new MessageList(model, place, context, empty);
    const placeholder = isThread ? strings.placeholderThread : strings.placeholder;
    this.#composer = new Composer({ model, sender, place, placeholder, onSent: () => this.#list.toEnd() });
    this.node = element(
      'section',
      { class: `place-view ${isThread ? 'in-thread' : 'in-channel'}` },
      this.#head(isThread),
      element('div', { class: 'messages-area' }, this.#list.node, this.#list.jump),
      this.#composer.node,
      element('div', { class: 'drop-veil', 'aria-hidden': 'true' }, strings.dropHere),
    );
    this.#listenToDrops();
    this.#stopListening = model.subscribe((event) => this.#onModelEvent(event));
    this.#show();
    void model.load(place).catch(() => {});
  }

  focus(): void {
    this.#composer.focus();
  }

  close(): void {
    this.#stopListening();
    this.#list.close();
    this.node.remove();
  }

  get #channel(): string {
    return this.#dependencies.model.place(this.place)?.channel.id ?? this.place;
  }

  #head(isThread: boolean): HTMLElement {
    const menu = iconButton('menu', strings.openChannels, this.#dependencies.onMenu, {
      class: 'icon-button open-sidebar',
    });
    const close = iconButton('close', strings.closeThread, () => goTo(this.#channel), {
      class: 'icon-button close-thread',
      title: strings.closeThread,
    });
    return element('header', { class: 'place-head' }, !isThread && menu, this.#title, isThread && close);
  }

  #onModelEvent(event: ModelEvent): void {
    const { place } = this;
    const { model } = this.#dependencies;
    if (event.kind === 'places') this.#showTitle();
    if (event.kind === 'working') this.#list.showWorking();
    if (event.kind === 'new' && event.message.place === place) this.#list.noteNew();
    if (event.kind !== 'messages' || event.place !== place) return;
    if (model.messages(place).loaded) this.#list.show();
    else void model.load(place).catch(() => {});
  }

  #show(): void {
    this.#showTitle();
    this.#list.show();
    this.#list.showWorking();
  }

  #showTitle(): void {
    const info = this.#dependencies.model.place(this.place);
    if (!info) return;
    const { thread, channel } = info;
    this.#title.replaceChildren(
      icon(thread ? 'thread' : 'hash'),
      element('span', { class: 'place-title-name' }, info.name),
      thread ? element('span', { class: 'place-title-detail' }, strings.threadIn(channel.name)) : '',
    );
  }

  async #press(message: WireMessage, pressed: WireButton): Promise<Node | undefined> {
    const sent = await this.#dependencies.sender.press(message.id, pressed.id);
    if (sent.kind === 'form') this.#openForm(message, pressed, sent);
    return sent.kind === 'refused' ? sent.shown : undefined;
  }

  #openForm(
    message: WireMessage,
    pressed: WireButton,
    { form, action = pressed.id }: Extract<SendResult, { kind: 'form' }>,
  ): void {
    const { model, sender } = this.#dependencies;
    const definition = model.command(form.command);
    if (!definition) return;
    openCommandForm({
      model,
      definition,
      ...form,
      files: Object.values(form.files),
      submit: (values) => sender.press(message.id, action, values),
    });
  }

  #listenToDrops(): void {
    const { node } = this;
    const change = (by: number) => {
      this.#dragging = Math.max(0, this.#dragging + by);
      node.classList.toggle('dropping', this.#dragging > 0);
    };
    node.addEventListener('dragenter', () => change(1));
    node.addEventListener('dragleave', () => change(-1));
    node.addEventListener('dragover', (event) => event.preventDefault());
    node.addEventListener('drop', (event) => {
      event.preventDefault();
      this.#dragging = 0;
      change(0);
      if (event.dataTransfer?.files.length) this.#composer.addFiles(event.dataTransfer.files);
    });
  }
}

/** The welcome screen of an empty channel: the four talents, with examples to try. */
export function welcome(model: Model, onExample: (line: string) => void): HTMLElement {
  const talents = Object.entries(strings.talents).filter(([name]) => model.command(name));
  const cards = talents.map(([name, { title, detail }]) => {
    const examples = strings.examples[name as keyof typeof strings.examples];
    return element(
      'section',
      { class: 'talent', 'data-command': name },
      element('h2', {}, iconOf(name), title),
      element('p', {}, detail),
      ...examples.map((example) => button({ class: 'example' }, () => onExample(example), example)),
    );
  });
  return element(
    'div',
    { class: 'welcome' },
    element('span', { class: 'mark', 'aria-hidden': 'true' }),
    element('h1', {}, strings.welcome),
    element('p', {}, strings.welcomeDetail),
    element('p', { class: 'welcome-try' }, strings.tryOne),
    element('div', { class: 'talents' }, ...cards),
  );
}
