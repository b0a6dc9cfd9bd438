import { CommandWatch } from '../../src/engine/command-watch.ts';
import { noTelemetry } from '../../src/lib/telemetry.ts';

/** A watch of commands that tells nobody. */
export function unwatched(): CommandWatch {
  return new CommandWatch({
    telemetry: noTelemetry,
    clock: { now: () => 0 },
    endOf: () => ({ outcome: 'failed', reason: 'unexpected' }),
    traces: { get: async () => undefined, set: async () => {} },
  });
}
