import type { Clock } from '../../lib/clock.ts';
import type { Calls } from '../calls.ts';
import type { ShapeReporter } from '../decode/shape.ts';
import type { ServiceLog } from '../log.ts';
import type { Limits, Timeouts } from '../options.ts';

/** Shared dependencies of a client's operations. */
export interface Context {
  calls: Calls;
  clock: Clock;
  log: ServiceLog;
  shapes: ShapeReporter;
  limits: Limits;
  timeouts: Timeouts;
  /** Aborted when the client is closed. */
  closed: AbortSignal;
}
