import { type Waits, waitAfter } from '../../../lib/backoff.ts';
import type { Clock } from '../../../lib/clock.ts';
import { NoAccessError } from '../../../port/index.ts';
import { slackCode } from '../api/errors.ts';
import type { KeyValueStore } from '../key-value-store.ts';

/** Between calls with a token that Slack refuses, in milliseconds. */
const waits: Waits = { first: 30_000, longest: 86_400_000 };
/** How long it has lasted is written down so often, in milliseconds; and kept for so long. */
const notedEvery = 3_600_000;
const lifetime = 90 * 86_400_000;
/** Workspaces without access, and with it, that are remembered at once. */
const remembered = 5_000;

interface Loss {
  /** How long it had lasted when this process saw it first, in milliseconds. */
  readonly before: number;
  /** By `steady`. */
  readonly since: number;
  /** The token that is refused; undefined where there is none. */
  readonly token: string | undefined;
  readonly detail: string | undefined;
  readonly tries: number;
  /** By `steady`: not asked before. */
  readonly next: number;
  /** As it was last written down. */
  readonly noted: number;
}

/**
 * Workspaces where the bot has no access. What is still to be posted there tries further: a token that Slack refuses
 * is used ever more rarely, once a day in the end; another one, or a sign of life from the workspace, at once.
 */
export class AccessLosses {
  readonly #memory: KeyValueStore;
  readonly #clock: Clock;
  readonly #lost = new Map<string, Loss>();
  /** Workspaces with access, of which nothing else is written down. */
  readonly #fine = new Set<string>();

  constructor(memory: KeyValueStore, clock: Clock) {
    this.#memory = memory;
    this.#clock = clock;
  }

  /** @throws {NoAccessError} while a token that Slack refused is not to be used again. */
  check(workspace: string, token: string): void {
    const loss = this.#lost.get(workspace);
    if (!loss || loss.token !== token || this.#clock.steady() >= loss.next) return;
    throw new NoAccessError(this.#lasted(loss), loss.detail);
  }

  /** Notes that the bot has no access to a workspace; answers the error that says so. */
  async note(workspace: string, token: string | undefined, error: unknown): Promise<NoAccessError> {
    this.#fine.delete(workspace);
    const now = this.#clock.steady();
    const before = this.#lost.get(workspace) ?? (await this.#noted(workspace));
    const isDue = before.token !== token || now >= before.next;
    const tries = before.token === token ? before.tries + (isDue ? 1 : 0) : 1;
    const detail = slackCode(error) ?? 'troupe is not installed there';
    const next = isDue ? now + waitAfter(tries, waits) : before.next;
    const loss = await this.#written(workspace, { ...before, token, detail, tries, next });
    this.#lost.delete(workspace);
    this.#lost.set(workspace, loss);
    const [oldest] = this.#lost.keys();
    if (this.#lost.size > remembered && oldest !== undefined) this.#lost.delete(oldest);
    return new NoAccessError(this.#lasted(loss), detail, { cause: error });
  }

  /** Slack takes the bot's token in a workspace. */
  async over(workspace: string): Promise<void> {
    if (this.#fine.has(workspace)) return;
    await this.#memory.delete(keyOf(workspace));
    this.#lost.delete(workspace);
    this.#fine.add(workspace);
    const [oldest] = this.#fine;
    if (this.#fine.size > remembered && oldest !== undefined) this.#fine.delete(oldest);
  }

  /** There is reason to believe that a token works again, in a workspace or anywhere: it's used at once. */
  askAgain(workspace?: string): void {
    const workspaces = workspace === undefined ? [...this.#lost.keys()] : [workspace];
    for (const name of workspaces) {
      const loss = this.#lost.get(name);
      if (loss) this.#lost.set(name, { ...loss, tries: 0, next: 0 });
    }
  }

  async #noted(workspace: string): Promise<Loss> {
    const before = (await this.#memory.get<number>(keyOf(workspace)).catch(() => undefined)) ?? 0;
    const since = this.#clock.steady();
    return { before, since, token: undefined, detail: undefined, tries: 0, next: 0, noted: -notedEvery };
  }

  async #written(workspace: string, loss: Loss): Promise<Loss> {
    const lasted = this.#lasted(loss);
    if (lasted - loss.noted < notedEvery) return loss;
    // What can't be written down now is later.
    const isWritten = await this.#memory.set(keyOf(workspace), lasted, lifetime).then(
      () => true,
      () => false,
    );
    return isWritten ? { ...loss, noted: lasted } : loss;
  }

  #lasted({ before, since }: Loss): number {
    return before + this.#clock.steady() - since;
  }
}

function keyOf(workspace: string): string {
  return `no access ${workspace}`;
}
