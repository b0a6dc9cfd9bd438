import { strings } from '../words/index.ts';
import { button, element, iconButton, newElementId } from './dom.ts';

/** Opens a modal dialog with a title and a close button; closing removes it from the page. */
export function openDialog(
  title: string,
  { name, command }: { readonly name: string; readonly command?: string },
  ...content: readonly Node[]
): HTMLDialogElement {
  const titleId = newElementId();
  const close = iconButton('close', strings.close, () => dialog.close());
  const dialog = element(
    'dialog',
    { class: `dialog ${name}`, 'aria-labelledby': titleId, 'data-command': command },
    element('header', {}, element('h2', { id: titleId }, title), close),
    ...content,
  );
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Opens a dialog that asks for a name; `onSubmit` gets it trimmed, and the dialog closes when it resolves. */
export function promptForName(
  title: string,
  given: string,
  submit: string,
  onSubmit: (name: string) => Promise<void>,
): void {
  const field = element('input', {
    class: 'field',
    required: true,
    maxlength: 80,
    value: given,
    'aria-label': strings.channelName,
    placeholder: strings.channelName,
    autocomplete: 'off',
  });
  const send = async () => {
    if (field.value.trim() !== '') await onSubmit(field.value.trim());
  };
  ask(title, submit, 'primary', send, field);
  field.select();
}

/** Opens a dialog that confirms an action that can't be undone. */
export function confirmAction(
  title: string,
  detail: string,
  submit: string,
  onSubmit: () => Promise<void>,
): void {
  ask(title, submit, 'danger', onSubmit, element('p', {}, detail));
}

/** A number that's asked for. */
export interface NumberAsked {
  readonly title: string;
  readonly detail: string;
  readonly label: string;
  readonly given: number;
}

/** Opens a dialog that asks for a number of 0 or more. */
export function askForNumber(
  { title, detail, label, given }: NumberAsked,
  submit: string,
  onSubmit: (value: number) => Promise<void>,
): void {
  const id = newElementId();
  const attributes = { type: 'number', min: 0, max: 999_999_999, step: 'any', inputmode: 'decimal' } as const;
  const field = element('input', { class: 'field', id, required: true, value: given, ...attributes });
  const about = [element('p', {}, detail), element('label', { for: id }, label)];
  ask(title, submit, 'primary', () => onSubmit(field.valueAsNumber), ...about, field);
  field.select();
}

function ask(
  title: string,
  submit: string,
  style: 'primary' | 'danger',
  onSubmit: () => Promise<void>,
  ...content: readonly Node[]
): void {
  const fault = element('p', { class: 'refusal', role: 'alert' });
  const cancel = button({ class: 'action' }, () => dialog.close(), strings.cancel);
  const confirm = element('button', { class: `action action-${style}` }, submit);
  const buttons = element('div', { class: 'dialog-buttons' }, cancel, confirm);
  const form = element('form', {}, ...content, fault, buttons);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    onSubmit().then(
      () => dialog.close(),
      () => {
        fault.textContent = strings.somethingWrong;
      },
    );
  });
  const dialog = openDialog(title, { name: 'dialog-small' }, form);
}
