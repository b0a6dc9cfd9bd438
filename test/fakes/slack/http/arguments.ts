import type { Json } from '../records.ts';
import { Failure } from './failure.ts';

/** A method's arguments, as form fields (nested values as JSON text) or as a JSON body. */
export class Arguments {
  readonly values: Json;

  constructor(values: Json) {
    this.values = values;
  }

  static parse(body: string, contentType: string): Arguments {
    if (contentType.startsWith('application/json')) {
      const parsed = parseJson(body === '' ? '{}' : body, 'invalid_json');
      if (!isJson(parsed)) throw new Failure('json_not_object');
      return new Arguments(parsed);
    }
    if (body !== '' && !contentType.startsWith('application/x-www-form-urlencoded')) {
      throw new Failure('invalid_post_type');
    }
    return new Arguments(Object.fromEntries(new URLSearchParams(body)));
  }

  has(name: string): boolean {
    return this.values[name] !== undefined && this.values[name] !== '';
  }

  text(name: string): string | undefined {
    const value = this.values[name];
    if (value === undefined) return undefined;
    return typeof value === 'string' ? value : String(value);
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === '') {
      throw new Failure('invalid_arguments', {
        response_metadata: { messages: [`[ERROR] missing required field: ${name}`] },
      });
    }
    return value;
  }

  flag(name: string): boolean {
    return ['true', '1'].includes(this.text(name) ?? 'false');
  }

  whole(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const number = Number(value);
    if (!Number.isSafeInteger(number)) throw new Failure('invalid_arguments');
    return number;
  }

  object(name: string, code: string): Json | undefined {
    if (!this.has(name)) return undefined;
    const parsed = this.#parsed(name, code);
    if (!isJson(parsed)) throw new Failure(code);
    return parsed;
  }

  list(name: string, code: string): Json[] | undefined {
    if (!this.has(name)) return undefined;
    const parsed = this.#parsed(name, code);
    if (!Array.isArray(parsed) || !parsed.every(isJson)) throw new Failure(code);
    return parsed;
  }

  #parsed(name: string, code: string): unknown {
    const value = this.values[name];
    return typeof value === 'string' ? parseJson(value, code) : value;
  }
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string, code: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure(code);
  }
}
