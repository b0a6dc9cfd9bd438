/** Whether all of these are ids as Discord gives them (reference, snowflakes): nothing else is put into a request. */
export function areSnowflakes(...ids: readonly unknown[]): boolean {
  return ids.every((id) => typeof id === 'string' && /^\d{1,20}$/.test(id));
}

/** Whether this can be an interaction's token in an address: text, and no step of a path. */
export function isToken(token: unknown): boolean {
  return typeof token === 'string' && !/^\.{0,2}$/.test(token);
}
