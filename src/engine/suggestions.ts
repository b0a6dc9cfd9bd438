import {
  type Address,
  alwaysShown,
  type AnyValues,
  locales,
  type Options,
  type Suggestion,
} from '../port/index.ts';
import type { DispatcherDependencies } from './command.ts';

type Suggest = DispatcherDependencies['suggest'];

/**
 * Options as they're given, but where one is what a suggestion shows, in whichever language, or is called: that stands for its
 * value. Platforms may send either, and people type names.
 */
export async function withSuggested(
  options: Options,
  given: AnyValues,
  address: Address,
  suggest: Suggest,
): Promise<AnyValues> {
  const found = Object.entries(given).map(async ([name, value]) => {
    const option = options[name];
    if (typeof value !== 'string' || option?.type !== 'text' || !option.suggest) return [];
    const source = option.suggest;
    const lists = await Promise.all(locales.map((locale) => suggest(source, '', locale, address)));
    const meant = valueOf(value, lists.flat());
    return meant === value ? [] : [[name, meant] as const];
  });
  const changed = (await Promise.all(found)).flat();
  return changed.length === 0 ? given : { ...given, ...Object.fromEntries(changed) };
}

/** The value of the one suggestion that a text means; the text itself where it's a value, or means none or several. */
function valueOf(text: string, suggestions: readonly Suggestion[]): string {
  if (suggestions.some(({ value }) => value === text.trim())) return text;
  const key = keyOf(text);
  const isMeant = ({ value, label, name = '' }: Suggestion) =>
    [value, label, name].some((one) => keyOf(one) === key) ||
    (key.length >= alwaysShown && keyOf(label).startsWith(key));
  const [only, another] = new Set(suggestions.filter(isMeant).map(({ value }) => value));
  return only === undefined || another !== undefined ? text : only;
}

function keyOf(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase();
}
