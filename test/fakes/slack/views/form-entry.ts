import { extname } from 'node:path';
import { isJson } from '../http/arguments.ts';
import { limits } from '../http/limits.ts';
import type { Json, SlackFile } from '../records.ts';

/** What a person enters into a form: by block, or by label. */
export type Entries = Readonly<Record<string, string | boolean | readonly SlackFile[]>>;

/**
 * The state a form is sent with. Throws where Slack's own window would not let the person send it: a
 * required input left empty, a choice that is not there, files of the wrong kind, number or size.
 */
export function entered(content: Json, entries: Entries, fileAsJson: (file: SlackFile) => Json): Json {
  const values: Record<string, Json> = {};
  const unused = new Set(Object.keys(entries));
  for (const block of (content.blocks as Json[]).filter((one) => one.type === 'input')) {
    const element = block.element as Json;
    const id = String(block.block_id);
    const label = String((block.label as Json).text);
    const entry = entries[id] ?? entries[label];
    unused.delete(id);
    unused.delete(label);
    const value = readInput(element, entry, fileAsJson);
    if (value.empty && block.optional !== true) throw new Error(`form: ${label} is required`);
    values[id] = { [String(element.action_id)]: { type: element.type, ...value.json } };
  }
  if (unused.size > 0) throw new Error(`form: no such input: ${[...unused].join(', ')}`);
  return { values };
}

type Value = { readonly empty: boolean; readonly json: Json };

function readInput(
  element: Json,
  entry: Entries[string] | undefined,
  fileAsJson: (file: SlackFile) => Json,
): Value {
  switch (element.type) {
    case 'file_input':
      return filesOf(element, Array.isArray(entry) ? entry : [], fileAsJson);
    case 'static_select':
    case 'radio_buttons':
      return chosen(element, entry);
    case 'checkboxes':
      return checked(element, entry);
    case 'conversations_select': {
      const chosen = entry ?? element.initial_conversation ?? null;
      return { empty: chosen === null, json: { selected_conversation: chosen } };
    }
    case 'multi_users_select':
      return severalUsers(element, entry);
    case 'multi_static_select':
      return several(element, entry);
    default:
      return typed(element, entry);
  }
}

function typed(element: Json, entry: Entries[string] | undefined): Value {
  const text = entry === undefined ? element.initial_value : String(entry);
  if (text === undefined || text === '') return { empty: true, json: { value: null } };
  if (element.type === 'number_input') checkNumber(element, String(text));
  const longest = Number(element.max_length ?? limits.view.inputLength);
  if (String(text).length > longest) throw new Error(`form: longer than ${longest}`);
  return { empty: false, json: { value: String(text) } };
}

function checkNumber(element: Json, text: string): void {
  const number = Number(text);
  if (Number.isNaN(number)) throw new Error('form: not a number');
  if (element.is_decimal_allowed !== true && !Number.isInteger(number)) throw new Error('form: not whole');
  if (element.min_value !== undefined && number < Number(element.min_value))
    throw new Error('form: too small');
  if (element.max_value !== undefined && number > Number(element.max_value))
    throw new Error('form: too large');
}

function chosen(element: Json, entry: Entries[string] | undefined): Value {
  const initial = isJson(element.initial_option) ? element.initial_option.value : undefined;
  const wanted = entry === undefined ? initial : String(entry);
  if (wanted === undefined || wanted === '') return { empty: true, json: { selected_option: null } };
  const option = (element.options as Json[]).find((one) => one.value === wanted);
  if (!option) throw new Error(`form: ${String(wanted)} cannot be chosen`);
  return { empty: false, json: { selected_option: option } };
}

/** Ids of people, separated by spaces; what stood there where nothing is entered. */
function severalUsers(element: Json, entry: Entries[string] | undefined): Value {
  const initial = Array.isArray(element.initial_users) ? element.initial_users.map(String) : [];
  const users = entry === undefined ? initial : String(entry).split(' ').filter(Boolean);
  return { empty: users.length === 0, json: { selected_users: users } };
}

function several(element: Json, entry: Entries[string] | undefined): Value {
  const initial = Array.isArray(element.initial_options) ? (element.initial_options as Json[]) : [];
  const wanted =
    entry === undefined ? initial.map(({ value }) => value) : String(entry).split(' ').filter(Boolean);
  const selected = (element.options as Json[]).filter(({ value }) => wanted.includes(value));
  if (selected.length < wanted.length) throw new Error(`form: ${wanted.join(', ')} cannot be chosen`);
  return { empty: selected.length === 0, json: { selected_options: selected } };
}

function checked(element: Json, entry: Entries[string] | undefined): Value {
  const options = element.options as Json[];
  const initial = Array.isArray(element.initial_options) ? (element.initial_options as Json[]) : [];
  const selected = entry === undefined ? initial : entry === true ? options : [];
  return { empty: selected.length === 0, json: { selected_options: selected } };
}

function filesOf(element: Json, files: readonly SlackFile[], fileAsJson: (file: SlackFile) => Json): Value {
  if (files.length > Number(element.max_files ?? limits.view.files)) throw new Error('form: too many files');
  const endings = element.filetypes as string[] | undefined;
  for (const file of files) {
    if (file.length > limits.files.formBytes) throw new Error('form: a file is over 10 MB');
    if (endings && !endings.includes(extname(file.name).slice(1).toLowerCase())) {
      throw new Error(`form: ${file.name} is not among ${endings.join(', ')}`);
    }
  }
  return { empty: files.length === 0, json: { files: files.map(fileAsJson) } };
}
