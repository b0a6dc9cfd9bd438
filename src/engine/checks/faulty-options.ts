import type { OptionFault, PreparedRequest } from '../../port/index.ts';
import type { DispatcherWords } from '../dispatcher-dependencies.ts';

/** The refusal of a command whose options are wrong: the sentence about them, and the faults themselves. */
export function refusedFor(
  command: string,
  faults: readonly OptionFault[],
  words: DispatcherWords,
): PreparedRequest & { readonly kind: 'refused' } {
  return { kind: 'refused', text: words.faults(command, faults), faults, reason: 'options' };
}
