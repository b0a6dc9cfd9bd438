import { beforeEach, describe, expect, it } from 'vitest';
import {
  LiveReply,
  type LiveReplyOptions,
  Pacer,
  type ReplyProgress,
  type ReplySink,
  RetryableWriteError,
  splitMarkdown,
  WriteTimeoutError,
} from '../../src/reply/index.ts';
import { FakeClock, settle } from '../fakes/clock.ts';
import { RecordingSink, RecordingSinkWithFiles } from './recording-sink.ts';

const rate = { limit: 5, window: 5_000 };
const done = { kind: 'done' } as const;
const longText = Array.from({ length: 400 }, (_, index) => `Sentence number ${index} of many.`).join(' ');

let clock: FakeClock;
let sink: RecordingSink;
let failures: unknown[];

beforeEach(() => {
  clock = new FakeClock();
  sink = new RecordingSink(clock);
  failures = [];
});

function reply(options: Partial<LiveReplyOptions<number>> = {}): LiveReply<number> {
  const onFailure = (error: unknown) => void failures.push(error);
  return new LiveReply({ sink, clock, pacer: new Pacer(clock, rate), onFailure, ...options });
}

/** Lets time pass until the promise is settled. */
async function passing<Result>(promise: Promise<Result>): Promise<Result> {
  let settled = false;
  promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  for (let turns = 0; !settled && turns < 10_000; turns++) if (!(await clock.runNext())) await settle();
  return promise;
}

describe('first words', () => {
  it('go out at once', async () => {
    reply().append('Hello');
    await settle();
    expect(sink.texts).toEqual(['Hello']);
    expect(sink.writes[0]).toMatchObject({ kind: 'post', at: clock.now() });
  });

  it('wait for something to show', async () => {
    const live = reply();
    for (const delta of ['', ' ', '\n\n', '**']) live.append(delta);
    await clock.advance(10_000);
    expect(sink.writes).toEqual([]);
    live.append('Hi');
    await settle();
    expect(sink.texts).toEqual(['**Hi**']);
  });

  it('and ends do not wait for a slot of growth', async () => {
    const pacer = new Pacer(clock, rate);
    const live = reply({ pacer });
    live.append('First');
    await settle();
    live.append(' and more');
    await clock.advance(100);
    expect(sink.texts).toEqual(['First']);
    void live.finish(done);
    await settle();
    expect(sink.texts).toEqual(['First', 'First and more']);
  });

  it('do not wait behind the edits of others', async () => {
    const pacer = new Pacer(clock, rate);
    const others = Array.from({ length: 4 }, () => reply({ pacer }));
    for (const other of others) other.append('first');
    await settle();
    for (const other of others) other.append(' and second');
    await clock.advance(100);
    expect(sink.writes).toHaveLength(4);
    reply({ pacer }).append('latecomer');
    await settle();
    expect(sink.texts.at(-1)).toBe('latecomer');
  });
});

describe('a hint', () => {
  it('is shown only if the text keeps waiting, and from what the budget has left over', async () => {
    const pacer = new Pacer(clock, rate);
    const live = reply({ pacer, hintAfter: 3_000 });
    live.hint('Yours comes next');
    await clock.advance(2_999);
    expect(sink.writes).toEqual([]);
    for (let used = 0; used < 3; used++) await pacer.slot({ urgency: 'first' });
    await clock.advance(4_999);
    expect(sink.writes).toEqual([]);
    await clock.advance(1);
    expect(sink.texts).toEqual(['Yours comes next']);
  });

  it('gives way to the first words where it waits, and is dropped where its turn has come', async () => {
    const pacer = new Pacer(clock, rate);
    for (let used = 0; used < 4; used++) await pacer.slot({ urgency: 'first' });
    const [talking, dropped] = [reply({ pacer }), reply({ pacer })];
    for (const live of [talking, dropped]) live.hint('Yours comes next');
    await settle();
    dropped.hint(undefined);
    talking.append('Words');
    await settle();
    expect(sink.texts).toEqual(['Words']);
    await clock.advance(60_000);
    expect(sink.texts).toEqual(['Words']);
    await passing(dropped.finish({ kind: 'failed', note: 'Nothing came' }));
    expect(sink.texts).toEqual(['Words', 'Nothing came']);
  });

  it('stands there until the first words come, and is no part of the text', async () => {
    const told: ReplyProgress<number>[] = [];
    const live = reply({ onProgress: (progress) => void told.push(progress) });
    live.hint('Number 3 in line');
    await settle();
    live.hint('Number 2 in line');
    await clock.advance(10_000);
    expect(sink.texts).toEqual(['Number 3 in line', 'Number 2 in line']);
    expect(told.at(-1)).toEqual({ handles: [0], texts: [], lastText: '' });
    live.append('Hello');
    live.hint('too late');
    await passing(live.finish(done));
    expect(sink.messages).toEqual(['Hello']);
    expect(live.text).toBe('Hello');
  });

  it('does not hold up the first words', async () => {
    const live = reply();
    live.hint('Number 1 in line');
    await settle();
    live.append('Hello');
    await settle();
    expect(sink.texts).toEqual(['Number 1 in line', 'Hello']);
    live.append(' world');
    await clock.advance(999);
    expect(sink.writes).toHaveLength(2);
  });

  it('gives way to how the reply ends', async () => {
    const live = reply();
    live.hint('Number 3 in line');
    await settle();
    await passing(live.finish({ kind: 'failed', note: 'It failed.' }));
    expect(sink.messages).toEqual(['It failed.']);
  });

  it('does not stay where the reply ends with nothing', async () => {
    const live = reply();
    live.hint('Number 3 in line');
    await settle();
    await passing(live.finish(done));
    expect(sink.messages).toEqual(['…']);
  });
});

describe('edits', () => {
  it('show the latest text only, however much came between two slots', async () => {
    const live = reply();
    live.append('0');
    await settle();
    for (let count = 1; count <= 100; count++) live.append(` ${count}`);
    await clock.advance(1_000);
    expect(sink.writes.map(({ kind }) => kind)).toEqual(['post', 'edit']);
    expect(sink.texts[1]?.endsWith(' 100')).toBe(true);
  });

  it('are not made where nothing new would show', async () => {
    const live = reply();
    live.append('Hello');
    await settle();
    live.append('  \n');
    await clock.advance(20_000);
    live.append('**');
    await clock.advance(20_000);
    expect(sink.texts).toEqual(['Hello']);
  });

  it('never overlap, and come in order', async () => {
    sink.latency = 2_500;
    const live = reply();
    for (let count = 0; count < 40; count++) {
      live.append(`word${count} `);
      await clock.advance(300);
    }
    await passing(live.finish(done));
    expect(sink.mostAtOnce).toBe(1);
    const lengths = sink.texts.map((text) => text.length);
    expect(lengths).toEqual(lengths.toSorted((one, other) => one - other));
    expect(sink.messages).toEqual([live.text.trim()]);
  });

  it.each([1, 10])('of %i replies at once stay within five in five seconds', async (count) => {
    const times: number[] = [];
    sink = new RecordingSink(clock, { maxLength: 400, onWrite: () => times.push(clock.now()) });
    const pacer = new Pacer(clock, rate);
    const replies = Array.from({ length: count }, () => reply({ pacer }));
    for (let turn = 0; turn < 100; turn++) {
      for (const live of replies) live.append(`Word ${turn}. `);
      await clock.advance(170);
    }
    await passing(Promise.all(replies.map((live) => live.finish(done))));
    expect(times.length).toBeGreaterThan(15);
    for (const [index, time] of times.entries()) {
      const sixth = times[index + 5];
      if (sixth !== undefined) expect(sixth - time).toBeGreaterThanOrEqual(rate.window);
    }
  });

  it('are shared out fairly among replies', async () => {
    const pacer = new Pacer(clock, rate);
    const sinks = Array.from({ length: 5 }, () => new RecordingSink(clock));
    const replies = sinks.map((own) => reply({ pacer, sink: own }));
    for (let turn = 0; turn < 300; turn++) {
      for (const live of replies) live.append('more ');
      await clock.advance(200);
    }
    const counts = sinks.map((own) => own.writes.length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(12);
  });

  it('leave posts to a budget of their own where there is one', async () => {
    sink = new RecordingSink(clock, { maxLength: 200 });
    const budget = (name: string) => {
      const pacer = new Pacer(clock, { limit: 100, window: 1_000 });
      const slot = () => {
        used.push(name);
        return pacer.slot();
      };
      return { slot, learn: () => {}, pause: () => {} };
    };
    const used: string[] = [];
    const live = reply({ pacer: budget('edit'), postPacer: budget('post') });
    live.append(longText.slice(0, 150));
    await clock.advance(100);
    live.append(longText.slice(150, 500));
    await passing(live.finish(done));
    expect(used).toEqual(sink.writes.map(({ kind }) => kind));
    expect(used).toContain('edit');
    expect(used.filter((kind) => kind === 'post')).toHaveLength(3);
  });
});

describe('a text longer than a message', () => {
  it('goes on in the next one; a full one is closed once and never touched again', async () => {
    const live = reply();
    for (let at = 0; at < longText.length; at += 50) {
      live.append(longText.slice(at, at + 50));
      await clock.advance(250);
    }
    const handles = await passing(live.finish(done));
    expect(sink.messages).toEqual(splitMarkdown(longText, { maxLength: 2000 }));
    expect(handles).toEqual(sink.messages.map((_, index) => index));
    for (const index of handles) {
      const phases = sink.writes
        .filter((write) => write.index === index)
        .map(({ context }) => context?.phase);
      const last = index === handles.length - 1 ? 'ended' : 'closed';
      expect(phases.indexOf(last)).toBe(phases.length - 1);
    }
    const order = sink.writes.map((write) => write.index);
    expect(order).toEqual(order.toSorted((one, other) => one - other));
  });

  it('skips what was never worth showing: messages that fill up between two slots are posted closed', async () => {
    const live = reply();
    live.append('Start. ');
    await settle();
    live.append(longText);
    await passing(live.finish(done));
    expect(sink.writes.map(({ kind }) => kind).filter((kind) => kind === 'edit')).toHaveLength(1);
    expect(sink.messages).toEqual(splitMarkdown(live.text, { maxLength: 2000 }));
  });

  it('shows open fences closed while they grow', async () => {
    const live = reply();
    live.append('Look:\n\n```js\nconst a = 1;\n');
    await settle();
    expect(sink.texts).toEqual(['Look:\n\n```js\nconst a = 1;\n```']);
    live.append('```');
    await passing(live.finish(done));
    expect(sink.messages).toEqual(['Look:\n\n```js\nconst a = 1;\n```']);
  });

  it('counts as the platform counts', async () => {
    const escaping = Object.assign(new RecordingSink(clock, { maxLength: 300 }), {
      length: (text: string) => text.replaceAll('&', '&amp;').length,
    });
    const live = reply({ sink: escaping });
    live.append('Salt & pepper & all. '.repeat(60));
    await passing(live.finish(done));
    for (const text of escaping.messages) expect(escaping.length(text)).toBeLessThanOrEqual(300);
    expect(escaping.messages.join(' ').trim()).toBe(live.text.trim());
  });
});

describe('more messages than people want to see', () => {
  const text = longText.repeat(3);

  it('stop at the limit; the whole comes as a file, then the last message ends', async () => {
    const files = new RecordingSinkWithFiles(clock);
    const toldAfter: (string | undefined)[] = [];
    const onProgress = () => void toldAfter.push(files.writes.at(-1)?.kind);
    const live = reply({ sink: files, maxMessages: 3, onProgress });
    for (let at = 0; at < text.length; at += 500) {
      live.append(text.slice(at, at + 500));
      await clock.advance(250);
    }
    await clock.advance(60_000);
    expect(files.messages).toEqual(splitMarkdown(text, { maxLength: 2000 }).slice(0, 3));
    expect(files.writes.at(-1)?.context).toMatchObject({ index: 2, phase: 'growing', restAsFile: true });
    await passing(live.finish(done));
    expect(files.files).toEqual([text]);
    expect(files.writes.at(-2)).toMatchObject({ kind: 'file', index: 2 });
    expect(files.writes.at(-1)?.context).toMatchObject({ index: 2, phase: 'ended', restAsFile: true });
    // It's on record before the last write, which may be refused.
    expect(toldAfter.slice(-2)).toEqual(['file', 'edit']);
    expect(files.messages).toHaveLength(3);
  });

  it('need no file where the text just fits', async () => {
    const files = new RecordingSinkWithFiles(clock);
    const live = reply({ sink: files, maxMessages: splitMarkdown(longText, { maxLength: 2000 }).length });
    live.append(`${longText}\n\n`);
    await passing(live.finish(done));
    expect(files.files).toEqual([]);
    expect(files.writes.at(-1)?.context).toMatchObject({ phase: 'ended', restAsFile: false });
  });

  it('come all the same where the platform takes no files', async () => {
    const live = reply({ maxMessages: 2 });
    live.append(text);
    await passing(live.finish(done));
    expect(sink.messages).toEqual(splitMarkdown(text, { maxLength: 2000 }));
  });

  it('come all the same where the file is refused', async () => {
    const files = new RecordingSinkWithFiles(clock);
    files.failFile = () => {
      throw new Error('no permission to attach files');
    };
    const live = reply({ sink: files, maxMessages: 2 });
    live.append(text);
    await passing(live.finish({ kind: 'stopped', note: 'Stopped.' }));
    const expected = splitMarkdown(text, { maxLength: 2000 });
    expect(files.messages.slice(0, -1)).toEqual(expected.slice(0, -1));
    expect(files.messages.at(-1)).toBe(`${expected.at(-1)}\n\nStopped.`);
    expect(failures).toHaveLength(1);
  });

  it('try the file again where that may help', async () => {
    const files = new RecordingSinkWithFiles(clock);
    let tries = 0;
    files.failFile = () => {
      if (++tries < 3) throw new RetryableWriteError('busy');
    };
    const live = reply({ sink: files, maxMessages: 2 });
    live.append(text);
    await passing(live.finish(done));
    expect(tries).toBe(3);
    expect(files.files).toEqual([text]);
    expect(files.messages).toHaveLength(2);
  });
});

describe('the end', () => {
  it('writes the last state even where its text stands already, so that buttons can change', async () => {
    const live = reply();
    live.append('Hello');
    await settle();
    await passing(live.finish(done));
    expect(
      sink.writes.map(({ kind, text, context }) => [kind, text, context?.phase, context?.ending]),
    ).toEqual([
      ['post', 'Hello', 'growing', undefined],
      ['edit', 'Hello', 'ended', done],
    ]);
  });

  it('comes in one write where the text is finished before its first slot', async () => {
    const live = reply();
    live.append('Hello');
    await passing(live.finish(done));
    expect(sink.writes.map(({ kind, context }) => [kind, context?.phase])).toEqual([['post', 'ended']]);
  });

  it('puts a note under what was written, its fence closed', async () => {
    const live = reply();
    live.append('```js\nlet a');
    await passing(live.finish({ kind: 'failed', note: 'The service broke off.' }));
    expect(sink.messages).toEqual(['```js\nlet a\n```\n\nThe service broke off.']);
  });

  it('gives the note a message of its own where there is no room', async () => {
    const live = reply();
    live.append('x'.repeat(1995));
    await passing(live.finish({ kind: 'stopped', note: 'Stopped here.' }));
    expect(sink.messages).toEqual(['x'.repeat(1995), 'Stopped here.']);
    expect(sink.writes.at(-1)?.context).toMatchObject({ index: 1, phase: 'ended' });
  });

  it('is a note alone where nothing was written, and nothing where there is none', async () => {
    expect(await passing(reply().finish({ kind: 'failed', note: 'No answer.' }))).toEqual([0]);
    expect(await passing(reply().finish(done))).toEqual([]);
    expect(sink.messages).toEqual(['No answer.']);
  });

  it('writes every message once where all of a long text comes with it', async () => {
    const four = splitMarkdown(longText, { maxLength: 2000 }).slice(0, 4);
    const live = reply();
    live.append(four.join(' '));
    await passing(live.finish(done));
    expect(sink.texts).toEqual(four);
  });

  it('leaves markup that was never closed as it was written', async () => {
    const live = reply();
    live.append('Two **stars');
    await settle();
    expect(sink.texts).toEqual(['Two **stars**']);
    await passing(live.finish(done));
    expect(sink.messages).toEqual(['Two **stars']);
  });

  it('is the first one given; what comes after it is not taken', async () => {
    const live = reply();
    live.append('Hello');
    const first = live.finish({ kind: 'stopped' });
    live.append(' world');
    const second = live.finish(done);
    expect(await passing(first)).toEqual(await passing(second));
    expect(sink.messages).toEqual(['Hello']);
    expect(sink.writes.at(-1)?.context?.ending).toEqual({ kind: 'stopped' });
  });
});

describe('failures', () => {
  it('of an edit do not end the reply', async () => {
    sink.fail = ({ kind, context }) => {
      if (kind === 'edit' && context?.phase === 'growing') throw new Error('no');
    };
    const live = reply();
    for (let count = 0; count < 20; count++) {
      live.append(`${count} `);
      await clock.advance(1_000);
    }
    await passing(live.finish(done));
    expect(sink.messages).toEqual([live.text.trim()]);
    expect(failures).toHaveLength(1);
  });

  it('that may be tried again are, after the time the platform names, with the latest text', async () => {
    sink.fail = (_, before) => {
      if (before === 1) throw new RetryableWriteError('slow down', { retryAfter: 7_000 });
    };
    const live = reply();
    live.append('one');
    await settle();
    live.append(' two');
    await clock.advance(1_000);
    live.append(' three');
    await clock.advance(6_999);
    expect(sink.writes).toHaveLength(2);
    await clock.advance(1);
    expect(sink.texts.at(-1)).toBe('one two three');
  });

  it('of a post that may have arrived with fewer words are made up for by an edit', async () => {
    const stands: string[] = [];
    const once: ReplySink<number> = {
      maxLength: 2000,
      // As a platform that knows a post again by its key: what the first try wrote stands.
      post: async (text) => {
        stands[0] ??= text;
        if (++posts === 1) throw new RetryableWriteError('the answer was lost');
        return 0;
      },
      edit: async (_, text) => {
        stands[0] = text;
      },
    };
    let posts = 0;
    const live = reply({ sink: once });
    live.append('one');
    await settle();
    live.append(' two');
    expect(await passing(live.finish(done))).toEqual([0]);
    expect([posts, stands]).toEqual([2, ['one two']]);
  });

  it('of a post that may have arrived are made up for where a note stands instead: all of it is to be taken away', async () => {
    const stands: string[] = [];
    let lost = 0;
    const once: ReplySink<number> = {
      maxLength: 2000,
      post: async (text, { index }) => {
        stands[index] ??= text;
        if (index === 1 && lost++ === 0) throw new RetryableWriteError('the answer was lost');
        return index;
      },
      edit: async (index, text) => {
        stands[index] = text;
      },
    };
    const live = reply({ sink: once });
    live.append(longText.slice(0, 3_000));
    for (let turns = 0; lost === 0 && turns < 100; turns++) if (!(await clock.runNext())) await settle();
    const handles = await passing(live.finish({ kind: 'failed', note: 'Not shown.', instead: true }));
    expect(handles).toEqual([0, 1]);
    expect(stands[0]).toBe('Not shown.');
  });

  it('of the last state are retried until it has arrived', async () => {
    let failed = 0;
    sink.fail = ({ context }) => {
      if (context?.phase === 'ended' && failed++ < 5) throw new RetryableWriteError('bad gateway');
    };
    const live = reply();
    live.append('Hello');
    await settle();
    live.append(' world');
    expect(await passing(live.finish(done))).toEqual([0]);
    expect(sink.messages).toEqual(['Hello world']);
    expect(failed).toBe(6);
  });

  it('of the last state end in what the sink threw, after six tries', async () => {
    sink.fail = ({ context }) => {
      if (context?.phase === 'ended') throw new RetryableWriteError('bad gateway');
    };
    const live = reply();
    live.append('Hello');
    await settle();
    await expect(passing(live.finish(done))).rejects.toThrow('bad gateway');
    expect(sink.writes.filter(({ context }) => context?.phase === 'ended')).toHaveLength(6);
  });

  it('of a message that takes no more edits let nothing be posted below it: a part would be missing between', async () => {
    const refused = new Error('no more edits');
    sink.fail = ({ kind }) => {
      if (kind === 'edit') throw refused;
    };
    const live = reply();
    live.append('Start. ');
    await settle();
    live.append(longText);
    await clock.advance(60_000);
    await expect(passing(live.finish(done))).rejects.toBe(refused);
    expect(sink.messages).toEqual(['Start.']);
  });

  it('of a full message are made good at the end', async () => {
    let failed = false;
    sink.fail = ({ context }) => {
      if (context?.phase !== 'closed' || failed) return;
      failed = true;
      throw new Error('no');
    };
    const live = reply();
    live.append('Start. ');
    await settle();
    live.append(longText);
    await clock.advance(60_000);
    expect(sink.messages[0]).toBe('Start.');
    await passing(live.finish(done));
    expect(sink.messages).toEqual(splitMarkdown(live.text, { maxLength: 2000 }));
  });

  it('of a first post are not hammered, and nothing passes it', async () => {
    const forbidden = new Error('Missing Access');
    sink.fail = () => {
      throw forbidden;
    };
    const live = reply();
    for (let count = 0; count < 30; count++) {
      live.append('word '.repeat(10));
      await clock.advance(1_000);
    }
    expect(sink.writes).toHaveLength(1);
    live.append(longText);
    await expect(passing(live.finish(done))).rejects.toBe(forbidden);
    expect(sink.writes.map(({ index, kind }) => [index, kind])).toEqual([
      [0, 'post'],
      [0, 'post'],
    ]);
  });

  it('leave open what stands there: it is written anew though it was written before', async () => {
    sink.fail = (_, before) => {
      if (before === 1) throw new RetryableWriteError('gateway time-out', { retryAfter: 5_000 });
    };
    const live = reply();
    live.hint('Number 2 in line');
    await settle();
    live.hint('Number 1 in line');
    await clock.advance(1_000);
    live.hint('Number 2 in line');
    await clock.advance(10_000);
    expect(sink.texts).toEqual(['Number 2 in line', 'Number 1 in line', 'Number 2 in line']);
  });

  it('of a post to answer are not made good by another, for it may have arrived', async () => {
    let answer = () => {};
    sink.fail = (_, before) =>
      before > 0
        ? undefined
        : new Promise((resolve) => {
            answer = resolve;
          });
    const live = reply();
    live.append('Hello');
    await clock.advance(60_000);
    live.append(' world');
    await clock.advance(60_000);
    expect(sink.writes).toHaveLength(1);
    answer();
    await settle();
    expect(await passing(live.finish(done))).toEqual([0]);
    expect(sink.writes.map(({ kind }) => kind)).toEqual(['post', 'edit']);
    expect(sink.messages).toEqual(['Hello world']);
  });

  it('to answer at all are given up after half a minute, and the write is told so', async () => {
    const signals: AbortSignal[] = [];
    sink.fail = ({ kind, context }) => {
      if (kind === 'edit' && context) signals.push(context.signal);
      return kind === 'edit' ? new Promise(() => {}) : undefined;
    };
    const live = reply();
    live.append('Hello');
    await settle();
    await expect(passing(live.finish(done))).rejects.toBeInstanceOf(WriteTimeoutError);
    expect(signals).toHaveLength(6);
    expect(signals.every((signal) => signal.aborted)).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('of a reply that nobody finishes end nothing', async () => {
    const broken = Object.assign(new RecordingSink(clock), {
      length: (): number => {
        throw new Error('cannot count');
      },
    });
    const live = reply({ sink: broken });
    live.append('Hello');
    await settle();
    expect(failures).toHaveLength(1);
    await expect(live.finish(done)).rejects.toThrow('cannot count');
  });
});

describe('progress', () => {
  it('is told after every write and awaited', async () => {
    const seen: ReplyProgress<number>[] = [];
    let release = () => {};
    const onProgress = (progress: ReplyProgress<number>) => {
      seen.push(progress);
      return new Promise<void>((resolve) => (release = resolve));
    };
    const live = reply({ onProgress });
    live.append('Hello');
    await settle();
    live.append(' world');
    await clock.advance(10_000);
    expect(seen).toEqual([{ handles: [0], texts: ['Hello'], lastText: 'Hello' }]);
    expect(sink.writes).toHaveLength(1);
    release();
    await settle();
    expect(seen.at(-1)).toEqual({ handles: [0], texts: ['Hello world'], lastText: 'Hello world' });
  });

  it('has all that is shown, and the ending once all of that is', async () => {
    const seen: ReplyProgress<number>[] = [];
    const live = reply({ onProgress: (progress) => void seen.push(progress) });
    live.append('word '.repeat(2_000));
    await clock.advance(10_000);
    expect(seen.some(({ ending }) => ending)).toBe(false);
    const ending = { kind: 'stopped', note: 'Stopped.' } as const;
    await passing(live.finish(ending));
    expect(seen.slice(0, -1).some((one) => one.ending)).toBe(false);
    expect(seen.at(-1)).toMatchObject({ texts: sink.messages, lastText: sink.messages.at(-1), ending });
    expect(sink.messages.length).toBeGreaterThan(1);
  });

  it('that cannot be recorded does not end the reply', async () => {
    const live = reply({ onProgress: () => Promise.reject(new Error('disk full')) });
    live.append('Hello');
    await passing(live.finish(done));
    expect(sink.messages).toEqual(['Hello']);
    expect(failures).toHaveLength(1);
  });
});

describe('appending', () => {
  it('does nothing but keep what came, until a slot opens', () => {
    let counted = 0;
    const counting = Object.assign(new RecordingSink(clock), {
      length: (text: string) => {
        counted++;
        return text.length;
      },
    });
    const live = reply({ sink: counting });
    for (let count = 0; count < 10_000; count++) live.append('token ');
    expect(counted).toBe(0);
    expect(live.text).toBe('token '.repeat(10_000));
  });
});
