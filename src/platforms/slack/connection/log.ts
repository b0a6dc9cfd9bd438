import { LogLevel, type webApi } from '@slack/bolt';
import { stopEventMissing } from '../api/errors.ts';

/** Where the platform writes what operators should know; pino fits. */
export interface Log {
  debug(detail: object, message: string): void;
  info(detail: object, message: string): void;
  warn(detail: object, message: string): void;
  error(detail: object, message: string): void;
}

/**
 * A logger for Slack's libraries. Their own words go to the log as they are from `warn` on; below that they
 * hold requests with what people wrote, which belongs into no log.
 */
export function libraryLogger(log: Log): webApi.Logger {
  const note = (level: 'warn' | 'error', parts: unknown[]) =>
    log[level]({ library: '@slack' }, parts.map(wordsOf).join(' '));
  return {
    debug() {},
    info() {},
    // The library tells of it with each answer; `AgentSessions` tells what to do about it, once.
    warn: (...parts) => parts[0] !== stopEventMissing && note('warn', parts),
    error: (...parts) => note('error', parts),
    setLevel() {},
    getLevel: () => LogLevel.WARN,
    setName() {},
  };
}

function wordsOf(part: unknown): string {
  const text = part instanceof Error ? part.message : typeof part === 'string' ? part : typeof part;
  return text.replace(/\bx(?:ox[a-z]|app)-[\w-]+/g, '[token]').slice(0, 500);
}
