import {
  type APILabelComponent,
  type APIModalInteractionResponseCallbackData,
  type APITextDisplayComponent,
  ChannelType,
  ComponentType,
  SelectMenuDefaultValueType,
  TextInputStyle,
} from 'discord-api-types/v10';
import { beginningOf, shortened } from '../../../lib/text.ts';
import type { CommandAbout, Form, Locale, Option, Options, RawValues } from '../../../port/index.ts';
import { inTermsOf } from '../../../words/index.ts';
import { messageWords } from '../../../words/message-words.ts';
import { allowedInWords, optionLabel } from '../../../words/option-labels.ts';
import { escapeWords } from '../post/message-header.ts';
import { discordWords } from '../words.ts';
import { fileTypes, followingName, shownChoice } from './command-definition.ts';

/** Limits of Discord's modals (components/using-modal-components), in characters and counts. */
export const formLimits = {
  fields: 5,
  title: 45,
  label: 45,
  description: 100,
  text: 4000,
  note: 4000,
  /** Our own: with more choices a menu takes less room than radio buttons. */
  radio: 4,
  people: 25,
  files: 10,
  placeholder: 100,
  options: 25,
};

interface FormContext {
  readonly locale: Locale;
  /** Whether an id is a role's; otherwise it's a person's. */
  readonly isRole: (id: string) => boolean;
  /** Only text fields, for a form that Discord refused: it may not take the other inputs, or what's selected in them. */
  readonly plain?: boolean;
}

/**
 * A form as a Discord modal. The ids of its inputs are the names of their options.
 * @throws {RangeError} for more fields than a modal can have.
 */
export function modalFor(
  id: string,
  form: Form,
  command: CommandAbout | undefined,
  context: FormContext,
): APIModalInteractionResponseCallbackData {
  const noteCount = form.note === undefined ? 0 : 1;
  const parts = partsOf(form.fields, command?.options ?? {});
  if (parts.length + noteCount > formLimits.fields) {
    throw new RangeError(
      `a form of /${form.command} has ${parts.length} fields; allowed: ${formLimits.fields}`,
    );
  }
  const components = parts
    // A file can't be given in a text field.
    .filter(({ option }) => !context.plain || option.type !== 'file')
    .map((part) => labelledInput(part, form, context));
  // What people wrote stands there as they wrote it: it formats nothing.
  const note = form.note === undefined || context.plain ? [] : [noteOf(form.note)];
  return {
    custom_id: id,
    title: shortened(form.title, formLimits.title),
    components: [...note, ...components],
  };
}

function noteOf(note: string): APITextDisplayComponent {
  return { type: ComponentType.TextDisplay, content: shortened(escapeWords(note), formLimits.note) };
}

/** One input of a form. */
interface Part {
  readonly name: string;
  readonly option: Option;
  /** How many options it fills: `name` and those numbered after it. */
  readonly count: number;
}

/** The inputs for some options: files that are numbered one after the other have one together. */
function partsOf(fields: readonly string[], options: Options): readonly Part[] {
  const parts: Part[] = [];
  for (const name of fields) {
    const option = options[name];
    const last = parts.at(-1);
    if (option?.type === 'file' && last && name === followingName(last.name, last.count))
      parts.splice(-1, 1, { ...last, count: last.count + 1 });
    else if (option) parts.push({ name, option, count: 1 });
  }
  return parts;
}

function labelledInput(
  { name, option, count }: Part,
  { values, cut: cutFields = [] }: Form,
  context: FormContext,
): APILabelComponent {
  const { locale } = context;
  const shown = (text: string) => inTermsOf('discord', text);
  const component = inputFor({ name, option, count }, values[name], context);
  const isMenuOfPeople = component.type === ComponentType.MentionableSelect;
  const ofOption = isMenuOfPeople && option.type === 'text' ? option.people?.note : option.description;
  const about = cutFields.includes(name) ? messageWords[locale].wholeIsUsed : ofOption?.[locale];
  return {
    type: ComponentType.Label,
    label: shortened(shown(optionLabel(name, locale)), formLimits.label),
    ...(about && { description: shortened(shown(about), formLimits.description) }),
    component,
  };
}

function inputFor(
  { name, option, count }: Part,
  value: RawValues[string],
  { locale, isRole, plain }: FormContext,
): APILabelComponent['component'] {
  const base = { custom_id: name, required: option.required === true };
  if (plain) return plainInput(base, option, value);
  const words = discordWords(locale);
  switch (option.type) {
    case 'choice':
      return choiceInput(
        base,
        option.choices.map((choice) => [choice, shownChoice(choice, locale)]),
        value,
      );
    case 'boolean':
      return choiceInput(
        base,
        [
          ['true', words.yes],
          ['false', words.no],
        ],
        value,
      );
    case 'file':
      return {
        ...base,
        type: ComponentType.FileUpload,
        file_types: [...fileTypes[option.media]],
        max_values: Math.min(count, formLimits.files),
        ...(!option.required && { min_values: 0 }),
      };
    case 'integer':
    case 'number':
      return textInput(base, TextInputStyle.Short, 20, value, `${option.min}–${option.max}`);
    case 'addresses':
      return textInput(base, TextInputStyle.Paragraph, formLimits.text, value, 'https://… https://…');
    case 'text': {
      if (option.channel) return channelSelect(base, value);
      const ids = option.people && idsIn(value);
      // In a menu, nobody selected is nothing chosen.
      const fits = ids && ids.length <= formLimits.people && (ids.length > 0 || !value);
      if (fits) return peopleSelect(base, ids, isRole);
      const maxLength = Math.min(formLimits.text, option.maxCharacters ?? option.maxBytes ?? formLimits.text);
      const style = option.pattern || option.suggest ? TextInputStyle.Short : TextInputStyle.Paragraph;
      return textInput(
        base,
        style,
        maxLength,
        value,
        option.pattern && allowedInWords(option.pattern.allowed, locale),
      );
    }
  }
}

/** A text field for any option: what's allowed stands in it while it's empty. */
function plainInput(base: InputBase, option: Option, value: RawValues[string]) {
  switch (option.type) {
    case 'choice':
      return textInput(base, TextInputStyle.Short, 100, value, option.choices.join(', '));
    case 'boolean':
      return textInput(base, TextInputStyle.Short, 10, value, 'true, false');
    case 'integer':
    case 'number':
      return textInput(base, TextInputStyle.Short, 20, value, `${option.min}–${option.max}`);
    default:
      return textInput(base, TextInputStyle.Paragraph, formLimits.text, value);
  }
}

interface InputBase {
  readonly custom_id: string;
  readonly required: boolean;
}

function textInput(
  base: InputBase,
  style: TextInputStyle,
  maxLength: number,
  value: RawValues[string],
  hint?: string,
) {
  const shown = typeof value === 'object' || value === undefined ? '' : beginningOf(String(value), maxLength);
  return {
    ...base,
    type: ComponentType.TextInput as const,
    style,
    max_length: maxLength,
    ...(shown !== '' && { value: shown }),
    ...(hint !== undefined && { placeholder: shortened(hint, formLimits.placeholder) }),
  };
}

/** A menu of the server's people and roles, with the current ones selected. */
function peopleSelect(base: InputBase, ids: readonly string[], isRole: FormContext['isRole']) {
  const roleType = SelectMenuDefaultValueType.Role as const;
  const userType = SelectMenuDefaultValueType.User as const;
  const selected = ids.map((id) => ({ id, type: isRole(id) ? roleType : userType }));
  return {
    ...base,
    type: ComponentType.MentionableSelect as const,
    min_values: base.required ? 1 : 0,
    max_values: formLimits.people,
    ...(selected.length > 0 && { default_values: selected }),
  };
}

/** A menu of the server's channels that take messages, with the current one selected. */
function channelSelect(base: InputBase, value: RawValues[string]) {
  const type = SelectMenuDefaultValueType.Channel as const;
  const [id] = idsIn(value);
  return {
    ...base,
    type: ComponentType.ChannelSelect as const,
    channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
    min_values: base.required ? 1 : 0,
    max_values: 1,
    ...(id !== undefined && { default_values: [{ id, type }] }),
  };
}

/** The ids of the people and roles that are selected in a form. */
export function chosenIn(form: Form, command: CommandAbout | undefined): readonly string[] {
  return form.fields.flatMap((name) => {
    const option = command?.options[name];
    return option?.type === 'text' && option.people ? idsIn(form.values[name]) : [];
  });
}

function idsIn(value: RawValues[string]): readonly string[] {
  return String(value ?? '').match(/\d{17,20}/g) ?? [];
}

type Choices = readonly (readonly [value: string, label: string])[];

function choiceInput(base: InputBase, choices: Choices, value: RawValues[string]) {
  const options = choices.slice(0, formLimits.options).map(([choice, label]) => ({
    value: choice,
    label,
    ...(choice === String(value) && { default: true }),
  }));
  if (choices.length >= 2 && choices.length <= formLimits.radio)
    return { ...base, type: ComponentType.RadioGroup as const, options };
  return {
    ...base,
    type: ComponentType.StringSelect as const,
    min_values: base.required ? 1 : 0,
    max_values: 1,
    options,
  };
}
