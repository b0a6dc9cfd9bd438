import { button, element } from '../dom.ts';
import type { Connection } from '../live.ts';
import { say } from '../words/index.ts';

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
    if (connection === 'lost') this.node.append(say.lost);
    if (connection === 'session-over') this.node.append(say.sessionOver, reload());
    if (connection === 'outdated') this.node.append(say.outdated, reload());
    if (connection !== 'open' || !wasLost) return;
    this.node.append(say.restored);
    this.#hide = setTimeout(() => this.node.replaceChildren(), restoredDuration);
  }
}

function reload(): HTMLElement {
  return button({ class: 'action' }, () => location.reload(), say.reload);
}
