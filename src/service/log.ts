/** Plain data about a call: never a key or any content of a request or response. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * The client's log events:
 * - `request` (debug): a response arrived; `operation`, `attempt`, `status`, `milliseconds`, `requestId`.
 * - `retry` (info): a request is retried; `operation`, `attempt`, `milliseconds`, `error`, `status`, `code`.
 * - `paused` (warn): the service returned 429 and the group waits; `group`, `milliseconds`.
 * - `unknown-shape` (warn): an undocumented response, once per shape; `operation`, `shape`.
 * - `callback-failed` (warn): a caller's `onWait` or `onProgress` threw; `error`.
 * - `windows-failed` (warn): the shared rate windows failed, so the request is sent without them; `group`, `error`.
 */
export type ServiceLog = (level: 'debug' | 'info' | 'warn', event: string, fields: LogFields) => void;

/** The name of a thrown value; its message may contain content. */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

const keyLike = /sk-svc-[A-Za-z0-9_-]+/g;
const plainWord = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;

/** Removes anything that looks like a key of the service (description, section 5). */
export function scrub(text: string): string {
  return text.replace(keyLike, 'sk-svc-…');
}

/**
 * Makes an identifier or code from a response safe for errors and logs: one word of at most 64 characters that isn't
 * a key; everything else is dropped, because a service may echo the request.
 */
export function safeWord(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value !== 'string' || !plainWord.test(value)) return undefined;
  return value.includes('sk-svc-') ? undefined : value;
}
