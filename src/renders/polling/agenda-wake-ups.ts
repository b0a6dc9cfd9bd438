import type { Clock } from '../../lib/clock.ts';
import { Agenda } from './agenda.ts';
import type { PendingRender, Sleeper, WakeUps } from './wake-ups.ts';

/** Wake-ups in memory, for a bot of one process. At a start all open renders are put here again. */
export class AgendaWakeUps implements WakeUps {
  readonly areShared = false;
  readonly #agenda: Agenda<PendingRender>;
  readonly #asleep = new Set<string>();
  #onDue = () => {};

  constructor(clock: Clock) {
    this.#agenda = new Agenda(clock, () => this.#onDue());
  }

  start(onDue: () => void): void {
    this.#onDue = onDue;
  }

  async put(sleepers: readonly Sleeper[]): Promise<void> {
    for (const { render, milliseconds } of sleepers) {
      if (this.#asleep.has(render.id)) continue;
      this.#asleep.add(render.id);
      this.#agenda.put(render, milliseconds);
    }
  }

  async take(most: number): Promise<readonly PendingRender[]> {
    const taken: PendingRender[] = [];
    while (taken.length < most) {
      const render = this.#agenda.take();
      if (!render) break;
      this.#asleep.delete(render.id);
      taken.push(render);
    }
    return taken;
  }

  async drop(): Promise<void> {}

  outstanding(inHand: number): number {
    return inHand + this.#asleep.size;
  }

  async close(): Promise<void> {
    this.#agenda.clear();
    this.#asleep.clear();
  }
}
