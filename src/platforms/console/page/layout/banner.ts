import { button, element } from '../elements/dom.ts';
import type { Connection } from '../live-updates.ts';
import { strings } from '../words/index.ts';

/** How long “Connected again” is shown, in milliseconds. */
const restoredDuration = 2_500;

/** The banner about a lost or restored connection. */
export class Banner {
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
