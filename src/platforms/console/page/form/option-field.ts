import type { WireCommandDefinition, WireOption, WireValues } from '../../api/wire.ts';
import { fetchSuggestions } from '../api.ts';
import { element, newElementId } from '../elements/dom.ts';
import { formatNumber, strings } from '../words/index.ts';
import type { FormField } from './uploads.ts';

/** The most choices shown as radio buttons; more become a select. */
const maxRadioButtons = 6;
/** Pause in typing before suggestions are fetched, in milliseconds. */
const suggestionDelay = 100;

/** Creates the field for an option that is not a file. */
export function optionField(
  option: WireOption,
  given: string | number | boolean | undefined,
  definition: WireCommandDefinition,
  note: string | undefined,
): FormField {
  const value = given === undefined ? '' : String(given);
  const about = { id: newElementId(), descriptionId: newElementId() };
  const control = controlFor(option, value, definition, about);
  const rules = option.type === 'choice' || option.type === 'boolean' ? '' : rulesText(option);
  const description = element(
    'p',
    { class: 'field-description', id: about.descriptionId },
    option.description,
    rules !== '' && element('span', { class: 'field-rules' }, rules),
    note !== undefined && element('span', { class: 'field-note' }, note),
  );
  const name = control.grouped
    ? element('span', { class: 'field-name', id: about.id }, option.name)
    : element('label', { class: 'field-name', for: about.id }, option.name);
  if (option.required) name.append(element('span', { class: 'field-required' }, strings.required));
  const node = element('div', { class: 'form-field' }, name, description, control.node);
  return {
    node,
    values: (): WireValues => {
      const entered = control.read();
      return entered.trim() === '' ? {} : { [option.name]: entered };
    },
  };
}

interface Control {
  readonly node: HTMLElement;
  /** Whether it is a group of inputs with one label. */
  readonly grouped: boolean;
  read(): string;
}
interface ControlIds {
  readonly id: string;
  readonly descriptionId: string;
}

function controlFor(
  option: WireOption,
  value: string,
  definition: WireCommandDefinition,
  about: ControlIds,
): Control {
  const choices = option.type === 'boolean' ? ['true', 'false'] : option.choices;
  if (choices)
    return choices.length > maxRadioButtons
      ? selectField(choices, value, about)
      : radioGroup(choices, value, option, about);
  if (option.type === 'integer' || option.type === 'number') return numberField(option, value, about);
  return option.suggests || option.allowed !== undefined
    ? lineField(option, value, definition, about)
    : textField(option, value, about);
}

/** A text area with a count of the remaining characters or bytes. */
function textField(option: WireOption, value: string, { id, descriptionId }: ControlIds): Control {
  const field = element('textarea', {
    class: 'field',
    id,
    rows: option.required ? 4 : 2,
    required: option.required,
    'aria-describedby': descriptionId,
  });
  field.value = value;
  const count = element('span', { class: 'field-count' });
  const show = () => showCount(count, option, field.value);
  field.addEventListener('input', show);
  show();
  return { node: element('div', {}, field, count), grouped: false, read: () => field.value };
}

function showCount(node: HTMLElement, { maxCharacters, maxBytes }: WireOption, text: string): void {
  const limit = maxBytes ?? maxCharacters;
  if (limit === undefined) return;
  const used = maxBytes === undefined ? [...text].length : new TextEncoder().encode(text).length;
  const left = limit - used;
  node.classList.toggle('field-over', left < 0);
  // Shown only near the limit.
  const isNear = left < limit / 5;
  node.textContent = isNear
    ? left < 0
      ? strings.over(formatNumber(-left))
      : strings.remaining(formatNumber(left))
    : '';
}

/** A one-line input, with suggestions if the option has any. */
function lineField(
  option: WireOption,
  value: string,
  definition: WireCommandDefinition,
  { id, descriptionId }: ControlIds,
): Control {
  const listId = newElementId();
  const list = element('datalist', { id: listId });
  const field = element('input', {
    class: 'field',
    id,
    value,
    list: listId,
    'aria-describedby': descriptionId,
    autocomplete: 'off',
  });
  let timer: number | undefined;
  const fetchList = async () => {
    const suggestions = await fetchSuggestions(definition.name, option.name, field.value).catch(() => []);
    list.replaceChildren(
      ...suggestions.map(({ value: suggested, label }) => element('option', { value: suggested, label })),
    );
  };
  if (option.suggests) {
    field.addEventListener('focus', () => void fetchList());
    field.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(() => void fetchList(), suggestionDelay);
    });
  }
  return { node: element('div', {}, field, list), grouped: false, read: () => field.value };
}

function numberField(option: WireOption, value: string, { id, descriptionId }: ControlIds): Control {
  const field = element('input', {
    class: 'field field-number',
    id,
    type: 'number',
    min: option.min,
    max: option.max,
    step: option.type === 'integer' ? 1 : 'any',
    value,
    inputmode: option.type === 'integer' ? 'numeric' : 'decimal',
    'aria-describedby': descriptionId,
  });
  return { node: field, grouped: false, read: () => field.value };
}

function selectField(choices: readonly string[], value: string, { id, descriptionId }: ControlIds): Control {
  const items = ['', ...choices].map((choice) =>
    element('option', { value: choice, selected: choice === value }, choice || strings.usual),
  );
  const field = element('select', { class: 'field', id, 'aria-describedby': descriptionId }, ...items);
  return { node: field, grouped: false, read: () => field.value };
}

/** Radio buttons; the first leaves an optional option at its default. */
function radioGroup(
  choices: readonly string[],
  value: string,
  option: WireOption,
  { id, descriptionId }: ControlIds,
): Control {
  const name = newElementId();
  const labels: Readonly<Record<string, string>> =
    option.type === 'boolean' ? { true: strings.yes, false: strings.no } : {};
  const items = (option.required ? choices : ['', ...choices]).map((choice) =>
    element(
      'label',
      {},
      element('input', {
        type: 'radio',
        name,
        value: choice,
        checked: choice === value,
        required: option.required,
      }),
      element('span', {}, choice === '' ? strings.usual : (labels[choice] ?? choice)),
    ),
  );
  const node = element(
    'div',
    { class: 'choices', role: 'radiogroup', 'aria-labelledby': id, 'aria-describedby': descriptionId },
    ...items,
  );
  return {
    node,
    grouped: true,
    read: () => node.querySelector<HTMLInputElement>('input:checked')?.value ?? '',
  };
}

/** An option's allowed values, in words; empty if anything is allowed. */
export function rulesText(option: WireOption): string {
  const { min = 0, max = 0 } = option;
  switch (option.type) {
    case 'choice':
      return (option.choices ?? []).join(strings.comma);
    case 'boolean':
      return ['true', 'false'].join(strings.comma);
    case 'integer':
      return strings.wholeNumber(min, max);
    case 'number':
      return strings.range(min, max);
    case 'addresses':
      return strings.addresses(max);
    case 'file':
      return `${option.media}/*`;
    case 'text':
      if (option.allowed !== undefined) return option.allowed;
      if (option.maxBytes !== undefined) return strings.atMostBytes(formatNumber(option.maxBytes));
      return option.maxCharacters === undefined
        ? ''
        : strings.atMostCharacters(formatNumber(option.maxCharacters));
  }
}

/** Whether a value breaks a rule the page can check; the server checks all rules. */
export function breaksRule(option: WireOption, value: string): boolean {
  switch (option.type) {
    case 'choice':
      return !option.choices?.some((choice) => choice.toLowerCase() === value.trim().toLowerCase());
    case 'integer':
      return !/^[+-]?\d+$/.test(value.trim()) || isOutside(option, Number(value));
    case 'number':
      return value.trim() === '' || !(Number.isFinite(Number(value)) && !isOutside(option, Number(value)));
    case 'addresses':
      return value.split(/[\s,，]+/u).some((address) => address !== '' && !/^https:\/\/./i.test(address));
    default:
      return false;
  }
}

function isOutside({ min = -Infinity, max = Infinity }: WireOption, value: number): boolean {
  return value < min || value > max;
}
