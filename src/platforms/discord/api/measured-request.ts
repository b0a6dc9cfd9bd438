import type { RESTOptions, ResponseLike } from '@discordjs/rest';
import type { Meter, RequestKind } from '../../../lib/telemetry/index.ts';
import type { UntilAlive } from '../../../lib/until-alive.ts';
import { makeRequest } from './make-request.ts';

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
