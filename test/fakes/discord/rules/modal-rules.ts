import { ComponentType } from 'discord-api-types/v10';
import {
  checkLength,
  type Fields,
  integerAt,
  objectAt,
  objectsAt,
  requiredTextAt,
  textAt,
} from '../http/fields.ts';
import { invalidField } from '../http/refusal.ts';
import type { World } from '../world.ts';
import { checkSelectOptions } from './component-rules.ts';
import { checkFileTypes } from './file-type-rules.ts';

const inLabels: readonly ComponentType[] = [
  ComponentType.TextInput,
  ComponentType.StringSelect,
  ComponentType.UserSelect,
  ComponentType.RoleSelect,
  ComponentType.MentionableSelect,
  ComponentType.ChannelSelect,
  ComponentType.FileUpload,
  ComponentType.RadioGroup,
  ComponentType.CheckboxGroup,
  ComponentType.Checkbox,
];
const boxes: readonly ComponentType[] = [
  ComponentType.RadioGroup,
  ComponentType.CheckboxGroup,
  ComponentType.Checkbox,
];
/** Selects of people, roles and channels, which Discord fills by itself. */
const autoSelects: readonly unknown[] = [
  ComponentType.UserSelect,
  ComponentType.RoleSelect,
  ComponentType.MentionableSelect,
  ComponentType.ChannelSelect,
];

/** Checks a form (receiving-and-responding, modal): 1 to 5 labels or text displays, title of 45. */
export function checkModal(modal: Fields, world: World): void {
  requiredTextAt(modal, 'custom_id', { min: 1, max: 100 });
  requiredTextAt(modal, 'title', { min: 1, max: 45 });
  const components = objectsAt(modal, 'components');
  checkLength(components.length, 'components', 1, 5);
  const customIds = new Set<string>();
  components.forEach((component, index) => {
    const path = `components.${index}`;
    if (component.type === ComponentType.TextDisplay) {
      requiredTextAt(component, 'content', { min: 1, max: 4000, path: `${path}.content` });
      return;
    }
    if (component.type !== ComponentType.Label)
      throw invalidField(
        `${path}.type`,
        'UNION_TYPE_CHOICES',
        'Value of field "type" must be one of (10, 18).',
      );
    requiredTextAt(component, 'label', { min: 1, max: 45, path: `${path}.label` });
    textAt(component, 'description', { min: 1, max: 100, path: `${path}.description` });
    const input = objectAt(component, 'component', `${path}.component`);
    const id = checkInput(input, `${path}.component`, world);
    if (customIds.has(id))
      throw invalidField(
        `${path}.component.custom_id`,
        'COMPONENT_CUSTOM_ID_DUPLICATED',
        'Component custom id cannot be duplicated',
      );
    customIds.add(id);
  });
}

function checkInput(input: Fields, path: string, world: World): string {
  const { formFiles, formBoxes } = world.readings;
  const taken = inLabels
    .filter((type) => formFiles === 'works' || type !== ComponentType.FileUpload)
    .filter((type) => formBoxes === 'works' || !boxes.includes(type));
  if (!taken.includes(input.type as ComponentType))
    throw invalidField(
      `${path}.type`,
      'UNION_TYPE_CHOICES',
      `Value of field "type" must be one of (${taken.join(', ')}).`,
    );
  const id = requiredTextAt(input, 'custom_id', { min: 1, max: 100, path: `${path}.custom_id` });
  if (input.disabled === true)
    throw invalidField(`${path}.disabled`, 'COMPONENT_DISABLED_IN_MODAL', 'Nothing in a form is disabled.');
  if (input.min_values === 0 && input.required !== false)
    throw invalidField(
      `${path}.min_values`,
      'MIN_VALUES_OF_REQUIRED',
      'What is required takes one at least.',
    );
  if (input.type === ComponentType.TextInput) checkTextInput(input, path);
  if (input.type === ComponentType.FileUpload) {
    checkRange(input, path, 10);
    checkFileTypes(input, path);
  }
  if (input.type === ComponentType.StringSelect) checkSelect(input, path);
  if (autoSelects.includes(input.type)) {
    checkRange(input, path, 25);
    checkDefaults(input, path, world);
  }
  if (input.type === ComponentType.RadioGroup) {
    checkBoxes(input, path, 2);
    checkSelected(input, path, 1);
  }
  if (input.type === ComponentType.CheckboxGroup) {
    checkBoxes(input, path, 1);
    checkRange(input, path, 10, objectsAt(input, 'options').length);
    checkSelected(input, path, Number(input.max_values ?? 10));
  }
  return id;
}

function checkTextInput(input: Fields, path: string): void {
  integerAt(input, 'style', { min: 1, max: 2, path: `${path}.style` });
  if (input.style === undefined)
    throw invalidField(`${path}.style`, 'BASE_TYPE_REQUIRED', 'This field is required');
  if (input.label !== undefined && input.label !== null)
    throw invalidField(
      `${path}.label`,
      'TEXT_INPUT_LABEL_IN_LABEL',
      'A text input in a label has no label of its own',
    );
  textAt(input, 'placeholder', { max: 100, path: `${path}.placeholder` });
  const min = integerAt(input, 'min_length', { min: 0, max: 4000, path: `${path}.min_length` }) ?? 0;
  const max = integerAt(input, 'max_length', { min: 1, max: 4000, path: `${path}.max_length` }) ?? 4000;
  if (min > max)
    throw invalidField(`${path}.min_length`, 'TEXT_INPUT_LENGTHS', 'min_length is over max_length');
  const value = textAt(input, 'value', { max, path: `${path}.value` });
  if (value !== undefined && value.length > 0) checkLength(value.length, `${path}.value`, min, max);
}

function checkSelect(select: Fields, path: string): void {
  checkSelectOptions(select, path);
  textAt(select, 'placeholder', { max: 150, path: `${path}.placeholder` });
  checkRange(select, path, 25);
  checkSelected(select, path, Number(select.max_values ?? 1));
}

/** No more options are selected from the start than may be. */
function checkSelected(input: Fields, path: string, most: number): void {
  const selected = objectsAt(input, 'options').filter((option) => option.default === true);
  checkLength(selected.length, `${path}.options`, 0, most);
}

/** Who is chosen already: as many as may be, each named by its type (components/reference, select default value). */
function checkDefaults(select: Fields, path: string, world: World): void {
  const values = objectsAt(select, 'default_values', `${path}.default_values`);
  const max = integerAt(select, 'max_values', { min: 1, max: 25, path: `${path}.max_values` }) ?? 1;
  checkLength(values.length, `${path}.default_values`, 0, max);
  const types = { 5: ['user'], 6: ['role'], 7: ['user', 'role'], 8: ['channel'] }[Number(select.type)] ?? [];
  values.forEach((value, index) => {
    if (!types.includes(String(value.type)))
      throw invalidField(
        `${path}.default_values.${index}.type`,
        'BASE_TYPE_CHOICES',
        `Value must be one of {${types.join(', ')}}.`,
      );
    if (world.readings.goneDefaults === 'refused' && !isThere(world, String(value.type), String(value.id)))
      throw invalidField(`${path}.default_values.${index}.id`, 'DEFAULT_VALUE_UNKNOWN', 'Unknown entity');
  });
}

function isThere({ users, guilds, channels }: World, type: string, id: string): boolean {
  if (type === 'role') return [...guilds.values()].some(({ roles }) => roles.has(id));
  return type === 'user' ? users.has(id) : channels.has(id);
}

/** The options of radio buttons or boxes: at most 10, no value twice. */
function checkBoxes(group: Fields, path: string, least: number): void {
  const options = objectsAt(group, 'options', `${path}.options`);
  checkLength(options.length, `${path}.options`, least, 10);
  options.forEach((option, index) => {
    const at = `${path}.options.${index}`;
    requiredTextAt(option, 'label', { min: 1, max: 100, path: `${at}.label` });
    requiredTextAt(option, 'value', { min: 1, max: 100, path: `${at}.value` });
    textAt(option, 'description', { max: 100, path: `${at}.description` });
  });
  if (new Set(options.map(({ value }) => value)).size < options.length)
    throw invalidField(
      `${path}.options`,
      'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
      'The specified option value is already used',
    );
}

function checkRange(input: Fields, path: string, most: number, usualMax = 1): void {
  const min = integerAt(input, 'min_values', { min: 0, max: most, path: `${path}.min_values` }) ?? 1;
  const max = integerAt(input, 'max_values', { min: 1, max: most, path: `${path}.max_values` }) ?? usualMax;
  if (min > max) throw invalidField(`${path}.min_values`, 'MIN_OVER_MAX', 'min_values is over max_values');
}
