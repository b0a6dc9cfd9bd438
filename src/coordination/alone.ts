import { EventEmitter } from 'node:events';
import { KeyedQueue } from '../lib/keyed-queue.ts';
import { randomId } from '../lib/random-id.ts';
import type { Coordination } from './coordination.ts';

/** A process that has its database to itself: everything is in memory. */
export function alone(): Coordination {
  const signals = new EventEmitter().setMaxListeners(0);
  const process = randomId();
  return {
    process,
    locks: new KeyedQueue(),
    signals: {
      async send(topic, text) {
        signals.emit(topic, text);
      },
      on(topic, listener) {
        signals.on(topic, listener);
        return () => void signals.off(topic, listener);
      },
    },
    others: {
      watch: () => () => {},
      isPresent: async (other) => other === process,
      onAbsence: () => () => {},
      living: async () => new Set([process]),
      async ended() {},
    },
    async close() {},
  };
}
