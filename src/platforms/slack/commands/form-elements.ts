import type { types } from '@slack/bolt';
import type { Suggestion } from '../../../port/index.ts';

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
export function menuOptions(choices: readonly Suggestion[]): types.PlainTextOption[] {
  return choices
    .slice(0, formLimits.options)
    .map(({ value, label }) => ({ text: plain(cut(label, formLimits.optionText)), value }));
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
    ...(placeholder !== undefined && { placeholder: plain(placeholder) }),
    ...(initial && { initial_option: initial }),
  };
}

export function plain(text: string): types.PlainTextElement {
  return { type: 'plain_text', text };
}

export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
