/** Nothing can be tried before somebody has changed something; the message says what, in a sentence. */
export class NeedsOperator extends Error {
  override name = 'NeedsOperator';
}
