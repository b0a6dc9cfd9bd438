import { writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
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

/** Bytes buffered for a slow reader; lines beyond that are dropped. */
const maxPending = 2 ** 20;
/** How long the last lines may take to be written, in milliseconds. */
const lastLines = 500;

/** Writes log lines; never throws or blocks. */
export interface LineOutput {
  /** Bytes not written yet. */
  readonly pending: number;
  /** `done` is called with whether the line was written. */
  write(line: string, done: (arrived: boolean) => void): void;
}

/**
 * The log's destination. While it can't be written (a full disk, a reader that is gone or blocked), lines are
 * dropped; the next line that can be written says how many.
 */
export class LogDestination {
  readonly #output: LineOutput;
  #dropped = 0;

  constructor(output: LineOutput) {
    this.#output = output;
  }

  write(line: string): void {
    if (this.#output.pending > maxPending) {
      this.#dropped += 1;
      return;
    }
    const dropped = this.#dropped;
    this.#dropped = 0;
    this.#output.write(dropped === 0 ? line : droppedNotice(dropped) + line, (arrived) => {
      if (!arrived) this.#dropped += dropped + 1;
    });
  }

  /** Resolves when everything is written, or when that takes too long. */
  async flushed(): Promise<void> {
    const end = performance.now() + lastLines;
    while (this.#output.pending > 0 && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

function droppedNotice(dropped: number): string {
  const entry = { level: 40, time: Date.now(), lines: dropped, msg: 'log lines were dropped' };
  return `${JSON.stringify(entry)}\n`;
}

const ignore = () => {};

/** Standard output: synchronous for a file, asynchronous for a pipe, a socket or a terminal. */
export function standardOutput(): LineOutput {
  // A closed pipe emits `error` too, which would end the process.
  if (!process.stdout.listeners('error').includes(ignore)) process.stdout.on('error', ignore);
  if (!('_handle' in process.stdout)) return fileOutput(1);
  const handle = process.stdout._handle as { fd?: number; setBlocking?(blocks: boolean): void } | null;
  // Node waits for a terminal, which may take nothing for hours: Ctrl+S, or a connection that’s gone. Where it can’t open
  // it anew, as after `su`, that has the number 1 still, and whoever else writes there wouldn’t wait either.
  if (process.stdout.isTTY && handle?.fd !== 1) handle?.setBlocking?.(false);
  return streamOutput(process.stdout);
}

/** A file. A line cut off by a full disk is ended before the next one. */
export function fileOutput(fd: number): LineOutput {
  let isCut = false;
  return {
    pending: 0,
    write(line, done) {
      const bytes = Buffer.from(isCut ? `\n${line}` : line);
      try {
        const written = writeSync(fd, bytes);
        isCut = written < bytes.length && (written > 0 || isCut);
        done(written === bytes.length);
      } catch {
        done(false);
      }
    },
  };
}

export function streamOutput(stream: Writable): LineOutput {
  return {
    get pending() {
      return stream.writableLength;
    },
    write: (line, done) => void stream.write(line, (error) => done(!error)),
  };
}
