import type { types } from '@slack/bolt';
import type { Locale, Suggestion, TextOption } from '../../../port/index.ts';
import { optionLabel } from '../../../words/option-labels.ts';
import { plainText } from '../markup/mrkdwn.ts';
import type { UserGroup } from '../people/people.ts';
import { slackWords } from '../words.ts';

/** Slack's limits of a form (reference of views and of Block Kit). */
export const formLimits = {
  title: 24,
  label: 2_000,
  input: 3_000,
  options: 100,
  optionText: 75,
  hint: 150,
} as const;

/** The `action_id` of every input; the block’s id says which option it is. */
export const inputAction = 'value';

/** Choices as the options of a menu. */
function menuOptions(choices: readonly Suggestion[]): types.PlainTextOption[] {
  return choices
    .slice(0, formLimits.options)
    .map(({ value, label }) => ({ text: plainText(label, formLimits.optionText), value }));
}

/** A menu with the current value selected; without one, `placeholder` stands in it, or Slack's own words. */
export function select(
  choices: readonly Suggestion[],
  given: string | undefined,
  placeholder?: string,
): types.InputBlock['element'] {
  const options = menuOptions(choices);
  const initial = options.find(({ value }) => value === given);
  return {
    type: 'static_select',
    action_id: inputAction,
    options,
    ...(placeholder !== undefined && { placeholder: plainText(placeholder) }),
    ...(initial && { initial_option: initial }),
  };
}

/** The value for nobody in particular. */
const none = 'none';
/** User groups’ ids begin with S. */
const isGroup = (id: string) => id.startsWith('S');

/** Block id of an option’s groups. */
export const groupsBlock = (option: string) => `groups:${option}`;

/** An option that names people as two inputs: people, and groups or none at all. */
export function peopleInputs(
  name: string,
  option: TextOption,
  given: string | undefined,
  { groups, hint }: { readonly groups: readonly UserGroup[]; readonly hint: string | undefined },
  locale: Locale,
): types.InputBlock[] {
  const words = slackWords(locale);
  const ids = (given ?? '').split(' ').filter(Boolean);
  const users = ids.filter((id) => id !== none && !isGroup(id));
  // A group that was chosen before stays visible, though Slack doesn’t tell its name, or tells of more than a menu takes.
  const known = new Map(ids.filter(isGroup).map((id) => [id, id]));
  for (const { id, handle } of groups) known.set(id, `@${handle}`);
  const options = menuOptions([
    { value: none, label: option.people?.none?.[locale] ?? none },
    ...[...known].map(([value, label]) => ({ value, label })),
  ]);
  const chosen = options.filter(({ value }) => value !== undefined && ids.includes(value));
  const label = optionLabel(name, locale);
  const note = option.people?.note;
  return [
    {
      type: 'input',
      block_id: name,
      optional: true,
      label: plainText(label),
      ...(note && { hint: plainText(note[locale]) }),
      element: {
        type: 'multi_users_select',
        action_id: inputAction,
        ...(users.length > 0 && { initial_users: users }),
      },
    },
    {
      type: 'input',
      block_id: groupsBlock(name),
      optional: true,
      label: plainText(words.groupsOf(label)),
      ...(hint !== undefined && { hint: plainText(hint) }),
      element: {
        type: 'multi_static_select',
        action_id: inputAction,
        options,
        ...(chosen.length > 0 && { initial_options: chosen }),
      },
    },
  ];
}

/** The option’s value from the two inputs; undefined where nothing was chosen. */
export function peopleValue(users: readonly string[], groups: readonly string[]): string | undefined {
  if (users.length + groups.length === 0) return undefined;
  if (groups.includes(none)) return none;
  return [...users.map((id) => `<@${id}>`), ...groups.map((id) => `<!subteam^${id}>`)].join(' ');
}
