import { apiKeyPattern, conversationIdPattern } from '../service-rules/models.ts';
import { type Fault, shown, typeName } from './errors.ts';
import { isPublicHost } from './http/public-address.ts';

/** Validates one value; returns its faults. */
export type Rule = (value: unknown, field: string) => Fault[];

/** Rules of an object's fields: a rule that isn't `required` accepts `undefined`. */
export type Rules<T> = { readonly [Field in keyof T]-?: Rule };

const wrongType = (field: string, type: string, value: unknown): Fault[] => [
  { field, code: 'type', allowed: [type], given: typeName(value) },
];

/** Validates every field of an object, and rejects unknown ones. */
export function checkObject<T>(rules: Rules<T>, value: unknown, field = 'request'): Fault[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return wrongType(field, 'object', value);
  const given = new Map<string, unknown>(Object.entries(value));
  const prefix = field === 'request' ? '' : `${field}.`;
  const known = Object.entries<Rule>(rules).flatMap(([name, rule]) => {
    const entry = given.get(name);
    given.delete(name);
    return rule(entry, prefix + name);
  });
  const unknown = [...given.keys()].map((name): Fault => ({
    field: prefix + shown(name),
    code: 'unknown-field',
  }));
  return [...known, ...unknown];
}

export const required =
  (rule: Rule): Rule =>
  (value, field) =>
    value === undefined ? [{ field, code: 'required' }] : rule(value, field);

export const optional =
  (rule: Rule): Rule =>
  (value, field) =>
    value === undefined ? [] : rule(value, field);

/** Text that isn't blank unless `blank` is true; lengths in code points or UTF-8 bytes. */
export function text(limits: { maxCharacters?: number; maxBytes?: number; blank?: boolean } = {}): Rule {
  const { maxCharacters = Infinity, maxBytes = Infinity, blank = false } = limits;
  return (value, field) => {
    if (typeof value !== 'string') return wrongType(field, 'string', value);
    if (!blank && value.trim() === '') return [{ field, code: 'required' }];
    const characters = value.length > maxCharacters ? codePoints(value) : 0;
    if (characters > maxCharacters)
      return [{ field, code: 'too-long', limit: maxCharacters, unit: 'characters', given: characters }];
    const bytes = maxBytes === Infinity ? 0 : Buffer.byteLength(value);
    if (bytes > maxBytes) return [{ field, code: 'too-long', limit: maxBytes, unit: 'bytes', given: bytes }];
    return [];
  };
}

function codePoints(value: string): number {
  let count = 0;
  for (const _ of value) count++;
  return count;
}

export function oneOf(choices: readonly string[]): Rule {
  return (value, field) =>
    typeof value === 'string' && choices.includes(value)
      ? []
      : [{ field, code: 'choice', allowed: choices, given: shown(value) }];
}

/** A string in a given format; `show` only if the value can't be content. */
export function matching(pattern: RegExp, form: string, show = true): Rule {
  return (value, field) => {
    if (typeof value !== 'string') return wrongType(field, 'string', value);
    if (pattern.test(value)) return [];
    return [
      { field, code: 'form', allowed: [form], given: show ? shown(value) : `${value.length} characters` },
    ];
  };
}

export function numberBetween(range: { min: number; max: number }): Rule {
  return (value, field) => {
    if (typeof value !== 'number') return wrongType(field, 'number', value);
    if (value >= range.min && value <= range.max) return [];
    return [{ field, code: 'range', min: range.min, limit: range.max, given: value }];
  };
}

export const integer: Rule = (value, field) => {
  if (typeof value !== 'number') return wrongType(field, 'number', value);
  return Number.isSafeInteger(value) ? [] : [{ field, code: 'integer', given: value }];
};

export function integerBetween(range: { min: number; max: number }): Rule {
  const between = numberBetween(range);
  return (value, field) => {
    const outside = between(value, field);
    return outside.length > 0 ? outside : integer(value, field);
  };
}

export const boolean: Rule = (value, field) =>
  typeof value === 'boolean' ? [] : wrongType(field, 'boolean', value);

export function listOf(rule: Rule, count: { min?: number; max?: number } = {}): Rule {
  const { min = 0, max = Infinity } = count;
  return (value, field) => {
    if (!Array.isArray(value)) return wrongType(field, 'array', value);
    if (value.length < min) return [{ field, code: 'required' }];
    if (value.length > max)
      return [{ field, code: 'too-many', limit: max, unit: 'items', given: value.length }];
    return value.flatMap((entry, index) => rule(entry, `${field}[${index}]`));
  };
}

/** An https URL; with `reachable: 'public'` not in a private network either. */
export function httpsAddress(options: { reachable?: 'public' } = {}): Rule {
  return (value, field) => {
    if (typeof value !== 'string') return wrongType(field, 'string', value);
    const url = URL.parse(value);
    if (url?.protocol !== 'https:')
      return [{ field, code: 'https', given: url ? url.protocol : 'no address' }];
    if (options.reachable === 'public' && !isPublicHost(url.hostname)) return [{ field, code: 'public' }];
    return [];
  };
}

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
