import type { ServiceLog } from '../log.ts';
import { isObject } from './read.ts';

const plainName = /^[A-Za-z_][A-Za-z0-9_-]{0,31}$/;
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
    const shown = plainName.test(name) ? name : '…';
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
