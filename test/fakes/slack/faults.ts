import type { Json } from './records.ts';

/** What may go wrong with a method, on demand. */
export type Fault =
  /** Answered 429, the method is not carried out. `undefined`: it isn't said how long, as by a proxy. */
  | { readonly kind: 'too-many'; readonly seconds: number | undefined }
  /** Answered with a status and a page, before or after the method was carried out. */
  | { readonly kind: 'status'; readonly status: number; readonly when: 'before' | 'after' }
  /** The connection is cut, before or after the method was carried out. */
  | { readonly kind: 'cut'; readonly when: 'before' | 'after' }
  /**
   * `{"ok": false, "error": …}`. `when: 'after'`: of `internal_error` and `fatal_error` Slack's pages say that "some
   * aspect of the operation" may have succeeded before.
   */
  | { readonly kind: 'error'; readonly code: string; readonly when?: 'after' }
  /** The answer waits so long on the server's clock; `fields` narrow which calls. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The call takes so long to get there on the server's clock, overtaken by later ones. */
  | { readonly kind: 'late'; readonly ms: number };

interface Planned {
  readonly method: string;
  readonly fault: Fault;
  readonly only: (args: Json) => boolean;
  left: number;
}

/** Faults that tests have ordered, each for so many calls of a method. */
export class Faults {
  readonly #planned: Planned[] = [];

  /** Orders a fault for the next `times` calls of a method (`*`: any) that `only` picks. */
  plan(method: string, fault: Fault, times = 1, only: (args: Json) => boolean = () => true): void {
    this.#planned.push({ method, fault, left: times, only });
  }

  /** The fault of this call, used up by it. */
  take(method: string, args: Json): Fault | undefined {
    const planned = this.#planned.find(
      (one) => one.left > 0 && (one.method === method || one.method === '*') && one.only(args),
    );
    if (planned) planned.left -= 1;
    return planned?.fault;
  }

  /** Nothing that was ordered happens any more. */
  clear(): void {
    this.#planned.length = 0;
  }

  /** Faults not met yet. */
  get outstanding(): number {
    return this.#planned.reduce((sum, one) => sum + one.left, 0);
  }
}
