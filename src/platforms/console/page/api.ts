import type {
  WireAsked,
  WireChanges,
  WireCommandRequest,
  WireError,
  WireFile,
  WireOutcome,
  WirePage,
  WirePressRequest,
  WireState,
  WireSuggestion,
} from '../api/wire.ts';
import { locale } from './words/index.ts';

/** Attempts to send a request, and the delay between them in milliseconds. */
const maxAttempts = 3;
const retryDelay = 700;

/** The browser's time zone. */
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();

/** The server answered with an error status; `fault` is its reason, if it gave one. */
export class ApiError extends Error {
  readonly status: number;
  readonly fault: WireError['error'] | undefined;
  constructor(status: number, fault?: WireError['error']) {
    super(`the console's server answered ${status}`);
    this.name = 'ApiError';
    this.status = status;
    this.fault = fault;
  }
}

/** The server could not be reached. */
class OfflineError extends Error {
  override name = 'OfflineError';
}

export const fetchState = (): Promise<WireState> => get('state', { locale });

export const fetchMessages = (place: string, before?: number): Promise<WirePage> =>
  get('messages', { place, ...(before === undefined ? {} : { before: String(before) }) });

/** Fetches changes since a revision; null if there are too many. */
export const fetchChanges = (since: number): Promise<WireChanges | null> =>
  get('changes', { since: String(since) });

export const fetchSuggestions = (command: string, option: string, typed: string): Promise<WireSuggestion[]> =>
  get('suggestions', { command, option, typed: typed.slice(0, 1_000), locale });

/** Sends a command, and retries without a response; the server runs it once. */
export const sendCommand = (
  request: WireAsked & Pick<WireCommandRequest, 'eventId' | 'place' | 'replyTo'>,
): Promise<WireOutcome> => withRetries(() => json('POST', 'commands', { ...request, locale, timeZone }));

export const sendPress = (request: Omit<WirePressRequest, 'locale' | 'timeZone'>): Promise<WireOutcome> =>
  withRetries(() => json('POST', 'presses', { ...request, locale, timeZone }));

export const createChannel = (name: string): Promise<{ id: string }> => json('POST', 'channels', { name });

export const renameChannel = (id: string, name: string): Promise<void> =>
  json('PATCH', `channels/${encodeURIComponent(id)}`, { name });

export const removeChannel = (id: string): Promise<void> =>
  json('DELETE', `channels/${encodeURIComponent(id)}`);

/** Whether the server takes a page's key. */
export const isPageKey = (key: string): Promise<boolean> =>
  request(`state?${new URLSearchParams({ locale })}`, {}, key).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError && error.status === 401) return false;
      throw error;
    },
  );

export const logOut = (): Promise<void> => json('DELETE', 'session');

export const uploadFile = (file: File): Promise<WireFile> =>
  request(`files?${new URLSearchParams({ name: file.name.slice(-255) || 'file', type: file.type })}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: file,
  });

/** The URL of the stream of changes after a revision: a stream has no headers of its own. */
export function eventsUrl(since: number): string {
  return `console/events?${new URLSearchParams({ since: String(since), key: pageKey() })}`;
}

/** The URL of a message's file; `download` makes the browser save it. */
export function fileUrl(file: WireFile, download = false): string {
  return `console/files/${file.id}/${encodeURIComponent(file.name)}${download ? '?download' : ''}`;
}

/** A new idempotency key. */
export function newEventId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Reads what the server answers to a query. */
export function get<Answer>(path: string, query: Record<string, string>): Promise<Answer> {
  return request(`${path}?${new URLSearchParams(query)}`, {});
}

/** Sends JSON. */
export function json<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  return request(path, {
    method,
    ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
  });
}

async function request<Answer>(path: string, init: RequestInit, key = pageKey()): Promise<Answer> {
  const headers = { ...init.headers, 'x-console-key': key };
  const response = await fetch(`console/${path}`, { ...init, headers }).catch((error: unknown) => {
    throw new OfflineError('no connection', { cause: error });
  });
  if (response.ok) return (response.status === 204 ? undefined : await response.json()) as Answer;
  const fault = (await response.json().catch(() => undefined)) as WireError | undefined;
  throw new ApiError(response.status, fault?.error);
}

async function withRetries<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof OfflineError) || attempt === maxAttempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryDelay));
    }
  }
}

const pageKeyName = 'troupe-page-key';

/**
 * Keeps the key that a log-in brought (`#key=…`) once the server takes it: anybody can write such a link. Either way
 * it's out of the address and its history.
 */
export async function keepPageKey(isTaken: (key: string) => Promise<boolean>): Promise<void> {
  const given = /^#key=([\w-]+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  if (given !== pageKey() && (await isTaken(given))) localStorage.setItem(pageKeyName, given);
  history.replaceState(null, '', location.pathname);
}

/** The key of this browser's latest log-in; empty where the console needs none. */
function pageKey(): string {
  return localStorage.getItem(pageKeyName) ?? '';
}

/** Opens the log-in page: the session is over, or its key isn't here. */
export function logInAgain(): void {
  localStorage.removeItem(pageKeyName);
  location.replace('./?log-in');
}
