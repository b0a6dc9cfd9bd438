import { ApiError, invalidParameter } from './api-error.ts';

/** A closed range of numbers; without `max`, anything from `min` up. */
export interface NumberRange {
  readonly min: number;
  readonly max?: number;
}

/**
 * Validates the parameters of a JSON body. An invalid one throws a 400 that names the parameter, the given
 * value and the allowed values. `null` counts as absent; unknown parameters are ignored, since Chat Completions
 * clients send many.
 */
export class Parameters {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #prefix: string;

  constructor(values: unknown, prefix = '') {
    if (!isRecord(values)) {
      if (prefix) throw invalidParameter(prefix, values, 'an object');
      throw new ApiError(400, 'The body must be a JSON object.', { code: 'invalid_json' });
    }
    this.#values = values;
    this.#prefix = prefix;
  }

  /** All values as given. */
  get values(): Readonly<Record<string, unknown>> {
    return this.#values;
  }

  /** Whether a value other than `null` was given. */
  has(name: string): boolean {
    return this.raw(name) !== undefined;
  }

  /** The value as given; undefined if absent or `null`. */
  raw(name: string): unknown {
    return this.#values[name] ?? undefined;
  }

  /** The names of all values other than `null`. */
  names(): string[] {
    return Object.keys(this.#values).filter((name) => this.has(name));
  }

  /** A required string, possibly empty. */
  string(name: string, allowed = 'a string'): string {
    const value = this.raw(name);
    if (typeof value !== 'string') throw this.invalid(name, allowed);
    return value;
  }

  /** A required string that isn't blank. */
  text(name: string, allowed = 'a text that isn’t empty'): string {
    const value = this.string(name, allowed);
    if (value.trim() === '') throw this.invalid(name, allowed);
    return value;
  }

  /** One of the allowed values; required without a fallback. */
  choice<T extends string>(name: string, allowed: readonly T[], fallback?: T): T {
    const value = this.raw(name) ?? fallback;
    const found = allowed.find((choice) => choice === value);
    if (found === undefined) throw this.invalid(name, allowed.join(', '));
    return found;
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.raw(name) ?? fallback;
    if (typeof value !== 'boolean') throw this.invalid(name, 'true or false');
    return value;
  }

  number(name: string, range: NumberRange, fallback?: number): number {
    const value = this.raw(name) ?? fallback;
    if (typeof value !== 'number' || !Number.isFinite(value) || !within(value, range))
      throw this.invalid(name, `a number ${describe(range)}`);
    return value;
  }

  integer(name: string, range: NumberRange, fallback?: number): number {
    const value = this.raw(name) ?? fallback;
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || !within(value, range))
      throw this.invalid(name, `an integer ${describe(range)}`);
    return value;
  }

  /** An array of at most `max` items; empty if absent. */
  list(name: string, max: number): unknown[] {
    const value = this.raw(name) ?? [];
    if (!Array.isArray(value) || value.length > max)
      throw this.invalid(name, `an array of at most ${max} item${max === 1 ? '' : 's'}`);
    return value;
  }

  /** The parameters of a nested object; undefined if absent. */
  inner(name: string): Parameters | undefined {
    const value = this.raw(name);
    return value === undefined ? undefined : new Parameters(value, this.path(name));
  }

  /** The error for an invalid value of this parameter. */
  invalid(name: string, allowed: string): ApiError {
    return invalidParameter(this.path(name), this.raw(name), allowed);
  }

  /** The error for a text that is too long, without the text. */
  tooLong(name: string, given: string, most: string): ApiError {
    const message = `Invalid value for '${this.path(name)}': it has ${given}. Allowed: at most ${most}.`;
    return new ApiError(400, message, { code: 'invalid_parameter', param: this.path(name) });
  }

  /** The error for one item of an array; `given` is shown in it. */
  invalidItem(name: string, index: number, given: unknown, allowed: string): ApiError {
    return invalidParameter(`${this.path(name)}[${index}]`, given, allowed);
  }

  /** The parameter's full path, such as `messages[2].role`. */
  path(name: string): string {
    return this.#prefix ? `${this.#prefix}.${name}` : name;
  }
}

function within(value: number, range: NumberRange): boolean {
  return value >= range.min && value <= (range.max ?? Number.POSITIVE_INFINITY);
}

function describe({ min, max }: NumberRange): string {
  return max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
