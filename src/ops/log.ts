import { type Logger, pino } from 'pino';
import { LogDestination, standardOutput } from './log-destination.ts';

export type Log = Logger;

/** Names under which secrets could be logged by mistake; the second line of defence, never logging them is the first. */
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
 * JSON lines, by default on stdout; readable ones on a terminal. Neither holds keys or what people wrote, and
 * neither stops the process when it cannot be written.
 */
export async function createLog(
  level: string,
  terminal = Boolean(process.stdout.isTTY),
  destination = new LogDestination(standardOutput()),
): Promise<Log> {
  const options = {
    level,
    base: null,
    serializers: { error: serializeError, err: serializeError },
    redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: '[secret]' },
  };
  if (!terminal) return pino(options, destination);
  const { prettyFactory } = await import('pino-pretty');
  const lines = prettyFactory({ colorize: true, translateTime: 'HH:MM:ss' });
  return pino(options, { write: (line: string) => destination.write(lines(line) ?? '') });
}

/**
 * An error without what its class hangs on it: libraries attach whole requests, with what people wrote and the
 * headers they were sent with.
 */
function serializeError(error: unknown, depth = 0): unknown {
  // What an error says in one line, where its stack would tell nothing more.
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
