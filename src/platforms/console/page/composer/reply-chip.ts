import type { WireMessage } from '../../api/wire.ts';
import { button, element } from '../elements/dom.ts';
import { icon } from '../elements/icons.ts';
import { strings } from '../words/index.ts';

/** Characters of the message that are shown. */
const shownCharacters = 120;

/** The message that the next question replies to, above the input; nothing where there is none. */
export class ReplyChip {
  readonly node = element('div', { class: 'reply-chip', hidden: true });
  #message: number | undefined;

  /** Its id. */
  get message(): number | undefined {
    return this.#message;
  }

  show(message: WireMessage): void {
    this.#message = message.id;
    const shown = document.querySelector(`[data-message="${message.id}"] .body`);
    const files = message.files.map(({ description, name }) => description || name);
    const text = [shown?.textContent ?? '', ...files].join(' ').replace(/\s+/g, ' ').trim();
    this.node.replaceChildren(
      icon('reply'),
      element('span', {}, strings.replyingTo(text.slice(0, shownCharacters))),
      button(
        { class: 'icon-button', 'aria-label': strings.noReply, title: strings.noReply },
        () => this.clear(),
        icon('close'),
      ),
    );
    this.node.hidden = false;
  }

  clear(): void {
    this.#message = undefined;
    this.node.hidden = true;
    this.node.replaceChildren();
  }
}
