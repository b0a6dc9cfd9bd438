import type { Signals } from '../../../coordination/index.ts';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { KeyValueStore } from '../api/key-value-store.ts';

/** Keys whose values are remembered, and how long for in milliseconds where the word of a change was lost. */
const remembered = { most: 1_000, milliseconds: 60_000 };
/** Some process has changed a value; the text is its key. */
const topic = 'slack installation';

/**
 * A store for what every call of Slack reads and hardly anything changes: it's read once, and again when any process of
 * the bot has changed it.
 */
export function rememberedStore(store: KeyValueStore, signals: Signals, clock: Clock): KeyValueStore {
  const reads = new BoundedMap<string, Promise<unknown>>({
    most: remembered.most,
    lifetime: { milliseconds: remembered.milliseconds, clock },
  });
  signals.on(topic, (key) => void reads.delete(key));
  const read = (key: string) => {
    const reading = store.get(key);
    reads.set(key, reading);
    reading.catch(() => reads.get(key) === reading && reads.delete(key));
    return reading;
  };
  /** Afterwards, so that nothing read in the meantime stays. */
  const changed = async (key: string) => {
    reads.delete(key);
    // Those that don't hear it read it again a while later.
    await signals.send(topic, key).catch(() => undefined);
  };
  return {
    get: <T>(key: string) => (reads.get(key) ?? read(key)) as Promise<T | undefined>,
    async set(key, value, lifetime) {
      await store.set(key, value, lifetime);
      await changed(key);
    },
    async delete(key) {
      const wasThere = await store.delete(key);
      await changed(key);
      return wasThere;
    },
  };
}
