/** Milliseconds from Unix's epoch to that of snowflakes. */
const discordEpoch = 1_420_070_400_000;

/** The id that something had which was made at a time, in milliseconds: what's made later has a greater one (reference, snowflakes). */
export function snowflakeAt(time: number): string {
  return (BigInt(time - discordEpoch) << 22n).toString();
}

/** Whether all of these are Discord ids (reference, snowflakes): nothing else is used in a request's path. */
export function areSnowflakes(...ids: readonly unknown[]): boolean {
  return ids.every((id) => typeof id === 'string' && /^\d{1,20}$/.test(id));
}

/** Whether this can be an interaction's token: a text that isn't a step of a path. */
export function isToken(token: unknown): boolean {
  return typeof token === 'string' && !/^\.{0,2}$/.test(token);
}
