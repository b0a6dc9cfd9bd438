import { createLog, type Log, LogDestination, noTracing, type Tracing } from '../../../src/ops/index.ts';

/** The bot's own log; silent, or with everything it says at level `trace` kept in `lines`. */
export function keptLog(lines: string[] | undefined, tracing: Tracing = noTracing): Promise<Log> {
  if (!lines) return createLog('silent', false);
  const write = (line: string, done: (arrived: boolean) => void) => {
    lines.push(line);
    done(true);
  };
  return createLog('trace', false, new LogDestination({ pending: 0, write }), tracing);
}
