import type { Meter, RequestKind } from '../../../lib/telemetry/index.ts';
import { httpStatus, retryAfter, slackCode } from './errors.ts';

/** Makes a call to Slack, and counts it by what it's for. `refused` is Slack's own `ok: false`. */
export async function measured<T>(meter: Meter, method: string, call: () => Promise<T>): Promise<T> {
  const count = (status: string) =>
    meter.count('troupe_platform_requests_total', {
      platform: 'slack',
      kind: kindOf(method),
      route: method,
      status,
    });
  try {
    const answer = await call();
    count('200');
    return answer;
  } catch (error) {
    count(statusOf(error));
    throw error;
  }
}

function statusOf(error: unknown): string {
  if (retryAfter(error) !== undefined) return '429';
  if (slackCode(error) !== undefined) return 'refused';
  return String(httpStatus(error) ?? 'error');
}

const kinds: readonly (readonly [RegExp, RequestKind])[] = [
  [/^(?:chat\.post|response_url$)/, 'post'],
  [/^chat\.update$/, 'edit'],
  [/^chat\.\w+Stream$/, 'stream'],
  [/delete$/, 'delete'],
  [/^(?:files\.(?:getUpload|completeUpload)|upload$)/, 'upload'],
  [/setStatus$/, 'typing'],
  [/\.(?:info|list|history|replies|getPermalink|test)$/, 'read'],
];

function kindOf(method: string): RequestKind {
  return kinds.find(([form]) => form.test(method))?.[1] ?? 'other';
}
