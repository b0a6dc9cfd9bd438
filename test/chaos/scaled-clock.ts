import type { Clock } from '../../src/lib/clock.ts';

/** Slack's and Discord's limit for an acknowledgement, in milliseconds: the machine does not work faster. */
const acknowledgement = 3_000;

/** A clock that runs several times as fast as the machine's, for servers of a bot with the same clock. */
export function scaledClock(scale: number): Clock {
  const began = Date.now();
  return {
    now: () => Math.round(began + (Date.now() - began) * scale),
    steady: () => performance.now() * scale,
    jitter: () => Math.random(),
    after(milliseconds, task) {
      const real = milliseconds === acknowledgement ? milliseconds : milliseconds / scale;
      const timer = setTimeout(task, real);
      return () => clearTimeout(timer);
    },
  };
}
