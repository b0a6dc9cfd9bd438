import { RESTJSONErrorCodes, type RESTOptions, type ResponseLike } from 'discord.js';

/**
 * Sends the library's requests with Node's own fetch. The library brings an undici of its own, whose uploads fail
 * as soon as the process has loaded another one before it, as the service client does.
 */
export const sendByFetch: RESTOptions['makeRequest'] = async (url, init) => {
  // The same web standard twice: undici's types and Node's.
  const request: unknown = init;
  const response = await finalOf(await fetch(url, request as RequestInit));
  // A plain object, as the library's own way of sending answers: what `Response` is may have been replaced by an
  // HTTP server since, and the library would not know this one for what it is.
  const plain: unknown = {
    body: response.body,
    arrayBuffer: () => response.arrayBuffer(),
    json: () => response.json(),
    text: () => response.text(),
    get bodyUsed() {
      return response.bodyUsed;
    },
    headers: response.headers,
    status: response.status,
    statusText: response.statusText,
    ok: response.ok,
  };
  return plain as ResponseLike;
};

/**
 * How long a rate limit lasts that doesn't say so, in seconds: the page that Cloudflare shows in Discord's place may be
 * such a one. The library would ask again at once and without an end, and so earn a longer ban.
 */
const untoldWait = 30;

/**
 * Some refusals come as a rate limit (429) and last: the library would ask again and again, without an end. They
 * become what they are, a refusal.
 */
async function finalOf(response: Response): Promise<Response> {
  if (response.status !== 429) return response;
  const headers = new Headers(response.headers);
  if (!tellsSeconds(headers.get('retry-after'))) headers.set('retry-after', String(untoldWait));
  const text = await response.text();
  return new Response(text, { headers, status: isFinal(text) ? 400 : 429 });
}

function tellsSeconds(wait: string | null): boolean {
  return wait !== null && Number(wait) >= 0;
}

function isFinal(text: string): boolean {
  try {
    const { code } = JSON.parse(text) as { readonly code?: unknown };
    return code === RESTJSONErrorCodes.MaximumNumberOfEditsToMessagesOlderThanOneHourReached;
  } catch {
    return false;
  }
}
