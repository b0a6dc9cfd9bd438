import { LogLevel, type webApi } from '@slack/bolt';
import { stopEventMissing } from './errors.ts';

/** Where the platform logs; pino fits. */
export interface Log {
  debug(detail: object, message: string): void;
  info(detail: object, message: string): void;
  warn(detail: object, message: string): void;
  error(detail: object, message: string): void;
}

/**
 * What the libraries warn of each time: `AgentSessions` logs once what to do about the first, the receiver of the other what
 * it was.
 */
const toldElsewhere: readonly unknown[] = [
  stopEventMissing,
  'Authorization of incoming event did not succeed. No listeners will be called.',
];

/**
 * A logger for Slack’s libraries. Their messages are logged as they are from `warn` on; below that they have requests
 * with what people wrote, which must not be logged.
 */
export function libraryLogger(log: Log): webApi.Logger {
  const note = (level: 'warn' | 'error', parts: unknown[]) =>
    log[level]({ library: '@slack' }, parts.map(wordsOf).join(' '));
  return {
    debug() {},
    info() {},
    warn: (...parts) => toldElsewhere.includes(parts[0]) || note('warn', parts),
    error: (...parts) => note('error', parts),
    setLevel() {},
    getLevel: () => LogLevel.WARN,
    setName() {},
  };
}

/** For calls whose outcome is told elsewhere. */
export const silentLogger = libraryLogger({ debug() {}, info() {}, warn() {}, error() {} });

function wordsOf(part: unknown): string {
  const text = part instanceof Error ? part.message : typeof part === 'string' ? part : typeof part;
  return text.replace(/\bx(?:ox[a-z]|app)-[\w-]+/g, '[token]').slice(0, 500);
}
