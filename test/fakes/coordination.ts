import { EventEmitter } from 'node:events';
import type { Coordination } from '../../src/coordination/index.ts';
import { type Clock, KeyedQueue } from '../../src/lib/clock.ts';
import { LeaseEndedError } from '../../src/store/index.ts';

/** Processes of one bot within a test: each call is another, and all share locks, signals and slots in memory. */
export function processesSharing(clock: Clock): () => Coordination & Required<Pick<Coordination, 'slots'>> {
  const locks = new KeyedQueue();
  const signals = new EventEmitter().setMaxListeners(0);
  const uses = new Map<string, number[]>();
  const living = new Set<string>();
  const present = new Set<string>();
  let count = 0;
  return () => {
    const process = `process ${++count}`;
    living.add(process);
    present.add(process);
    return {
      process,
      locks,
      signals: {
        send: async (topic, text) => void signals.emit(topic, text),
        on(topic, listener) {
          signals.on(topic, listener);
          return () => void signals.off(topic, listener);
        },
      },
      others: {
        watch: () => () => {},
        living: async () => new Set(living),
        present: async () => living.intersection(present),
        async ended() {
          living.delete(process);
        },
      },
      async close() {
        present.delete(process);
      },
      async expectLiving() {
        if (!living.has(process)) throw new LeaseEndedError();
      },
      slots: (name, most, milliseconds) => ({
        async take(kept = 0) {
          const now = clock.steady();
          const recent = (uses.get(name) ?? []).filter((at) => at > now - milliseconds);
          const over = recent.length + kept - most;
          const wait = over < 0 ? 0 : (recent[over] ?? now) + milliseconds - now;
          uses.set(name, wait > 0 ? recent : [...recent, now]);
          return wait;
        },
      }),
    };
  };
}
