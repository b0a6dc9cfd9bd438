import type { WireCommandDefinition, WireMessage } from '../../api/wire.ts';
import { button, element, icon, iconOf } from '../elements/dom.ts';
import { strings } from '../words/index.ts';

export interface ComposerToolsDependencies {
  readonly commands: readonly WireCommandDefinition[];
  openForm(command: WireCommandDefinition): void;
  addFiles(files: Iterable<File>): void;
}

/** The toolbar below the input: attach files, open a command's form, send. */
export function composerTools({ commands, openForm, addFiles }: ComposerToolsDependencies): HTMLElement {
  const picker = element('input', { type: 'file', multiple: true, hidden: true });
  picker.addEventListener('change', () => {
    addFiles([...(picker.files ?? [])]);
    picker.value = '';
  });
  const attach = button(
    { class: 'icon-button', 'aria-label': strings.attach, title: strings.attach },
    () => picker.click(),
    icon('attach'),
  );
  const talents = commands.filter(({ name }) => name in strings.talents);
  const send = element(
    'button',
    { class: 'send', 'aria-label': strings.send, title: strings.send },
    icon('send'),
  );
  return element(
    'div',
    { class: 'tools' },
    attach,
    picker,
    ...talents.map((command) => formButton(command, openForm)),
    element('span', { class: 'tools-space' }),
    send,
  );
}

function formButton(
  command: WireCommandDefinition,
  openForm: (command: WireCommandDefinition) => void,
): HTMLElement {
  const { title } = strings.talents[command.name as keyof typeof strings.talents];
  const label = strings.openForm(command.name);
  return button(
    { class: 'tool', 'data-command': command.name, 'aria-label': label, title: label },
    () => openForm(command),
    iconOf(command.name),
    element('span', {}, title),
  );
}

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
