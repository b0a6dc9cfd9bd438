import { RESTJSONErrorCodes, type RESTOptions, type ResponseLike } from 'discord.js';
import { Agent, type Dispatcher, FormData, request } from 'undici';

const dispatcher = new Agent({ allowH2: false });
/**
 * How long a rate limit lasts that doesn't say so, in seconds: the page that Cloudflare shows in Discord's place may be
 * such a one. The library would ask again at once and without an end, and so earn a longer ban.
 */
const untoldWait = 30;

/**
 * Sends the library's requests. The library brings an undici of its own, whose uploads fail as soon as the process has
 * loaded another one before it, as the service client does; and Node's own fetch takes several times the processor
 * time. Answers are read whole: what the library leaves unread would keep its connection.
 */
export const makeRequest: RESTOptions['makeRequest'] = async (url, { method, headers, body, signal }) => {
  const answer = await request(url, {
    dispatcher,
    method: method as Dispatcher.HttpMethod,
    headers: headers as Record<string, string>,
    body: bodyOf(body),
    signal: signal ?? null,
  });
  const text = await answer.body.text();
  const status = isFinal(answer.statusCode, text) ? 400 : answer.statusCode;
  return {
    body: null,
    bodyUsed: true,
    arrayBuffer: async () => new TextEncoder().encode(text).buffer,
    json: async () => JSON.parse(text),
    text: async () => text,
    headers: headersOf(answer),
    status,
    statusText: answer.statusText,
    ok: status >= 200 && status < 300,
  } satisfies ResponseLike;
};

/** What the library sends is JSON or a form, which it makes with Node's own class: undici takes none but its own. */
function bodyOf(body: unknown): string | FormData | null {
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
  if (statusCode === 429 && !tellsSeconds(headers.get('retry-after')))
    headers.set('retry-after', String(untoldWait));
  return headers;
}

function tellsSeconds(wait: string | null): boolean {
  return wait !== null && Number(wait) >= 0;
}

/**
 * Some refusals come as a rate limit (429) and last: the library would ask again and again, without an end. They
 * become what they are, a refusal.
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
