import { apiKeyPattern, conversationIdPattern } from '../../service-rules/models.ts';
import type { Fault } from '../errors/fault.ts';
import { matching, optional, required } from './rules.ts';

const conversationId = optional(
  matching(conversationIdPattern, '1 to 64 of letters, digits, - and _', false),
);
const apiKey = required(matching(apiKeyPattern, 'sk-svc-…', false));
// Any task id from the service fits in a URL once encoded, except `.` and `..`, which change the path, and lone
// surrogates.
const taskId = required(matching(/^(?!\.{1,2}$)\P{Surrogate}{1,256}$/u, '1 to 256 characters'));

/** A conversation id (description, section 5). It must not be a title or content, so the fault never shows it. */
export function validateConversationId(value: unknown): Fault[] {
  return conversationId(value, 'conversationId');
}

/** An API key (description, section 5); the fault never shows it. */
export function validateApiKey(value: unknown): Fault[] {
  return apiKey(value, 'apiKey');
}

/** A task id from `images.submit` or `videos.submit`. */
export function validateTaskId(value: unknown): Fault[] {
  return taskId(value, 'id');
}

/** The service's base URL: http or https, its path ending with the version segment `/v1`. */
export function validateBaseUrl(value: unknown): Fault[] {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  const plain = url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password;
  if (plain && !url.search && !url.hash && /\/v1\/?$/.test(url.pathname)) return [];
  return [{ field: 'baseUrl', code: 'form', allowed: ['an http or https address that ends with /v1'] }];
}
