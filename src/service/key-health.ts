import type { Clock } from '../lib/clock.ts';
import { AuthenticationError, CreditError, type Operation, PermissionError } from './errors.ts';

/** `refused`: the key is wrong or revoked. `empty`: the account can't pay. */
export interface KeyTrouble {
  readonly kind: 'refused' | 'empty';
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/**
 * How long a refused payment counts, in milliseconds. The voice list shows for free whether a key is accepted;
 * whether the account can pay only shows in a paid call, so people must be able to try again.
 */
const emptyFor = 5 * 60_000;
/** How long an operation isn't tried again after its payment was refused, in milliseconds. */
const notTriedFor = 2 * 60_000;

/** A key's health, from the responses to its calls. */
export class KeyHealth {
  readonly #clock: Clock;
  #refusedSince: number | undefined;
  #emptySince: number | undefined;
  /** When each operation's payment was last refused, by the monotonic clock. */
  readonly #unpaid = new Map<Operation, number>();
  /** Called when trouble starts, changes its kind, or is over (undefined). */
  onChange: ((trouble: KeyTrouble | undefined) => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The current trouble, as far as is known. */
  get trouble(): KeyTrouble | undefined {
    if (this.#refusedSince !== undefined) return { kind: 'refused', since: this.#refusedSince };
    if (this.#emptySince === undefined || !this.#isRecent(emptyFor)) return undefined;
    return { kind: 'empty', since: this.#emptySince };
  }

  /** Whether trying this paid operation now is pointless. */
  blocks(operation: Operation): boolean {
    if (this.#refusedSince !== undefined) return true;
    const refusedAt = this.#unpaid.get(operation);
    return refusedAt !== undefined && this.#clock.steady() < refusedAt + notTriedFor;
  }

  /** Records a successful call. */
  succeeded(paid: boolean): void {
    const before = this.#unproved;
    this.#refusedSince = undefined;
    if (paid) {
      this.#emptySince = undefined;
      this.#unpaid.clear();
    }
    if (before && before !== this.#unproved) this.onChange?.(this.trouble);
  }

  /** Records a failed call. */
  failed(operation: Operation, error: unknown): void {
    const before = this.trouble;
    const now = this.#clock.now();
    if (this.#isRefusal(operation, error)) this.#refusedSince ??= now;
    if (error instanceof CreditError) {
      this.#emptySince = this.#isRecent(emptyFor) ? (this.#emptySince ?? now) : now;
      this.#unpaid.set(operation, this.#clock.steady());
    }
    const after = this.trouble;
    if (after && after.kind !== before?.kind) this.onChange?.(after);
  }

  /** Trouble that no success has disproved yet, even if it's too old to count. */
  get #unproved(): KeyTrouble['kind'] | undefined {
    if (this.#refusedSince !== undefined) return 'refused';
    return this.#emptySince === undefined ? undefined : 'empty';
  }

  /** A key that can't even list voices is invalid; one that only lacks another permission isn't. */
  #isRefusal(operation: Operation, error: unknown): boolean {
    if (error instanceof PermissionError) return operation === 'voices';
    return error instanceof AuthenticationError;
  }

  #isRecent(milliseconds: number): boolean {
    return this.#clock.steady() < Math.max(...this.#unpaid.values()) + milliseconds;
  }
}
