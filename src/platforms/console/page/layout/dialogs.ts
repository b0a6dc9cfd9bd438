import { button, element, newElementId } from '../dom.ts';
import { say } from '../words/index.ts';
import { icon } from './icons.ts';

/** A modal dialog with a title and a way out. It is gone from the page as soon as it is closed. */
export function openDialog(
  title: string,
  { name, command }: { readonly name: string; readonly command?: string },
  ...content: readonly Node[]
): HTMLDialogElement {
  const titleId = newElementId();
  const close = button(
    { class: 'icon-button', 'aria-label': say.close },
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

/** Asks for a name; `take` gets it, trimmed, and the dialog closes when it is done. */
export function askForName(
  title: string,
  given: string,
  submit: string,
  take: (name: string) => Promise<void>,
): void {
  const field = element('input', {
    class: 'field',
    required: true,
    maxlength: 80,
    value: given,
    'aria-label': say.channelName,
    placeholder: say.channelName,
    autocomplete: 'off',
  });
  const form = dialogForm(submit, 'primary', async () => {
    if (field.value.trim() !== '') await take(field.value.trim());
  });
  form.prepend(field);
  openDialog(title, { name: 'dialog-small' }, form);
  field.select();
}

/** Asks whether something that cannot be undone is meant. */
export function askWhether(title: string, detail: string, submit: string, take: () => Promise<void>): void {
  const form = dialogForm(submit, 'danger', take);
  form.prepend(element('p', {}, detail));
  openDialog(title, { name: 'dialog-small' }, form);
}

function dialogForm(submit: string, style: 'primary' | 'danger', take: () => Promise<void>): HTMLFormElement {
  const fault = element('p', { class: 'refusal', role: 'alert' });
  const cancel = button({ class: 'action' }, () => form.closest('dialog')?.close(), say.cancel);
  const confirm = element('button', { class: `action action-${style}` }, submit);
  const form = element('form', {}, fault, element('div', { class: 'dialog-buttons' }, cancel, confirm));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    take().then(
      () => form.closest('dialog')?.close(),
      () => {
        fault.textContent = say.somethingWrong;
      },
    );
  });
  return form;
}
