import type { AutocompleteInteraction } from 'discord.js';
import { localeOf } from '../../../port/index.ts';
import type { ReceiverDependencies } from './receiver-dependencies.ts';

/** Characters of a suggestion's label and value (interactions/application-commands, option choices). */
const maxChoiceLength = 100;

/** What Discord shows while a person types an option. Labels are unique; a value that is too long is left out. */
export function autocompleteChoices(
  interaction: AutocompleteInteraction,
  dispatcher: ReceiverDependencies['dispatcher'],
): { readonly name: string; readonly value: string }[] {
  const { name, value } = interaction.options.getFocused(true);
  const locale = localeOf(interaction.locale);
  const choices = dispatcher
    .suggest(interaction.commandName, name, String(value), locale)
    .filter((suggestion) => suggestion.value.length <= maxChoiceLength)
    .map((suggestion) => ({ name: suggestion.label.slice(0, maxChoiceLength), value: suggestion.value }));
  return [...new Map(choices.map((choice) => [choice.name, choice])).values()];
}
