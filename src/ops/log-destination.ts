import { writeSync } from 'node:fs';
import type { Writable } from 'node:stream';

/** Lines wait for a reader that is slow up to so many bytes; what comes then is dropped. */
const mostPending = 2 ** 20;

/** Where lines go. It neither throws nor waits, whatever becomes of them. */
export interface LineOutput {
  /** Bytes that are still on their way. */
  readonly pending: number;
  /** Tells whether the line arrived. */
  write(line: string, done: (arrived: boolean) => void): void;
}

/**
 * Where the log goes: a destination that takes nothing (a full disk, a reader that is gone or asleep) costs the
 * lines that are written meanwhile and nothing else. How many that were is the first line when it takes some again.
 */
export class LogDestination {
  readonly #output: LineOutput;
  #dropped = 0;

  constructor(output: LineOutput) {
    this.#output = output;
  }

  write(line: string): void {
    if (this.#output.pending > mostPending) {
      this.#dropped += 1;
      return;
    }
    const dropped = this.#dropped;
    this.#dropped = 0;
    this.#output.write(dropped === 0 ? line : wordOf(dropped) + line, (arrived) => {
      if (!arrived) this.#dropped += dropped + 1;
    });
  }

  /** Resolves when nothing is on its way any more, or after so many milliseconds. */
  async flushed(milliseconds: number): Promise<void> {
    const end = performance.now() + milliseconds;
    while (this.#output.pending > 0 && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

function wordOf(dropped: number): string {
  const entry = { level: 40, time: Date.now(), lines: dropped, msg: 'lines of the log were dropped' };
  return `${JSON.stringify(entry)}\n`;
}

const ignore = () => {};

/** Standard output: a file is written at once; a pipe, a socket or a terminal takes it when it can. */
export function standardOutput(): LineOutput {
  // A reader that is gone is told by an event too, which would end the process.
  if (!process.stdout.listeners('error').includes(ignore)) process.stdout.on('error', ignore);
  return '_handle' in process.stdout ? streamOutput(process.stdout) : fileOutput(1);
}

/** A file; a line that was cut off by a full disk is ended before the next one begins. */
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
