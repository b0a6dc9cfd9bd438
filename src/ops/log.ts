import { type Logger, pino } from 'pino';
import { LogDestination, standardOutput } from './log-destination.ts';
import { noTracing, type Tracing } from './tracing.ts';

export type Log = Logger;

/** Property names that are redacted, in case a secret is logged by mistake. */
const secretNames = [
  'key',
  'apiKey',
  'token',
  'authorization',
  'Authorization',
  'secret',
  'password',
  'cookie',
];

/**
 * Logs JSON lines to stdout; readable lines on a terminal. It holds no keys and no content of messages, and
 * never blocks or stops the process. While there are traces, lines have the ids of theirs.
 */
export async function createLog(
  level: string,
  terminal = Boolean(process.stdout.isTTY),
  destination = new LogDestination(standardOutput()),
  tracing: Tracing = noTracing,
): Promise<Log> {
  const options = {
    level,
    base: null,
    ...(tracing.tracer.isOn && { mixin: () => tracing.ids() }),
    serializers: { error: serializeError, err: serializeError },
    redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: '[secret]' },
  };
  if (!terminal) return pino(options, destination);
  const { prettyFactory } = await import('pino-pretty');
  const lines = prettyFactory({ colorize: true, translateTime: 'HH:MM:ss' });
  return pino(options, { write: (line: string) => destination.write(lines(line) ?? '') });
}

/** An error without its extra properties: libraries attach whole requests, with headers and content. */
function serializeError(error: unknown, depth = 0): unknown {
  // An error given as its message, when its stack would add nothing.
  if (typeof error === 'string') return error;
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, message, stack, cause } = error;
  const facts: Record<string, unknown> = { name, message, stack };
  for (const fact of ['code', 'status', 'requestId', 'outcome', 'kind'] as const) {
    const value = (error as unknown as Record<string, unknown>)[fact];
    if (typeof value === 'string' || typeof value === 'number') facts[fact] = value;
  }
  if (cause !== undefined && depth < 4) facts.cause = serializeError(cause, depth + 1);
  return facts;
}
