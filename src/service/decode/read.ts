import type { ServiceLog } from '../log.ts';

/** A JSON object. */
export type JsonObject = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  // Bytes are base64 that is already decoded.
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** The value of the first of the names that isn't null. Exact and fast: for the chunks of a stream. */
export function field(value: unknown, ...names: string[]): unknown {
  if (!isObject(value)) return undefined;
  for (const name of names) {
    const entry = Object.hasOwn(value, name) ? value[name] : undefined;
    if (entry !== undefined && entry !== null) return entry;
  }
  return undefined;
}

/** Normalizes a name for tolerant lookups: `imageUrl`, `image_url` and `Image-URL` become `imageurl`. */
function plainName(name: string): string {
  return name.replace(/[-_\s]/g, '').toLowerCase();
}

/** An object's non-null values by normalized name; empty for anything else. */
export function plainFields(value: unknown): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  if (!isObject(value)) return fields;
  for (const [name, entry] of Object.entries(value))
    if (entry !== undefined && entry !== null) fields.set(plainName(name), entry);
  return fields;
}

/** Like {@link field}, with names in any spelling; `names` must be normalized. */
export function anyField(value: unknown, ...names: string[]): unknown {
  const fields = plainFields(value);
  const name = names.find((candidate) => fields.has(candidate));
  return name === undefined ? undefined : fields.get(name);
}

/** A non-empty string, or a number as a string. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' ? String(value) : undefined;
}

/** The text of the first name, in any spelling, that has one. */
export function anyText(value: unknown, ...names: string[]): string | undefined {
  const fields = plainFields(value);
  for (const name of names) {
    const text = asText(fields.get(name));
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Parses JSON; `undefined` if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

const showableName = /^[A-Za-z_][A-Za-z0-9_-]{0,31}$/;
const mostNames = 20;
const mostShapes = 100;
const deepest = 3;

/** The shape of a JSON value: names and types, never values or names that could be content. */
export function shapeOf(value: unknown, depth = 0): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return depth >= deepest ? '[…]' : `[${shapeOf(value[0], depth + 1)}×${value.length}]`;
  }
  if (!isObject(value)) return value === null ? 'null' : typeof value;
  if (depth >= deepest) return '{…}';
  const names = Object.keys(value);
  const parts = names.slice(0, mostNames).map((name) => {
    const shown = showableName.test(name) ? name : '…';
    return `${shown}:${shapeOf(value[name], depth + 1)}`;
  });
  if (names.length > mostNames) parts.push('…');
  return `{${parts.join(',')}}`;
}

/** Reports each undocumented response shape once. Remembers at most 100 shapes. */
export class ShapeReporter {
  readonly #log: ServiceLog;
  readonly #seen = new Set<string>();

  constructor(log: ServiceLog) {
    this.#log = log;
  }

  /** @param what name of what wasn't understood, in our own words. */
  report(operation: string, what: string, value: unknown): void {
    const shape = shapeOf(value).slice(0, 500);
    const key = `${operation} ${what} ${shape}`;
    if (this.#seen.has(key) || this.#seen.size >= mostShapes) return;
    this.#seen.add(key);
    this.#log('warn', 'unknown-shape', { operation, what, shape });
  }
}
