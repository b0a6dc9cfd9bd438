import type { Clock } from '../lib/clock.ts';
import { AuthenticationError, CreditError, PermissionError } from './errors/answered-errors.ts';
import type { Operation } from './errors/service-error.ts';

/** `refused`: the key is wrong, or was revoked. `empty`: the account behind it cannot pay. */
export interface KeyTrouble {
  readonly kind: 'refused' | 'empty';
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/**
 * For how long a refused payment counts, in milliseconds. The list of voices shows for free whether a key is
 * accepted; whether the account can pay shows only when something is paid, so people have to get through again.
 */
const emptyFor = 5 * 60_000;
/** For how long an operation whose payment was refused is not tried again, in milliseconds. */
const notTriedFor = 2 * 60_000;

/** What the answers to calls tell about the key they were made with. */
export class KeyHealth {
  readonly #clock: Clock;
  #refusedSince: number | undefined;
  #emptySince: number | undefined;
  /** When each operation's payment was refused last, by the steady clock. */
  readonly #unpaid = new Map<Operation, number>();
  /** Told when trouble begins, changes its kind, or is proved to be over (undefined). */
  onChange: ((trouble: KeyTrouble | undefined) => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What is wrong as far as is known now. */
  get trouble(): KeyTrouble | undefined {
    if (this.#refusedSince !== undefined) return { kind: 'refused', since: this.#refusedSince };
    if (this.#emptySince === undefined || !this.#isRecent(emptyFor)) return undefined;
    return { kind: 'empty', since: this.#emptySince };
  }

  /** Whether trying this paid operation now is useless. */
  blocks(operation: Operation): boolean {
    if (this.#refusedSince !== undefined) return true;
    const refusedAt = this.#unpaid.get(operation);
    return refusedAt !== undefined && this.#clock.steady() < refusedAt + notTriedFor;
  }

  /** A call was answered as it should be. */
  succeeded(paid: boolean): void {
    const before = this.#unproved;
    this.#refusedSince = undefined;
    if (paid) {
      this.#emptySince = undefined;
      this.#unpaid.clear();
    }
    if (before && before !== this.#unproved) this.onChange?.(this.trouble);
  }

  /** A call failed. */
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

  /** What nothing has proved to be over yet: trouble, also where it's too long ago to count as such. */
  get #unproved(): KeyTrouble['kind'] | undefined {
    if (this.#refusedSince !== undefined) return 'refused';
    return this.#emptySince === undefined ? undefined : 'empty';
  }

  /** A key that may not even list voices is as good as none; one that may not do something else is not. */
  #isRefusal(operation: Operation, error: unknown): boolean {
    if (error instanceof PermissionError) return operation === 'voices';
    return error instanceof AuthenticationError;
  }

  #isRecent(milliseconds: number): boolean {
    return this.#clock.steady() < Math.max(...this.#unpaid.values()) + milliseconds;
  }
}
