/** A JSON object. */
export type JsonObject = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  // Bytes stand for base64 that is decoded already.
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** The value under a name, or the next name, that is not null. Exact and fast: for the chunks of a stream. */
export function field(value: unknown, ...names: string[]): unknown {
  if (!isObject(value)) return undefined;
  for (const name of names) {
    const entry = Object.hasOwn(value, name) ? value[name] : undefined;
    if (entry !== undefined && entry !== null) return entry;
  }
  return undefined;
}

/** A name as tolerant lookups compare it: `imageUrl`, `image_url` and `Image-URL` are `imageurl`. */
function plainName(name: string): string {
  return name.replace(/[-_\s]/g, '').toLowerCase();
}

/** The values of an object that are not null, by the plain form of their names; empty for everything else. */
export function plainFields(value: unknown): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  if (!isObject(value)) return fields;
  for (const [name, entry] of Object.entries(value))
    if (entry !== undefined && entry !== null) fields.set(plainName(name), entry);
  return fields;
}

/** As {@link field} with names in any spelling; `names` are given in their plain form. */
export function anyField(value: unknown, ...names: string[]): unknown {
  const fields = plainFields(value);
  const name = names.find((candidate) => fields.has(candidate));
  return name === undefined ? undefined : fields.get(name);
}

/** A string that is not empty, or a number as one. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' ? String(value) : undefined;
}

/** The first of the names, in any spelling, that holds text. */
export function anyText(value: unknown, ...names: string[]): string | undefined {
  const fields = plainFields(value);
  for (const name of names) {
    const text = asText(fields.get(name));
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The JSON value of a text, or `undefined` where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}
