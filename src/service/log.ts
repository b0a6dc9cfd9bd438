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
