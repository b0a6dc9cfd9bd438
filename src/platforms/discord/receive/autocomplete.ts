import type { APIApplicationCommandAutocompleteInteraction } from 'discord-api-types/v10';
import { localeOf } from '../../../port/index.ts';
import type { ReceiverDependencies } from './receiver-dependencies.ts';

/** Characters of a suggestion's label and value (interactions/application-commands, option choices). */
const maxChoiceLength = 100;

/** What Discord shows while a person types an option. Labels are unique; a value that is too long is left out. */
export function autocompleteChoices(
  { data, locale: shown }: APIApplicationCommandAutocompleteInteraction,
  dispatcher: ReceiverDependencies['dispatcher'],
): { readonly name: string; readonly value: string }[] {
  const options = data.options.flatMap((option) => ('options' in option ? (option.options ?? []) : option));
  const focused = options.find((option) => 'focused' in option && option.focused === true);
  if (!focused || !('value' in focused)) return [];
  const locale = localeOf(shown);
  const choices = dispatcher
    .suggest(data.name, focused.name, String(focused.value), locale)
    .filter((suggestion) => suggestion.value.length <= maxChoiceLength)
    .map((suggestion) => ({ name: suggestion.label.slice(0, maxChoiceLength), value: suggestion.value }));
  return [...new Map(choices.map((choice) => [choice.name, choice])).values()];
}
