import { strings } from '../words/index.ts';
import { button, element, icon, newElementId } from './dom.ts';

/** Opens a modal dialog with a title and a close button; closing removes it from the page. */
export function openDialog(
  title: string,
  { name, command }: { readonly name: string; readonly command?: string },
  ...content: readonly Node[]
): HTMLDialogElement {
  const titleId = newElementId();
  const close = button(
    { class: 'icon-button', 'aria-label': strings.close },
    () => dialog.close(),
    icon('close'),
  );
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
  const form = dialogForm(submit, 'primary', async () => {
    if (field.value.trim() !== '') await onSubmit(field.value.trim());
  });
  form.prepend(field);
  openDialog(title, { name: 'dialog-small' }, form);
  field.select();
}

/** Opens a dialog that confirms an action that can't be undone. */
export function confirmAction(
  title: string,
  detail: string,
  submit: string,
  onSubmit: () => Promise<void>,
): void {
  const form = dialogForm(submit, 'danger', onSubmit);
  form.prepend(element('p', {}, detail));
  openDialog(title, { name: 'dialog-small' }, form);
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
  const form = dialogForm(submit, 'primary', () => onSubmit(field.valueAsNumber));
  form.prepend(element('p', {}, detail), element('label', { for: id }, label), field);
  openDialog(title, { name: 'dialog-small' }, form);
  field.select();
}

function dialogForm(
  submit: string,
  style: 'primary' | 'danger',
  onSubmit: () => Promise<void>,
): HTMLFormElement {
  const fault = element('p', { class: 'refusal', role: 'alert' });
  const cancel = button({ class: 'action' }, () => form.closest('dialog')?.close(), strings.cancel);
  const confirm = element('button', { class: `action action-${style}` }, submit);
  const form = element('form', {}, fault, element('div', { class: 'dialog-buttons' }, cancel, confirm));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    onSubmit().then(
      () => form.closest('dialog')?.close(),
      () => {
        fault.textContent = strings.somethingWrong;
      },
    );
  });
  return form;
}
