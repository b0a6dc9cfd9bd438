import type { Signals } from '../../../coordination/index.ts';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { type Clock, waitAfter, type Waits } from '../../../lib/clock.ts';
import { NoAccessError } from '../../../port/index.ts';
import type { KeyValueStore } from '../../../store/index.ts';
import { slackCode } from './errors.ts';

/** Between calls with a token that Slack refuses, in milliseconds. */
const waits: Waits = { first: 30_000, longest: 86_400_000 };
/** How often the duration of a loss is stored, in milliseconds; and how long it’s kept. */
const notedEvery = 3_600_000;
const lifetime = 90 * 86_400_000;
/** How many workspaces are remembered, without access and with it. */
const remembered = 5_000;

/** Topics of signals; the text is the workspace. */
const lost = 'slack-access-lost';
const back = 'slack-access-back';

interface Loss {
  /** How long it had lasted when this process noticed it, in milliseconds. */
  readonly before: number;
  /** By `steady`. */
  readonly since: number;
  /** The refused token; undefined where there is none. */
  readonly token: string | undefined;
  readonly detail: string | undefined;
  readonly tries: number;
  /** By `steady`: when the token may be used again. */
  readonly next: number;
  /** The duration that was stored last, in milliseconds. */
  readonly noted: number;
}

/**
 * Workspaces where the bot has lost access. Posts that are still due there keep trying: with a refused token less and
 * less often, once a day in the end; with another token, or once an event arrives from the workspace, at once.
 */
export class AccessLosses {
  readonly #store: KeyValueStore;
  readonly #clock: Clock;
  readonly #signals: Signals;
  readonly #lost = new BoundedMap<string, Loss>({ most: remembered });
  /** Workspaces with access, where nothing is stored any more. */
  readonly #fine = new BoundedMap<string, true>({ most: remembered });

  constructor(store: KeyValueStore, clock: Clock, signals: Signals) {
    this.#store = store;
    this.#clock = clock;
    this.#signals = signals;
    signals.on(lost, (workspace) => this.#fine.delete(workspace));
    signals.on(back, (workspace) => this.askAgain(workspace));
  }

  /** @throws {NoAccessError} while a token that Slack refused is not to be used again. */
  check(workspace: string, token: string): void {
    const loss = this.#lost.get(workspace);
    if (!loss || loss.token !== token || this.#clock.steady() >= loss.next) return;
    throw new NoAccessError(this.#lasted(loss), loss.detail);
  }

  /** Notes that the bot has no access to a workspace; returns the error that says so. */
  async note(workspace: string, token: string | undefined, error: unknown): Promise<NoAccessError> {
    this.#fine.delete(workspace);
    const now = this.#clock.steady();
    if (!this.#lost.has(workspace)) await this.#tell(lost, workspace);
    const before = this.#lost.get(workspace) ?? (await this.#stored(workspace));
    const isDue = before.token !== token || now >= before.next;
    const tries = before.token === token ? before.tries + (isDue ? 1 : 0) : 1;
    const detail = slackCode(error) ?? 'troupe is not installed there';
    const next = isDue ? now + waitAfter(tries, waits) : before.next;
    const loss = await this.#save(workspace, { ...before, token, detail, tries, next });
    this.#lost.set(workspace, loss);
    return new NoAccessError(this.#lasted(loss), detail, { cause: error });
  }

  /** Slack accepts the bot’s token in a workspace. */
  async over(workspace: string): Promise<void> {
    if (this.#fine.has(workspace)) return;
    const wasLost = await this.#store.delete(keyOf(workspace));
    this.#lost.delete(workspace);
    this.#fine.set(workspace, true);
    if (wasLost) await this.#tell(back, workspace);
  }

  /** A token may work again, in one workspace or in all: it’s tried at once. */
  askAgain(workspace?: string): void {
    const workspaces = workspace === undefined ? this.#lost.keys() : [workspace];
    for (const name of workspaces) {
      const loss = this.#lost.get(name);
      if (loss) this.#lost.set(name, { ...loss, tries: 0, next: 0 });
    }
  }

  /** The other processes, of which each keeps its own time between its tries. */
  async #tell(topic: string, workspace: string): Promise<void> {
    await this.#signals.send(topic, workspace).catch(() => undefined);
  }

  async #stored(workspace: string): Promise<Loss> {
    const before = (await this.#store.get<number>(keyOf(workspace)).catch(() => undefined)) ?? 0;
    const since = this.#clock.steady();
    return { before, since, token: undefined, detail: undefined, tries: 0, next: 0, noted: -notedEvery };
  }

  async #save(workspace: string, loss: Loss): Promise<Loss> {
    const lasted = this.#lasted(loss);
    if (lasted - loss.noted < notedEvery) return loss;
    // What can’t be stored now is stored later.
    const isStored = await this.#store.set(keyOf(workspace), lasted, lifetime).then(
      () => true,
      () => false,
    );
    return isStored ? { ...loss, noted: lasted } : loss;
  }

  #lasted({ before, since }: Loss): number {
    return before + this.#clock.steady() - since;
  }
}

function keyOf(workspace: string): string {
  return `no access ${workspace}`;
}
