import { randomUUID } from 'node:crypto';
import type { Coordination } from '../../../../coordination/index.ts';
import { type Clock, sleep } from '../../../../lib/clock.ts';
import type { Records } from '../../../../store/index.ts';
import type { Log } from '../log.ts';

/** Milliseconds for another process to take an interaction; what nobody takes is handled by the one that offers it. */
const patience = 700;
/** Milliseconds for which an offer is kept. */
const life = 60_000;
/** Said with the key of what's offered. */
const topic = 'discord interaction offered';

export interface HandoverDependencies<Raw> {
  readonly records: Pick<Records, 'set' | 'get'>;
  readonly coordination: Pick<Coordination, 'slots' | 'signals'>;
  /** Takes what another process offers; undefined while this one takes nothing. */
  readonly take: () => ((raw: Raw) => Promise<void>) | undefined;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Hands interactions that come to a process that stops, or isn't ready yet, to the others. The first that claims one
 * handles it, as with any that comes to several processes.
 */
export class Handover<Raw> {
  readonly #dependencies: HandoverDependencies<Raw>;
  readonly #unheard: () => void;

  constructor(dependencies: HandoverDependencies<Raw>) {
    this.#dependencies = dependencies;
    const { coordination, log } = dependencies;
    this.#unheard = coordination.signals.on(topic, (key) =>
      this.#take(key).catch((error: unknown) =>
        log.warn({ error }, 'an interaction that another process offered could not be taken'),
      ),
    );
  }

  /** Offers an interaction to the others, and gives them time to take it; without others there's just the time. */
  async offer(raw: Raw): Promise<void> {
    const { records, coordination, clock, log } = this.#dependencies;
    const waited = sleep(clock, patience);
    if (coordination.slots) {
      const key = `offered ${randomUUID()}`;
      const offered = records.set(key, raw, life).then(() => coordination.signals.send(topic, key));
      // Nobody takes it then, and it's handled here.
      offered.catch((error: unknown) =>
        log.warn({ error }, 'an interaction could not be offered to other processes'),
      );
    }
    await waited;
  }

  close(): void {
    this.#unheard();
  }

  async #take(key: string): Promise<void> {
    const { records, take } = this.#dependencies;
    const raw = take() && (await records.get<Raw>(key));
    if (raw !== undefined) await take()?.(raw);
  }
}
