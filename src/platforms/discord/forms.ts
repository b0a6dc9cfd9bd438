import {
  type APILabelComponent,
  type APIModalInteractionResponseCallbackData,
  ComponentType,
  TextInputStyle,
} from 'discord.js';
import type { AnyCommand, Form, Locale, Option, RawValues } from '../../port/index.ts';
import { discordWords } from '../../words/discord.ts';

/** Figures of Discord's forms (components/using-modal-components). */
const limits = {
  parts: 5,
  title: 45,
  label: 45,
  description: 100,
  text: 4000,
  placeholder: 100,
  options: 25,
};

/**
 * A form as Discord shows one; its inputs are named after the options they are for.
 * @throws {RangeError} for more fields than a form holds.
 */
export function formShape<Parts>(
  id: string,
  form: Form,
  command: AnyCommand<Parts> | undefined,
  locale: Locale,
): APIModalInteractionResponseCallbackData {
  if (form.fields.length > limits.parts) {
    throw new RangeError(
      `a form of /${form.command} has ${form.fields.length} fields; allowed: ${limits.parts}`,
    );
  }
  const parts = form.fields.flatMap((name) => {
    const option = command?.options[name];
    return option ? [labelled(name, option, form.values[name], locale)] : [];
  });
  return { custom_id: id, title: cut(form.title, limits.title), components: parts };
}

function labelled(name: string, option: Option, value: RawValues[string], locale: Locale): APILabelComponent {
  return {
    type: ComponentType.Label,
    label: cut(name, limits.label),
    description: cut(option.description[locale], limits.description),
    component: input(name, option, value, locale),
  };
}

function input(
  name: string,
  option: Option,
  value: RawValues[string],
  locale: Locale,
): APILabelComponent['component'] {
  const base = { custom_id: name, required: option.required === true };
  const words = discordWords(locale);
  switch (option.type) {
    case 'choice':
      return select(
        base,
        option.choices.map((choice) => [choice, choice]),
        value,
      );
    case 'boolean':
      return select(
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
        max_values: 1,
        ...(!option.required && { min_values: 0 }),
      };
    case 'integer':
    case 'number':
      return text(base, TextInputStyle.Short, 20, value, `${option.min}–${option.max}`);
    case 'addresses':
      return text(base, TextInputStyle.Paragraph, limits.text, value, 'https://… https://…');
    case 'text': {
      const most = Math.min(limits.text, option.maxCharacters ?? option.maxBytes ?? limits.text);
      const style = option.pattern || option.suggest ? TextInputStyle.Short : TextInputStyle.Paragraph;
      return text(base, style, most, value, option.pattern?.allowed);
    }
  }
}

interface InputBase {
  readonly custom_id: string;
  readonly required: boolean;
}

function text(base: InputBase, style: TextInputStyle, most: number, value: RawValues[string], hint?: string) {
  const shown = typeof value === 'object' || value === undefined ? '' : cut(String(value), most);
  return {
    ...base,
    type: ComponentType.TextInput as const,
    style,
    max_length: most,
    ...(shown !== '' && { value: shown }),
    ...(hint !== undefined && { placeholder: cut(hint, limits.placeholder) }),
  };
}

function select(base: InputBase, choices: readonly (readonly [string, string])[], value: RawValues[string]) {
  const options = choices.slice(0, limits.options).map(([choice, label]) => ({
    value: choice,
    label,
    ...(choice === String(value) && { default: true }),
  }));
  return {
    ...base,
    type: ComponentType.StringSelect as const,
    min_values: base.required ? 1 : 0,
    max_values: 1,
    options,
  };
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/u, '')}…`;
}
