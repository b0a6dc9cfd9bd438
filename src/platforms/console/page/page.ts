import type { WireMessage } from '../api/wire.ts';
import { ControlView } from './control/control-view.ts';
import { button, element } from './elements/dom.ts';
import { ChannelView } from './layout/channel-view.ts';
import { Sidebar } from './layout/sidebar.ts';
import type { Connection } from './live-updates.ts';
import { Sender } from './messages/sender.ts';
import { controlRoute, currentRoute, goTo, type Model, type ModelEvent, onRoute } from './model.ts';
import { say, strings } from './words/index.ts';

/** Characters of an answer announced to screen readers. */
const announcedCharacters = 400;
/** From this width, a new thread opens next to its channel; the same as in the style sheet. */
const wide = '(min-width: 1100px)';

/** The whole page: sidebar, the open channel, and the open thread next to it. */
export class Page {
  readonly node: HTMLElement;
  readonly #model: Model;
  readonly #sender = new Sender();
  readonly #sidebar: Sidebar;
  readonly #banner = new Banner();
  readonly #main = element('main', { class: 'main' });
  readonly #announcements = element('div', { class: 'visually-hidden', role: 'status' });
  #channel: ChannelView | undefined;
  #thread: ChannelView | undefined;
  #control: ControlView | undefined;

  constructor(model: Model) {
    this.#model = model;
    this.#sidebar = new Sidebar(model, () => this.#showSidebar(false));
    const veil = element('div', { class: 'veil', on: { click: () => this.#showSidebar(false) } });
    this.node = element(
      'div',
      { class: 'page' },
      this.#sidebar.node,
      veil,
      this.#main,
      this.#banner.node,
      this.#announcements,
    );
    model.subscribe((event) => this.#onModelEvent(event));
    onRoute(() => this.#show());
    document.addEventListener('visibilitychange', () => this.#markRead());
    document.addEventListener('keydown', (event) => this.#key(event));
    this.#show();
  }

  showConnection(connection: Connection): void {
    this.#banner.show(connection);
  }

  #onModelEvent(event: ModelEvent): void {
    if (event.kind === 'places') this.#show();
    if (event.kind === 'new') this.#noteNew(event.message);
    if (event.kind !== 'thread') return;
    const { channel, thread } = currentRoute();
    const isHere = event.thread.channel === channel && thread === undefined;
    if (!isHere || !matchMedia(wide).matches) return;
    const writing = document.activeElement;
    goTo(event.thread.channel, event.thread.id);
    // It opened by itself, so the focus stays where the person is writing.
    if (writing instanceof HTMLElement) writing.focus({ preventScroll: true });
  }

  #show(): void {
    const { channel, thread } = currentRoute();
    const [first] = this.#model.channels.keys();
    if (first === undefined) return;
    if (channel === controlRoute && this.#model.hasControlRoom) return this.#showControl();
    this.#control?.close();
    this.#control = undefined;
    if (channel === undefined || !this.#model.channels.has(channel)) goTo(first, undefined, true);
    else if (thread !== undefined && !this.#model.threads.has(thread)) goTo(channel, undefined, true);
    else this.#showPlaces(channel, thread);
  }

  #showControl(): void {
    this.#channel = this.#open(this.#channel, undefined);
    this.#thread = this.#open(this.#thread, undefined);
    this.#main.classList.remove('with-thread');
    if (!this.#control) {
      this.#control = new ControlView(() => this.#showSidebar(true));
      this.#main.append(this.#control.node);
    }
    this.#sidebar.show();
    this.#showTitle();
  }

  #showPlaces(channel: string, thread: string | undefined): void {
    const hadThread = this.#thread !== undefined;
    this.#channel = this.#open(this.#channel, channel);
    this.#thread = this.#open(this.#thread, thread);
    this.#main.classList.toggle('with-thread', this.#thread !== undefined);
    if (hadThread && !this.#thread) this.#channel?.focus();
    this.#sidebar.show();
    this.#markRead();
    this.#showTitle();
  }

  #open(shown: ChannelView | undefined, id: string | undefined): ChannelView | undefined {
    if (shown?.place === id) return shown;
    shown?.close();
    if (id === undefined) return undefined;
    const view = new ChannelView({
      model: this.#model,
      sender: this.#sender,
      place: id,
      onMenu: () => this.#showSidebar(true),
    });
    // The channel comes before its thread, whichever opened first.
    if (this.#model.threads.has(id)) this.#main.append(view.node);
    else this.#main.prepend(view.node);
    if (matchMedia('(hover: hover)').matches) view.focus();
    return view;
  }

  #noteNew(message: WireMessage): void {
    if (message.author === 'you') return;
    const isSeen = document.visibilityState === 'visible' && this.#isShown(message.place);
    if (!isSeen) this.#model.markUnread(message.place, true);
    this.#showTitle();
    this.#announce(message);
  }

  /** Announces an answer to screen readers once it is complete. */
  #announce(message: WireMessage): void {
    if (!this.#isShown(message.place)) return;
    const stop = this.#model.subscribe((event) => {
      if (event.kind === 'messages' && event.place === message.place) attempt();
    });
    const attempt = () => {
      const now = this.#model.messages(message.place).find(message.id);
      if (now?.isDraft) return;
      stop();
      const shown = document.querySelector(`[data-message="${message.id}"] .body`);
      const words = shown?.textContent?.slice(0, announcedCharacters) ?? '';
      const files = now?.files.map((file) => file.description).join('. ') ?? '';
      this.#announcements.textContent = strings.answered(`${words} ${files}`.trim());
    };
    queueMicrotask(attempt);
  }

  #isShown(place: string): boolean {
    return place === this.#channel?.place || place === this.#thread?.place;
  }

  #markRead(): void {
    if (document.visibilityState === 'hidden') return;
    for (const shown of [this.#channel, this.#thread]) if (shown) this.#model.markUnread(shown.place, false);
    this.#showTitle();
  }

  #showTitle(): void {
    const unread = [...this.#model.unread.values()].reduce((sum, count) => sum + count, 0);
    const place = this.#model.place(this.#thread?.place ?? this.#channel?.place ?? '')?.name;
    const name = this.#control ? say.title : place;
    document.title = `${unread > 0 ? `(${unread}) ` : ''}${name ? `${name} · ` : ''}troupe`;
  }

  #showSidebar(shown: boolean): void {
    this.node.classList.toggle('sidebar-open', shown);
    if (shown) this.#sidebar.node.querySelector<HTMLElement>('[aria-current], a')?.focus();
  }

  #key(event: KeyboardEvent): void {
    if (document.querySelector('dialog[open]')) return;
    if (event.key === 'Escape' && this.node.classList.contains('sidebar-open')) this.#showSidebar(false);
    const typing = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
    if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    // What has the focus when the key is handled gets the character: it begins a command, wherever it's typed.
    (this.#thread ?? this.#channel)?.focus();
  }
}

/** How long “Connected again” is shown, in milliseconds. */
const restoredDuration = 2_500;

/** The banner about a lost or restored connection. */
class Banner {
  readonly node = element('div', { class: 'banner', role: 'status' });
  #shown: Connection = 'open';
  #hide: number | undefined;

  show(connection: Connection): void {
    if (connection === this.#shown) return;
    const wasLost = this.#shown === 'lost';
    this.#shown = connection;
    clearTimeout(this.#hide);
    this.node.className = `banner banner-${connection}`;
    this.node.replaceChildren();
    if (connection === 'lost') this.node.append(strings.lost);
    if (connection === 'session-over') this.node.append(strings.sessionOver, reload());
    if (connection === 'outdated') this.node.append(strings.outdated, reload());
    if (connection !== 'open' || !wasLost) return;
    this.node.append(strings.restored);
    this.#hide = setTimeout(() => this.node.replaceChildren(), restoredDuration);
  }
}

function reload(): HTMLElement {
  return button({ class: 'action' }, () => location.reload(), strings.reload);
}
