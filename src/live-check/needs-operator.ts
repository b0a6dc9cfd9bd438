/** The check can't start before the operator has changed something; the message says what. */
export class NeedsOperator extends Error {
  override name = 'NeedsOperator';
}
