import type Keyv from 'keyv';
import type { TraceRecords } from '../engine/index.ts';

/** How long what goes on later finds its command's trace, in milliseconds: longer than a render waits. */
const life = 8 * 86_400_000;

/** Traces of commands, by their jobs. */
export function traceRecords(keyv: Pick<Keyv, 'get' | 'set'>): TraceRecords {
  return {
    keep: async (job, traceparent) => void (await keyv.set(job, traceparent, life)),
    find: async (job) => {
      const found: unknown = await keyv.get(job);
      return typeof found === 'string' ? found : undefined;
    },
  };
}
