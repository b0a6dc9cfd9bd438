import type { WireCommandDefinition, WireFile, WireOption, WireValue, WireValues } from '../../api/wire.ts';
import { openDialog } from '../elements/dialogs.ts';
import { button, element } from '../elements/dom.ts';
import { optionField } from '../form/option-field.ts';
import { FileField, type FormField } from '../form/uploads.ts';
import type { SendResult } from '../messages/sender.ts';
import type { Model } from '../model.ts';
import { strings } from '../words/index.ts';

interface CommandFormDependencies {
  readonly model: Model;
  readonly title: string;
  readonly definition: WireCommandDefinition;
  /** Names of the options to show. */
  readonly fields: readonly string[];
  /** Their initial values. */
  readonly values: Readonly<Record<string, string | number | boolean>>;
  readonly files: readonly WireFile[];
  submit(values: WireValues): Promise<SendResult>;
  /** Called after it was accepted, with the values that fit into a command line. */
  onSent?(typed: Record<string, string>): void;
}

/** Opens a form for a command's options. It stays open, with its values, until it is accepted. */
export function openCommandForm(dependencies: CommandFormDependencies): void {
  const { definition, model } = dependencies;
  const options = definition.options.filter((option) => dependencies.fields.includes(option.name));
  const fields = fieldsOf(options, dependencies);
  const refusal = element('div', { class: 'refusal', role: 'alert' });
  const cancel = button({ class: 'action' }, () => dialog.close(), strings.cancel);
  const send = element('button', { class: 'action action-primary' }, strings.send);
  const form = element(
    'form',
    { class: 'command-form' },
    element('p', { class: 'form-description' }, definition.description),
    ...fields.flatMap(({ title, field }) => [
      title !== undefined && element('h3', { class: 'field-group' }, title),
      field.node,
    ]),
    refusal,
    element('div', { class: 'dialog-buttons' }, cancel, send),
  );
  const dialog = openDialog(dependencies.title, { name: 'dialog-form', command: definition.name }, form);
  form.querySelector<HTMLElement>('textarea, input')?.focus();
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    refusal.replaceChildren();
    send.disabled = true;
    await Promise.all(fields.map(({ field }) => field.ready?.()));
    const values: WireValues = Object.assign({}, ...fields.map(({ field }) => field.values()));
    const sent = await dependencies.submit(values);
    send.disabled = false;
    if (sent.kind === 'refused') {
      refusal.replaceChildren(sent.shown);
      refusal.scrollIntoView({ block: 'nearest' });
      return;
    }
    dialog.close();
    dependencies.onSent?.(typedOf(values, model.command(definition.name) ?? definition));
  });
}

/** A field, below a title where a group of options begins. */
interface TitledField {
  readonly title: string | undefined;
  readonly field: FormField;
}

/** The fields in the order of the options; file options share one field. */
function fieldsOf(options: readonly WireOption[], dependencies: CommandFormDependencies): TitledField[] {
  const uploads = uploadOptions({ ...dependencies.definition, options });
  const fields: TitledField[] = [];
  const isWhole = options.length === dependencies.definition.options.length;
  let group: string | undefined;
  for (const option of options) {
    if (option.type === 'file' && option !== uploads[0]) continue;
    // A form of one group has its title already.
    const title = isWhole && option.group !== group ? option.group : undefined;
    group = option.group;
    fields.push({ title, field: fieldOf(option, uploads, dependencies) });
  }
  return fields;
}

function fieldOf(
  option: WireOption,
  uploads: readonly WireOption[],
  { definition, files, model, values }: CommandFormDependencies,
): FormField {
  return option.type === 'file'
    ? new FileField(uploads, files, model.maxUploadBytes)
    : optionField(option, values[option.name], definition, noteFor(option, definition));
}

/** Why an option takes links instead of files. */
function noteFor(option: WireOption, definition: WireCommandDefinition): string | undefined {
  if (option.type !== 'addresses' || addressesInstead(definition, option.media) !== option) return undefined;
  return strings.addressInstead(definition.name, option.name);
}

function typedOf(values: WireValues, definition: WireCommandDefinition): Record<string, string> {
  const isTyped = (entry: [string, WireValue]): entry is [string, string | number | boolean] =>
    typeof entry[1] !== 'object';
  const known = new Set(definition.options.map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(values)
      .filter(isTyped)
      .filter(([name]) => known.has(name))
      .map(([name, value]) => [name, String(value)]),
  );
}

/** Files assigned to a command's options, or why that isn't possible. */
type FileAssignment =
  | { readonly values: Readonly<Record<string, { readonly file: string }>> }
  | { readonly fault: string };

/** A command's options that take an uploaded file. */
function uploadOptions(definition: WireCommandDefinition): WireOption[] {
  return definition.options.filter((option) => option.type === 'file' && option.reach === 'data');
}

/** Assigns files to a command's options, each to the first free one of its media type. */
export function assignFiles(
  definition: WireCommandDefinition,
  files: readonly WireFile[],
  commands: readonly WireCommandDefinition[],
): FileAssignment {
  const free = uploadOptions(definition);
  const values: Record<string, { file: string }> = {};
  for (const file of files) {
    const family = file.contentType.split('/')[0];
    const fits = free.findIndex((option) => option.media === family);
    const slot = free.splice(Math.max(0, fits), 1)[0];
    if (!slot) return { fault: assignmentFault(definition, family, commands) };
    values[slot.name] = { file: file.id };
  }
  return { values };
}

function assignmentFault(
  definition: WireCommandDefinition,
  family: string | undefined,
  commands: readonly WireCommandDefinition[],
): string {
  const all = uploadOptions(definition);
  const [first] = all;
  if (first) return strings.tooManyFiles(definition.name, all.length, `${first.media}/*`);
  const instead = addressesInstead(definition, family);
  if (instead) return strings.addressInstead(definition.name, `--${instead.name}`);
  const able = commands.filter((command) => uploadOptions(command).length > 0);
  return strings.noFilesHere(able.map((command) => `/${command.name}`).join(strings.comma));
}

/** The option that takes links, for files that the service fetches itself. */
function addressesInstead(
  definition: WireCommandDefinition,
  media: string | undefined,
): WireOption | undefined {
  const fetched = definition.options.filter((option) => option.type === 'file' && option.reach === 'address');
  const known = fetched.find((option) => option.media === media) ?? fetched[0];
  return (
    known && definition.options.find((option) => option.type === 'addresses' && option.media === known.media)
  );
}
