import {
  type CommandAbout,
  draftFormId,
  type Locale,
  type Option,
  spokenCommandOf,
} from '../../../port/index.ts';
import { allowedInWords } from '../../../words/option-labels.ts';
import type { WireCommandDefinition, WireOption } from '../api/wire.ts';

/** In the id of a menu's entry, instead of a draft: the draft is made when its form opens. */
export const newDraft = 'new';

/** Converts a command's definition for the page, in one language. */
export function wireCommandOf(command: CommandAbout, locale: Locale): WireCommandDefinition {
  const { name } = command;
  const localName = locale === 'en' ? undefined : command.localNames?.[locale];
  return {
    ...spokenCommandOf(command),
    ...(localName === undefined ? {} : { localName }),
    description: command.description[locale],
    options: Object.entries(command.options).map(([option, definition]) => {
      const group = Object.values(command.groups ?? {}).find(({ fields }) => fields.includes(option));
      return { ...wireOptionOf(option, definition, locale), ...(group && { group: group.title[locale] }) };
    }),
    ...(command.fromMessage && {
      fromMessage: { label: command.fromMessage.label[locale], action: draftFormId(name, newDraft) },
    }),
  };
}

function wireOptionOf(name: string, option: Option, locale: Locale): WireOption {
  return {
    name,
    type: option.type,
    description: option.description[locale],
    required: option.required === true,
    ...rulesOf(option, locale),
  };
}

function rulesOf(option: Option, locale: Locale): Partial<WireOption> {
  switch (option.type) {
    case 'text':
      return {
        ...(option.maxCharacters === undefined ? {} : { maxCharacters: option.maxCharacters }),
        ...(option.maxBytes === undefined ? {} : { maxBytes: option.maxBytes }),
        ...(option.pattern === undefined ? {} : { allowed: allowedInWords(option.pattern.allowed, locale) }),
        ...(option.suggest === undefined ? {} : { suggests: true }),
      };
    case 'choice':
      return { choices: option.choices };
    case 'integer':
    case 'number':
      return { min: option.min, max: option.max };
    case 'boolean':
      return {};
    case 'file':
      return { media: option.media, reach: option.reach };
    case 'addresses':
      return { media: option.media, max: option.max };
  }
}
