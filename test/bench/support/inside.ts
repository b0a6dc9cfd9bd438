/** Loaded into the bot's process before the bot (`node --expose-gc --import`): tells on request what it holds. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What the process holds after a garbage collection, and how its event loop did since the last look. */
export interface Look {
  /** In bytes. */
  readonly heap: number;
  /** The longest the event loop was held, in milliseconds. */
  readonly longest: number;
  /** CPU time of the process since its start, in milliseconds. */
  readonly cpu: number;
}

const delays = monitorEventLoopDelay({ resolution: 5 });
delays.enable();

process.on('message', () => {
  const longest = delays.max / 1e6;
  const { user, system } = process.cpuUsage();
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  delays.reset();
  process.send?.({ heap: heapUsed + external, longest, cpu: (user + system) / 1e3 } satisfies Look);
});
// The channel alone keeps no process alive.
process.channel?.unref();
