/** A sealed text can't be opened; the message tells the operator why and what to do. */
export class VaultError extends Error {
  override name = 'VaultError';
}
