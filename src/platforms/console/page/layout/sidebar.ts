import type { WireChannel, WireThread } from '../../api/wire.ts';
import { createChannel, logOut, removeChannel, renameChannel } from '../api.ts';
import { confirmAction, promptForName } from '../elements/dialogs.ts';
import { button, element, icon, iconButton } from '../elements/dom.ts';
import { controlRoute, currentRoute, goTo, type Model } from '../model.ts';
import { locale, say, strings, switchLocale } from '../words/index.ts';

/** Threads shown under a channel, newest first. */
const shownThreads = 8;

/** The sidebar: channels with their threads, language, log-out. */
export class Sidebar {
  readonly node: HTMLElement;
  readonly #model: Model;
  readonly #list = element('ul', { class: 'channels' });
  readonly #onChoice: () => void;
  readonly #control: HTMLElement;

  constructor(model: Model, onChoice: () => void) {
    this.#model = model;
    this.#onChoice = onChoice;
    this.#control = element(
      'a',
      { class: 'place control-link', href: `#${controlRoute}`, on: { click: () => this.#onChoice() } },
      icon('gauge'),
      element('span', { class: 'place-name' }, say.open),
    );
    const title = strings.newChannel;
    const create = iconButton('plus', title, () => this.#create(), { title });
    this.node = element(
      'nav',
      { class: 'sidebar', 'aria-label': strings.channels },
      element('div', { class: 'brand' }, element('span', { class: 'mark', 'aria-hidden': 'true' }), 'troupe'),
      element('div', { class: 'channels-head' }, element('h2', {}, strings.channels), create),
      this.#list,
      model.hasControlRoom && this.#control,
      this.#foot(),
    );
  }

  show(): void {
    const { channel, thread } = currentRoute();
    if (channel === controlRoute) this.#control.setAttribute('aria-current', 'page');
    else this.#control.removeAttribute('aria-current');
    const newestFirst = [...this.#model.threads.values()].sort((one, other) => other.message - one.message);
    const items = [...this.#model.channels.values()].map((one) => {
      const threads = newestFirst.filter((each) => each.channel === one.id).slice(0, shownThreads);
      return element(
        'li',
        {},
        this.#channel(one, one.id === channel && thread === undefined),
        threads.length > 0 &&
          element(
            'ul',
            { class: 'threads' },
            ...threads.map((each) => this.#thread(each, each.id === thread)),
          ),
      );
    });
    const focused = this.#list.contains(document.activeElement) ? document.activeElement?.id : undefined;
    this.#list.replaceChildren(...items);
    if (focused) document.getElementById(focused)?.focus();
  }

  #channel(channel: WireChannel, current: boolean): HTMLElement {
    return element(
      'div',
      { class: 'place-row' },
      this.#link(channel.id, `#${channel.id}`, current, icon('hash'), channel.name),
      iconButton('more', strings.more(channel.name), () => this.#menu(channel), {
        class: 'icon-button more',
        id: `more-${channel.id}`,
        'aria-haspopup': 'menu',
      }),
    );
  }

  #thread(thread: WireThread, current: boolean): HTMLElement {
    return element(
      'li',
      {},
      this.#link(thread.id, `#${thread.channel}/${thread.id}`, current, icon('thread'), thread.name),
    );
  }

  #link(place: string, address: string, current: boolean, sign: Node, name: string): HTMLElement {
    const unread = this.#model.unread.get(place) ?? 0;
    return element(
      'a',
      {
        id: `place-${place}`,
        class: `place${unread > 0 ? ' place-unread' : ''}`,
        href: address,
        title: name,
        'aria-current': current && 'page',
        on: { click: () => this.#onChoice() },
      },
      sign,
      element('span', { class: 'place-name' }, name),
      unread > 0 &&
        element('span', { class: 'unread', 'aria-label': `${unread} ${strings.unread}` }, String(unread)),
    );
  }

  #menu(channel: WireChannel): void {
    const row = document.getElementById(`more-${channel.id}`);
    const rename = button({ role: 'menuitem' }, () => this.#rename(channel), strings.rename);
    const remove = button(
      { role: 'menuitem', class: 'menu-danger' },
      () => this.#remove(channel),
      strings.remove,
    );
    const menu = element('div', { class: 'menu', role: 'menu', popover: 'auto' }, rename, remove);
    menu.addEventListener('click', () => menu.hidePopover());
    menu.addEventListener('keydown', ({ key }) => {
      if (key === 'ArrowDown') remove.focus();
      if (key === 'ArrowUp') rename.focus();
    });
    menu.addEventListener('toggle', (event) => {
      if ((event as ToggleEvent).newState === 'closed') menu.remove();
    });
    row?.after(menu);
    const place = row?.getBoundingClientRect();
    menu.style.top = `${(place?.bottom ?? 0) + 4}px`;
    menu.style.left = `${place?.left ?? 0}px`;
    menu.showPopover();
    rename.focus();
  }

  #create(): void {
    promptForName(strings.newChannel, '', strings.create, async (name) => {
      const { id } = await createChannel(name);
      this.#model.addChannel(id, name);
      goTo(id);
      this.#onChoice();
    });
  }

  #rename(channel: WireChannel): void {
    promptForName(strings.rename, channel.name, strings.save, (name) => renameChannel(channel.id, name));
  }

  #remove(channel: WireChannel): void {
    confirmAction(strings.removeChannel(channel.name), strings.removeChannelDetail, strings.remove, () =>
      removeChannel(channel.id),
    );
  }

  #foot(): HTMLElement {
    const language = (to: 'en' | 'zh-CN', label: string) =>
      button({ lang: to, 'aria-pressed': String(locale === to) }, () => switchLocale(to), label);
    const leave = button(
      { class: 'log-out' },
      () => void logOut().finally(() => location.reload()),
      strings.logOut,
    );
    return element(
      'div',
      { class: 'sidebar-foot' },
      element(
        'div',
        { class: 'languages', role: 'group', 'aria-label': strings.language },
        language('en', 'English'),
        language('zh-CN', '中文'),
      ),
      this.#model.loggedIn && leave,
    );
  }
}
