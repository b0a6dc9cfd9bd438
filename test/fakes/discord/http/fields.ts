import { invalidField } from './refusal.ts';

/** A decoded JSON object of a request. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object at `name`; refuses anything else. */
export function objectAt(body: Fields, name: string, path = name): Fields {
  const value = body[name];
  if (!isFields(value))
    throw invalidField(path, 'DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType');
  return value;
}

/** The list of objects at `name`, empty if it's missing or null. */
export function objectsAt(body: Fields, name: string, path = name): readonly Fields[] {
  const value = body[name];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value))
    throw invalidField(path, 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType');
  return value.map((item: unknown, index) => {
    if (!isFields(item))
      throw invalidField(
        `${path}.${index}`,
        'DICT_TYPE_CONVERT',
        'Only dictionaries may be used in a DictType',
      );
    return item;
  });
}

/** The text at `name`, undefined if it's missing or null. Lengths count UTF-16 units, as Discord's do. */
export function textAt(
  body: Fields,
  name: string,
  limits: { min?: number; max: number; path?: string },
): string | undefined {
  const path = limits.path ?? name;
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string')
    throw invalidField(path, 'STRING_TYPE_CONVERT', 'Could not interpret as string.');
  checkLength(value.length, path, limits.min ?? 0, limits.max);
  return value;
}

/** The text at `name`; refuses a missing one. */
export function requiredTextAt(
  body: Fields,
  name: string,
  limits: { min?: number; max: number; path?: string },
): string {
  const value = textAt(body, name, limits);
  if (value === undefined)
    throw invalidField(limits.path ?? name, 'BASE_TYPE_REQUIRED', 'This field is required');
  return value;
}

/** The whole number at `name`, undefined if it's missing or null. */
export function integerAt(
  body: Fields,
  name: string,
  limits: { min?: number; max?: number; path?: string } = {},
): number | undefined {
  const path = limits.path ?? name;
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw invalidField(path, 'NUMBER_TYPE_COERCE', `Value "${String(value)}" is not int.`);
  if (value < (limits.min ?? Number.NEGATIVE_INFINITY) || value > (limits.max ?? Number.POSITIVE_INFINITY))
    throw invalidField(
      path,
      'NUMBER_TYPE_RANGE',
      `int value should be between ${limits.min} and ${limits.max}.`,
    );
  return value;
}

/** Refuses a count outside of `min` to `max`. */
export function checkLength(length: number, path: string, min: number, max: number): void {
  if (length > max) throw invalidField(path, 'BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`);
  if (length < min) throw invalidField(path, 'BASE_TYPE_MIN_LENGTH', `Must be ${min} or more in length.`);
}
