import type { WireCommandDefinition, WireMessage } from '../../api/wire.ts';
import { button, element, icon, iconButton, iconOf, newElementId } from '../elements/dom.ts';
import { filePicker, onPastedFiles, Uploads } from '../form/uploads.ts';
import { type CommandLine, plainCommand, readCommandLine, writeCommandLine } from '../input/command-line.ts';
import { Completer } from '../input/completer.ts';
import { faultText, showHighlights, showHint } from '../input/hint.ts';
import { handleKeys, InputHistory } from '../input/keys.ts';
import type { Sender } from '../messages/sender.ts';
import type { Model } from '../model.ts';
import { strings } from '../words/index.ts';
import { assignFiles, openCommandForm } from './command-form.ts';

interface ComposerDependencies {
  readonly model: Model;
  readonly sender: Sender;
  readonly place: string;
  readonly placeholder: string;
  /** Called after something was sent. */
  readonly onSent: () => void;
}

/** The message box: input, completion, highlights, hints and uploads. */
export class Composer {
  readonly node: HTMLFormElement;
  readonly #dependencies: ComposerDependencies;
  readonly #line: HTMLTextAreaElement;
  readonly #highlights = element('div', { class: 'line-behind', 'aria-hidden': 'true' });
  readonly #hint: HTMLElement;
  readonly #refusal = element('div', { class: 'refusal', role: 'alert' });
  readonly #reply = new ReplyChip();
  readonly #uploads: Uploads;
  readonly #completer: Completer;
  readonly #history = new InputHistory();
  #busy = false;

  constructor(dependencies: ComposerDependencies) {
    this.#dependencies = dependencies;
    const hintId = newElementId();
    this.#line = element('textarea', {
      class: 'line',
      rows: 1,
      'aria-label': strings.line,
      'aria-describedby': hintId,
      placeholder: dependencies.placeholder,
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
      enterkeyhint: 'send',
    });
    this.#hint = element('div', { class: 'hint', id: hintId, 'aria-live': 'polite' });
    this.#uploads = new Uploads(dependencies.model.maxUploadBytes, (sentence) =>
      this.#refusal.append(element('div', {}, sentence)),
    );
    this.#completer = new Completer(this.#line, dependencies.model, () => this.#changed());
    this.node = element(
      'form',
      { class: 'composer' },
      this.#refusal,
      this.#completer.list.node,
      element(
        'div',
        { class: 'composer-box' },
        this.#reply.node,
        this.#uploads.node,
        element('div', { class: 'line-area' }, this.#highlights, this.#line),
        composerTools({
          commands: dependencies.model.commands,
          openForm: (command) => this.#openForm(command),
          addFiles: (files) => this.addFiles(files),
        }),
      ),
      this.#hint,
    );
    this.#listen();
    this.#line.value = sessionStorage.getItem(this.#draftKey) ?? '';
    requestAnimationFrame(() => this.#changed());
  }

  focus(): void {
    this.#line.focus({ preventScroll: true });
  }

  /** Fills in a text for the person to send. */
  write(line: string): void {
    this.#line.value = line;
    this.#completer.dismiss();
    this.#changed();
    this.focus();
    this.#line.setSelectionRange(line.length, line.length);
  }

  /** What's sent next replies to a message. */
  replyTo(message: WireMessage): void {
    this.#reply.show(message);
    this.focus();
  }

  /** Adds files that were dropped or pasted. */
  addFiles(files: Iterable<File>): void {
    this.#refusal.replaceChildren();
    this.#uploads.add(files);
    this.focus();
  }

  #openForm(command: WireCommandDefinition): void {
    const { model, sender, place } = this.#dependencies;
    const read = this.#read();
    const plain = read.name === undefined && command.textOption !== undefined;
    const values =
      read.definition === command
        ? read.values
        : plain
          ? { [command.textOption ?? '']: this.#line.value.trim() }
          : {};
    openCommandForm({
      model,
      title: `/${command.name}`,
      definition: command,
      fields: command.options.map(({ name }) => name),
      values,
      files: this.#uploads.files,
      submit: (options) => sender.command(place, { command: command.name, options }, this.#reply.message),
      onSent: (typed) => {
        this.#history.add(writeCommandLine(command, typed));
        this.#sent();
      },
    });
  }

  #listen(): void {
    const line = this.#line;
    line.addEventListener('input', () => {
      this.#history.reset();
      this.#changed();
    });
    handleKeys({
      line,
      completer: this.#completer,
      history: this.#history,
      write: (recalled) => this.write(recalled),
      send: () => void this.#send(),
    });
    line.addEventListener('blur', () => this.#completer.list.hide());
    line.addEventListener('focus', () => this.#completer.update());
    line.addEventListener('scroll', () => {
      this.#highlights.scrollTop = line.scrollTop;
    });
    onPastedFiles(line, (files) => this.addFiles(files));
    document.addEventListener('selectionchange', () => {
      if (document.activeElement === line) this.#updateHints();
    });
    this.node.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#send();
    });
  }

  async #send(): Promise<void> {
    if (this.#busy) return;
    this.#setBusy(true);
    await this.#uploads.ready();
    await this.#sendLine(this.#line.value);
    this.#setBusy(false);
  }

  async #sendLine(line: string): Promise<void> {
    if (line.trim() === '' && this.#uploads.files.length === 0) return;
    const read = this.#read();
    const { model, sender, place } = this.#dependencies;
    const definition = read.name === undefined ? model.command(plainCommand) : read.definition;
    const [fault] = read.faults;
    if (fault || !definition) {
      this.#refuse(new Text(fault ? faultText(fault) : strings.somethingWrong));
      return;
    }
    const assigned = assignFiles(definition, this.#uploads.files, model.commands);
    if ('fault' in assigned) return this.#refuse(new Text(assigned.fault));
    const { values: files } = assigned;
    const isMissing = definition.options.some(
      ({ name, required }) => required && !(name in read.values) && !(name in files),
    );
    if (read.definition && isMissing) return this.#openForm(definition);
    const asked = read.isMessage
      ? { text: line.trim(), options: files }
      : { command: definition.name, options: { ...read.values, ...files } };
    const sent = await sender.command(place, asked, this.#reply.message);
    if (sent.kind === 'refused') return this.#refuse(sent.shown);
    this.#history.add(line.trim());
    this.#sent();
  }

  /** Clears the input after it was sent. */
  #sent(): void {
    this.#uploads.clear();
    this.#reply.clear();
    this.write('');
    this.#dependencies.onSent();
  }

  #refuse(shown: Node): void {
    this.#refusal.replaceChildren(shown);
  }

  #setBusy(busy: boolean): void {
    this.#busy = busy;
    this.#line.readOnly = busy;
    this.node.classList.toggle('busy', busy);
  }

  #read(): CommandLine {
    return readCommandLine(this.#line.value, this.#dependencies.model.commands);
  }

  #changed(): void {
    sessionStorage.setItem(this.#draftKey, this.#line.value);
    this.#refusal.replaceChildren();
    this.#updateHints();
    this.#line.style.height = 'auto';
    this.#line.style.height = `${this.#line.scrollHeight}px`;
  }

  #updateHints(): void {
    this.#completer.update();
    const read = this.#read();
    const { context } = this.#completer;
    showHighlights(this.#highlights, this.#line.value, read, context);
    showHint(this.#hint, read, context, {
      addOption: (name) => this.#addOption(name),
      openForm: (command) => this.#openForm(command),
    });
  }

  #addOption(name: string): void {
    this.#line.value = `${this.#line.value.trimEnd()} --${name} `;
    this.focus();
    this.#line.setSelectionRange(this.#line.value.length, this.#line.value.length);
    this.#changed();
  }

  get #draftKey(): string {
    return `troupe.draft.${this.#dependencies.place}`;
  }
}

interface ComposerToolsDependencies {
  readonly commands: readonly WireCommandDefinition[];
  openForm(command: WireCommandDefinition): void;
  addFiles(files: Iterable<File>): void;
}

/** The toolbar below the input: attach files, open a command's form, send. */
function composerTools({ commands, openForm, addFiles }: ComposerToolsDependencies): HTMLElement {
  const picker = filePicker({ multiple: true, hidden: true }, addFiles);
  const attach = iconButton('attach', strings.attach, () => picker.click(), { title: strings.attach });
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
  return button(
    { class: 'tool', 'data-command': command.name, title: strings.openForm(command.name) },
    () => openForm(command),
    iconOf(command.name),
    element('span', {}, title),
  );
}

const shownCharacters = 120;

/** The message that the next question replies to, above the input; nothing where there is none. */
class ReplyChip {
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
      iconButton('close', strings.noReply, () => this.clear(), { title: strings.noReply }),
    );
    this.node.hidden = false;
  }

  clear(): void {
    this.#message = undefined;
    this.node.hidden = true;
    this.node.replaceChildren();
  }
}
