import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import {
  createLog,
  fileOutput,
  type LineOutput,
  LogDestination,
  standardOutput,
  streamOutput,
} from '../../src/ops/index.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** An output that takes lines or not, as a test says. */
function switchable() {
  const lines: string[] = [];
  const output: LineOutput & { takes: boolean } = {
    pending: 0,
    takes: true,
    write(line: string, done: (arrived: boolean) => void) {
      if (output.takes) lines.push(...line.trimEnd().split('\n'));
      done(output.takes);
    },
  };
  return { output, messages: () => lines.map((line) => JSON.parse(line)) };
}

describe('the log', () => {
  it('keeps the message of an error given as text, and nothing of other values', async () => {
    const { output, messages } = switchable();
    const log = await createLog('info', false, new LogDestination(output));
    log.warn({ error: String(new Error('Slack answered invalid_code')) }, 'failed');
    log.warn({ error: { request: 'with what a person wrote' } }, 'failed');
    expect(messages().map(({ error }) => error)).toEqual([
      'Error: Slack answered invalid_code',
      { type: 'object' },
    ]);
  });

  it('goes on when its destination takes lines again, and says how many were lost', async () => {
    const { output, messages } = switchable();
    const log = await createLog('info', false, new LogDestination(output));
    log.info({}, 'before');
    output.takes = false;
    for (let line = 0; line < 5; line++) log.error({ error: new Error('x') }, 'lost');
    output.takes = true;
    log.info({}, 'after');
    log.info({}, 'later');
    expect(messages().map(({ msg, lines }) => lines ?? msg)).toEqual(['before', 5, 'after', 'later']);
  });

  it('is readable on a terminal by the same destination', async () => {
    const written: string[] = [];
    const write = (line: string, done: (arrived: boolean) => void) => {
      written.push(line);
      done(true);
    };
    const log = await createLog('info', true, new LogDestination({ pending: 0, write }));
    log.info({ jobs: 2 }, 'hello');
    expect(written.join('')).toMatch(/INFO.*hello[\s\S]*jobs.*2/);
  });

  it('keeps no more than a bounded number of lines for a reader that sleeps', async () => {
    const waiting: (() => void)[] = [];
    const lines: string[] = [];
    const stream = new Writable({
      write(chunk, _, done) {
        lines.push(String(chunk));
        waiting.push(done);
      },
    });
    const log = await createLog('info', false, new LogDestination(streamOutput(stream)));
    const count = 20_000;
    for (let line = 0; line < count; line++) log.info({ text: 'x'.repeat(100) }, `line ${line}`);
    expect(stream.writableLength).toBeLessThan(1.1 * 2 ** 20);
    while (stream.writableLength > 0) {
      waiting.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    log.info({}, 'awake');
    waiting.shift()?.();
    const all = lines
      .join('')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { lines: dropped } = all.find((entry) => entry.lines !== undefined);
    expect(dropped + all.length).toBe(count + 2);
  });

  it('survives a reader that is gone', async () => {
    const stream = new Writable({
      write: (_, __, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    }).on('error', () => {});
    const log = await createLog('info', false, new LogDestination(streamOutput(stream)));
    for (let line = 0; line < 3; line++) log.info({}, 'nobody reads this');
    await new Promise((resolve) => setImmediate(resolve));
    expect(stream.destroyed).toBe(true);
  });

  it.runIf(process.platform === 'linux')('takes no harm from a full disk', async () => {
    const full = openSync('/dev/full', 'w');
    const log = await createLog('info', false, new LogDestination(fileOutput(full)));
    for (let line = 0; line < 1_000; line++) log.info({}, 'no room');
    closeSync(full);
  });

  it('goes to a file line by line', async () => {
    const folder = await temporaryFolder();
    const file = openSync(join(folder, 'log'), 'a');
    const log = await createLog('info', false, new LogDestination(fileOutput(file)));
    log.info({}, 'one');
    log.info({}, 'two');
    closeSync(file);
    const lines = readFileSync(join(folder, 'log'), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['one', 'two']);
  });
});

describe('standard output', () => {
  it('gets one listener, however many logs write to it', () => {
    standardOutput();
    const before = process.stdout.listenerCount('error');
    for (let log = 0; log < 20; log++) standardOutput();
    expect(process.stdout.listenerCount('error')).toBe(before);
  });
});
