/** What was sealed cannot be opened; the message says why and what to do, for the operator. */
export class VaultError extends Error {
  override name = 'VaultError';
}
