/** Plain data about a call: never a key, never anything of what was sent or answered. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Where the client tells what it does.
 * - `request` (debug): an answer came; `operation`, `attempt`, `status`, `milliseconds`, `requestId`.
 * - `retry` (info): a request is sent again; `operation`, `attempt`, `milliseconds`, `error`, `status`, `code`.
 * - `paused` (warn): the service said 429 and the group waits; `group`, `milliseconds`.
 * - `unknown-shape` (warn): an answer the description does not show, once for each shape; `operation`, `shape`.
 * - `callback-failed` (warn): a caller's `onWait` or `onProgress` threw; `error`.
 * - `windows-failed` (warn): the shared rate windows did not answer, so the request goes without; `group`, `error`.
 */
export type ServiceLog = (level: 'debug' | 'info' | 'warn', event: string, fields: LogFields) => void;

/** The name of whatever was thrown; its message may hold content. */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
