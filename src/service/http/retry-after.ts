/** The longest pause the service can request, in milliseconds. */
const longestPause = 60_000;

/** Looks up a header by its lower-case name. */
export type HeaderReader = (name: string) => string | undefined;

/**
 * The pause a response requests in milliseconds, 0 to 60,000: `retry-after-ms`, otherwise `Retry-After` in seconds or
 * as a date. `undefined` if absent or invalid.
 */
export function retryAfter(header: HeaderReader, now: number): number | undefined {
  const milliseconds = amount(header('retry-after-ms'));
  if (milliseconds !== undefined) return clamp(milliseconds);
  const value = header('retry-after')?.trim();
  const seconds = amount(value);
  if (seconds !== undefined) return clamp(seconds * 1000);
  // Every HTTP date has a colon; without this check `Date.parse` would accept words such as "soon 1".
  const date = value?.includes(':') ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : clamp(date - now);
}

function amount(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*\d{1,15}(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

function clamp(milliseconds: number): number {
  return Math.min(longestPause, Math.max(0, Math.ceil(milliseconds)));
}
