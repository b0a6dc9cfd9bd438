import { beginningOf } from '../lib/text.ts';
import { noPersona, type Persona } from '../place-settings/index.ts';
import { alwaysShown, type Locale, type Suggestion, type SuggestionSource } from '../port/index.ts';
import { image } from '../service-rules/limits.ts';
import type { Voice } from '../service/index.ts';
import { words } from '../words/index.ts';
import { describeVoice, languageName, nameOf, type VoiceList } from './voices.ts';

/** Image sizes that are suggested besides the named ones. */
const commonSizes = ['1024x1024', '1920x1080', '1080x1920'];

/** What suggestions are made of. */
interface Suggestible extends Pick<VoiceList, 'voices'> {
  readonly personas?: readonly Persona[] | undefined;
}

/** What can be typed into an option: every typed word has to be in the value or its label. */
export function suggest(
  source: SuggestionSource,
  typed: string,
  locale: Locale,
  known: Suggestible,
): readonly Suggestion[] {
  const typedWords = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return suggestionsFrom(source, locale, known).filter(({ value, label }) => {
    const text = `${value} ${label}`.toLowerCase();
    return typedWords.every((word) => text.includes(word));
  });
}

function suggestionsFrom(
  source: SuggestionSource,
  locale: Locale,
  { voices, personas = [] }: Suggestible,
): readonly Suggestion[] {
  switch (source) {
    case 'personas': {
      if (personas.length === 0) return [];
      const none = { value: noPersona, label: words(locale).spending.settings.nobody };
      return [...personas.map(({ name }) => ({ value: name, label: name })), none];
    }
    case 'sizes':
      return [...image.sizes, ...commonSizes].map((value) => ({ value, label: value }));
    case 'languages':
      return [...new Set(voices.flatMap(({ languages }) => languages))].map((value) => ({
        value,
        label: languageName(value, locale),
      }));
    case 'voices':
      return suggestedVoices(voices, locale);
  }
}

/** What tells one with no name, or one that's described like another, from others is its id: before what may be cut. */
function suggestedVoices(voices: readonly Voice[], locale: Locale): readonly Suggestion[] {
  const described = voices.map((voice) => describeVoice(voice, locale));
  const shown = (description: string) => beginningOf(description, alwaysShown);
  const alike = Map.groupBy(described, shown);
  return voices.map((voice, index) => {
    const name = nameOf(voice, locale);
    const description = described[index] ?? '';
    const isAlone = alike.get(shown(description))?.length === 1;
    const parts = [...(name && isAlone ? [] : [voice.id]), description];
    return { value: voice.id, label: parts.filter(Boolean).join(' · '), ...(name && { name }) };
  });
}
