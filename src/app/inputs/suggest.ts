import type { Locale, Suggestion, SuggestionSource } from '../../port/index.ts';
import { image } from '../../service-rules/limits.ts';
import { describeVoice, languageName, type VoiceList } from '../voices/voice-list.ts';

/** Image sizes that are suggested besides the named ones. */
const commonSizes = ['1024x1024', '1920x1080', '1080x1920'];
/** The longest label a platform shows, in characters. */
const maxLabel = 100;

/** What can be typed into an option: every typed word has to be in the value or its label. From memory. */
export function suggest(
  source: SuggestionSource,
  typed: string,
  locale: Locale,
  voiceList: Pick<VoiceList, 'voices'>,
): readonly Suggestion[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return suggestionsFrom(source, locale, voiceList).filter(({ value, label }) => {
    const text = `${value} ${label}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function suggestionsFrom(
  source: SuggestionSource,
  locale: Locale,
  { voices }: Pick<VoiceList, 'voices'>,
): readonly Suggestion[] {
  switch (source) {
    case 'sizes':
      return [...image.sizes, ...commonSizes].map((value) => ({ value, label: value }));
    case 'languages':
      return [...new Set(voices.flatMap(({ languages }) => languages))].map((value) => ({
        value,
        label: languageName(value, locale),
      }));
    case 'voices':
      return voices.map((voice) => ({
        value: voice.id,
        label: (describeVoice(voice, locale) || voice.id).slice(0, maxLabel),
      }));
  }
}
