import type { RESTOptions, ResponseLike } from 'discord.js';

/**
 * Sends the library's requests with Node's own fetch. The library brings an undici of its own, whose uploads fail
 * as soon as the process has loaded another one before it, as the service client does.
 */
export const sendByFetch: RESTOptions['makeRequest'] = async (url, init) => {
  // The same web standard twice: undici's types and Node's.
  const request: unknown = init;
  const response = await fetch(url, request as RequestInit);
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
