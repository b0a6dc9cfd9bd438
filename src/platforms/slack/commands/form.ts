import type { types } from '@slack/bolt';
import { beginningOf } from '../../../lib/text.ts';
import {
  type CommandAbout,
  type Form,
  type Locale,
  type Option,
  parseOptions,
  type Suggestion,
} from '../../../port/index.ts';
import { messageWords } from '../../../words/message-words.ts';
import { optionLabel } from '../../../words/option-labels.ts';
import { plainText } from '../markup/mrkdwn.ts';
import type { UserGroup } from '../people/people.ts';
import { type SlackWords, slackWords } from '../words.ts';
import { inputAction, formLimits as limits, peopleInputs, select } from './form-inputs.ts';

/** `callback_id` of all forms. */
export const formCallback = 'troupe_form';

/** What a form returns when it’s submitted, so that it works after a restart too. */
export type FormOrigin =
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly workspace: string;
      readonly channel: string;
      /** No app can be invited there. */
      readonly closed: boolean;
      readonly via?: string;
      /** What the form doesn't carry itself. */
      readonly draft?: string;
      /** Where it was opened from a message: the thread of that. */
      readonly thread?: string;
    }
  | {
      readonly kind: 'press';
      readonly action: string;
      /** The command whose options the form has. */
      readonly command: string;
      readonly workspace: string;
      readonly channel: string;
      readonly message: string;
      readonly thread?: string;
      /** The message with the button stands outside of the thread, which may have no replies. */
      readonly isOutside?: boolean;
      /** The window with the button, where it’s in one; empty in the Home tab. */
      readonly view?: string;
      readonly via?: string;
    };

/** File options such as `image_1`, `image_2`, … as one input. */
interface FileGroup {
  readonly name: string;
  readonly options: readonly string[];
}

/** Block id of a group of files. */
export const fileBlock = (group: string) => `files:${group}`;

/** File options that Slack can fill: those that are passed on as data. */
export function fileGroups(options: CommandAbout['options']): readonly FileGroup[] {
  const groups = new Map<string, string[]>();
  for (const [name, option] of Object.entries(options)) {
    if (option.type !== 'file' || option.reach !== 'data') continue;
    const group = name.replace(/_\d+$/, '');
    groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  return [...groups].map(([name, names]) => ({ name, options: names }));
}

interface Rendering {
  readonly form: Form;
  readonly command: Pick<CommandAbout, 'name' | 'options' | 'textOption'>;
  readonly origin: FormOrigin;
  readonly locale: Locale;
  readonly suggest: (option: string) => readonly Suggestion[];
  /** The workspace’s user groups, for options that name people. */
  readonly groups: readonly UserGroup[];
  /** They can’t be read, which the form says. */
  readonly areGroupsUnreadable?: boolean;
}

type Input = types.InputBlock;

/** A form as Slack’s modal. */
export function modalOf(rendering: Rendering): types.ModalView {
  const { form, origin, locale } = rendering;
  const words = slackWords(locale);
  return {
    type: 'modal',
    callback_id: formCallback,
    private_metadata: JSON.stringify(origin),
    title: plainText(form.title, limits.title),
    submit: plainText(words.send),
    close: plainText(words.cancel),
    blocks: blocksOf(rendering, words),
  };
}

function blocksOf(
  { form, command, locale, suggest, groups: userGroups, areGroupsUnreadable }: Rendering,
  words: SlackWords,
): types.KnownBlock[] {
  const groups = fileGroups(command.options);
  const blocks: types.KnownBlock[] = form.note === undefined ? [] : [noteBlock(form.note)];
  const shown = new Set<string>();
  for (const name of form.fields) {
    const option = command.options[name];
    if (!option) continue;
    if (option.type === 'file') {
      const all = groups.find((one) => one.options.includes(name));
      const group = all && { ...all, options: all.options.filter((one) => form.fields.includes(one)) };
      if (!group || shown.has(group.name)) continue;
      shown.add(group.name);
      blocks.push(fileInput(group, optionLabel(group.name, locale), option.description[locale], words));
      continue;
    }
    const value = form.values[name];
    const given = value === undefined || typeof value === 'object' ? undefined : String(value);
    if (option.type === 'text' && option.people) {
      const hint = areGroupsUnreadable ? words.groupsUnreadable : undefined;
      blocks.push(...peopleInputs(name, option, given, { groups: userGroups, hint }, locale));
      continue;
    }
    const element = elementOf(option, given, name === command.textOption, suggest(name), words);
    const hint = option.type === 'addresses' ? words.publicOnly : undefined;
    blocks.push({
      type: 'input',
      block_id: name,
      optional: option.required !== true,
      label: plainText(optionLabel(name, locale), limits.label),
      hint: plainText(
        form.cut?.includes(name) ? messageWords[locale].wholeIsUsed : (hint ?? option.description[locale]),
      ),
      element,
    });
  }
  return blocks;
}

/** As plain text: what people wrote formats and mentions nothing. */
function noteBlock(note: string): types.SectionBlock {
  return { type: 'section', text: plainText(note, limits.input) };
}

function fileInput(group: FileGroup, label: string, description: string, words: SlackWords): Input {
  return {
    type: 'input',
    block_id: fileBlock(group.name),
    optional: true,
    label: plainText(label),
    hint: plainText(words.files(description, group.options.length)),
    element: {
      type: 'file_input',
      action_id: inputAction,
      filetypes: ['png', 'jpg', 'jpeg', 'webp', 'gif'],
      max_files: Math.min(10, group.options.length),
    },
  };
}

function elementOf(
  option: Option,
  given: string | undefined,
  isText: boolean,
  suggestions: readonly Suggestion[],
  words: SlackWords,
): Input['element'] {
  switch (option.type) {
    case 'choice':
      return select(
        option.choices.map((choice) => ({ value: choice, label: choice })),
        given,
      );
    case 'boolean':
      return select(
        [
          { value: 'true', label: words.yes },
          { value: 'false', label: words.no },
        ],
        given,
        words.byDefault,
      );
    case 'integer':
    case 'number':
      return {
        type: 'number_input',
        action_id: inputAction,
        is_decimal_allowed: option.type === 'number',
        min_value: String(option.min),
        max_value: String(option.max),
        ...(isSendable(option, given) && { initial_value: given }),
      };
    case 'text':
      if (option.channel)
        return {
          type: 'conversations_select',
          action_id: inputAction,
          filter: { include: ['public', 'private'] },
          ...(given && { initial_conversation: given }),
        };
      if (isSelectable(option, suggestions, given)) return select(suggestions, given);
      return textInput(
        given,
        // What may be long has lines.
        isText || (option.maxCharacters ?? 0) >= limits.input,
        Math.min(limits.input, option.maxCharacters ?? limits.input),
      );
    default:
      return textInput(given, false, limits.input);
  }
}

/** Whether a number that was typed is one that can be sent: whether Slack opens a form with another isn't documented. */
function isSendable(option: Option, given: string | undefined): given is string {
  return Boolean(given) && 'values' in parseOptions({ option }, { option: given });
}

/** Suggestions become a menu only where they are complete: 25 may be just the first ones. */
function isSelectable(
  option: Extract<Option, { type: 'text' }>,
  suggestions: readonly Suggestion[],
  given: string | undefined,
): boolean {
  if (option.pattern || suggestions.length === 0 || suggestions.length >= 25) return false;
  return given === undefined || suggestions.some(({ value }) => value === given);
}

function textInput(given: string | undefined, multiline: boolean, most: number): Input['element'] {
  return {
    type: 'plain_text_input',
    action_id: inputAction,
    multiline,
    max_length: most,
    // Slack refuses an empty one.
    ...(given && { initial_value: beginningOf(given, most) }),
  };
}
