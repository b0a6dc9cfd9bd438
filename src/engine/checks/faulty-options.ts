import type { OptionFault, PreparedRequest } from '../../port/index.ts';
import type { Words } from '../../words/index.ts';

/** The refusal of a command whose options are wrong: the sentence about them, and the faults themselves. */
export function refusedFor(
  command: string,
  faults: readonly OptionFault[],
  say: Words,
): PreparedRequest & { readonly kind: 'refused' } {
  return { kind: 'refused', text: say.faults(command, faults), faults, reason: 'options' };
}
