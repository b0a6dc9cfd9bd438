import type { WireCommandDefinition, WireFile, WireOption, WireValue, WireValues } from '../../api/wire.ts';
import { button, element } from '../dom.ts';
import { FileField } from '../form/file-field.ts';
import type { FormField } from '../form/form-field.ts';
import { optionField } from '../form/option-field.ts';
import { openDialog } from '../layout/dialogs.ts';
import type { Model } from '../model.ts';
import { say } from '../words/index.ts';
import { addressesInstead, uploadOptions } from './file-slots.ts';
import type { Sent } from './sender.ts';

export interface CommandFormDependencies {
  readonly model: Model;
  readonly title: string;
  readonly shape: WireCommandDefinition;
  /** Names of the options to show. */
  readonly fields: readonly string[];
  /** Their initial values. */
  readonly values: Readonly<Record<string, string | number | boolean>>;
  readonly files: readonly WireFile[];
  submit(values: WireValues): Promise<Sent>;
  /** Called after it was accepted, with the values that fit into a command line. */
  onSent?(typed: Record<string, string>): void;
}

/** Opens a form for a command's options. It stays open, with its values, until it is accepted. */
export function openCommandForm(dependencies: CommandFormDependencies): void {
  const { shape, model } = dependencies;
  const options = shape.options.filter((option) => dependencies.fields.includes(option.name));
  const fields = fieldsOf(options, dependencies);
  const refusal = element('div', { class: 'refusal', role: 'alert' });
  const cancel = button({ class: 'action' }, () => dialog.close(), say.cancel);
  const send = element('button', { class: 'action action-primary' }, say.send);
  const form = element(
    'form',
    { class: 'command-form' },
    element('p', { class: 'form-description' }, shape.description),
    ...fields.map((field) => field.node),
    refusal,
    element('div', { class: 'dialog-buttons' }, cancel, send),
  );
  const dialog = openDialog(dependencies.title, { name: 'dialog-form', command: shape.name }, form);
  form.querySelector<HTMLElement>('textarea, input')?.focus();
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    refusal.replaceChildren();
    send.disabled = true;
    await Promise.all(fields.map((field) => field.settled?.()));
    const values: WireValues = Object.assign({}, ...fields.map((field) => field.values()));
    const sent = await dependencies.submit(values);
    send.disabled = false;
    if (sent.kind === 'refused') {
      refusal.replaceChildren(sent.shown);
      refusal.scrollIntoView({ block: 'nearest' });
      return;
    }
    dialog.close();
    dependencies.onSent?.(typedOf(values, model.command(shape.name) ?? shape));
  });
}

/** The fields in the order of the options; file options share one field. */
function fieldsOf(options: readonly WireOption[], dependencies: CommandFormDependencies): FormField[] {
  const uploads = uploadOptions({ ...dependencies.shape, options });
  const fields: FormField[] = [];
  for (const option of options) {
    if (option.type !== 'file')
      fields.push(
        optionField(
          option,
          dependencies.values[option.name],
          dependencies.shape,
          noteFor(option, dependencies.shape),
        ),
      );
    else if (option === uploads[0])
      fields.push(new FileField(uploads, dependencies.files, dependencies.model.maxUploadBytes));
  }
  return fields;
}

/** Why an option takes links instead of files. */
function noteFor(option: WireOption, shape: WireCommandDefinition): string | undefined {
  if (option.type !== 'addresses' || addressesInstead(shape, option.media) !== option) return undefined;
  return say.addressInstead(shape.name, option.name);
}

function typedOf(values: WireValues, shape: WireCommandDefinition): Record<string, string> {
  const isTyped = (entry: [string, WireValue]): entry is [string, string | number | boolean] =>
    typeof entry[1] !== 'object';
  const known = new Set(shape.options.map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(values)
      .filter(isTyped)
      .filter(([name]) => known.has(name))
      .map(([name, value]) => [name, String(value)]),
  );
}
