import type { RESTOptions, ResponseLike } from '@discordjs/rest';
import { RESTJSONErrorCodes } from 'discord-api-types/v10';
import { Agent, type Dispatcher, FormData, request } from 'undici';
import type { UntilAlive } from '../../../lib/promises.ts';
import type { Meter, RequestKind } from '../../../lib/telemetry/index.ts';

const dispatcher = new Agent({ allowH2: false });
/**
 * Seconds to wait after a 429 without Retry-After, such as Cloudflare's own page. The library would repeat the request
 * at once and endlessly, which leads to a longer ban.
 */
const defaultRetryAfter = 30;

/**
 * Sends the library's requests. The undici that the library brings fails to upload files once the process has loaded
 * another version of it, as the service client does; and Node's own fetch takes several times the processor time.
 * Responses are read completely: one that the library leaves unread would keep its connection open.
 */
export const makeRequest: RESTOptions['makeRequest'] = async (url, { method, headers, body, signal }) => {
  const response = await request(url, {
    dispatcher,
    method: method as Dispatcher.HttpMethod,
    headers: headers as Record<string, string>,
    body: requestBody(body),
    signal: signal ?? null,
  });
  const text = await response.body.text();
  const status = isFinal(response.statusCode, text) ? 400 : response.statusCode;
  return {
    body: null,
    bodyUsed: true,
    arrayBuffer: async () => new TextEncoder().encode(text).buffer,
    json: async () => JSON.parse(text),
    text: async () => text,
    headers: headersOf(response),
    status,
    statusText: response.statusText,
    ok: status >= 200 && status < 300,
  } satisfies ResponseLike;
};

/** The library sends JSON, or a form of Node's own class: undici accepts only its own. */
function requestBody(body: unknown): string | FormData | null {
  if (!(body instanceof globalThis.FormData))
    return body === undefined || body === null ? null : String(body);
  const form = new FormData();
  for (const [name, value] of body) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, value.name);
  }
  return form;
}

function headersOf({ statusCode, headers: fields }: Dispatcher.ResponseData): Headers {
  const headers = new Headers();
  for (const [name, value = ''] of Object.entries(fields)) {
    for (const one of [value].flat()) headers.append(name, one);
  }
  if (statusCode === 429 && !isSeconds(headers.get('retry-after')))
    headers.set('retry-after', String(defaultRetryAfter));
  return headers;
}

function isSeconds(wait: string | null): boolean {
  return wait !== null && Number(wait) >= 0;
}

/**
 * Some final refusals have the status of a rate limit (429): the library would repeat the request endlessly. They become
 * a refusal (400).
 */
function isFinal(status: number, text: string): boolean {
  if (status !== 429) return false;
  try {
    const { code } = JSON.parse(text) as { readonly code?: unknown };
    return code === RESTJSONErrorCodes.MaximumNumberOfEditsToMessagesOlderThanOneHourReached;
  } catch {
    return false;
  }
}

type MakeRequest = RESTOptions['makeRequest'];

/** Gets every response, with its request's path below the version; what it returns is what the library sees. */
export type ResponseListener = (method: string, path: string, response: ResponseLike) => ResponseLike;

/** Sends the library's requests while this process counts as living, and counts each try by what it's for. */
export function measuredRequest(
  meter: Meter,
  onResponse: ResponseListener,
  untilAlive?: UntilAlive,
): MakeRequest {
  return async (url, request) => {
    await untilAlive?.();
    const method = request.method ?? 'GET';
    const path = pathOf(url);
    const { kind, route } = requestRoute(method, path);
    const count = (status: string) =>
      meter.count('troupe_platform_requests_total', { platform: 'discord', kind, route, status });
    try {
      const response = await makeRequest(url, request);
      count(String(response.status));
      return onResponse(method, path, response);
    } catch (error) {
      count('error');
      throw error;
    }
  };
}

/** The path of a request's address, below the version. */
export function pathOf(url: string): string {
  return /\/v\d+(\/[^?]*)/.exec(url)?.[1] ?? '';
}

/** A request's route with names instead of ids and tokens, so that there are few; and what it's for. */
function requestRoute(method: string, path: string): { readonly kind: RequestKind; readonly route: string } {
  const route = path
    .replace(/^\/(webhooks|interactions)\/\d+\/[^/]+/, '/$1/:id/:token')
    .replace(/\/(?:\d+|(?:@|%40)(?:original|me))(?=\/|$)/g, '/:id');
  return { kind: kindOf(method, route), route: `${method} ${route}` };
}

function kindOf(method: string, route: string): RequestKind {
  if (method === 'GET') return 'read';
  if (route.endsWith('/callback')) return 'acknowledgement';
  if (route.endsWith('/typing')) return 'typing';
  const isMessage = /\/messages(?:\/:id)?$|^\/webhooks\/:id\/:token$/.test(route);
  if (!isMessage) return 'other';
  if (method === 'POST') return 'post';
  return method === 'PATCH' ? 'edit' : 'delete';
}
