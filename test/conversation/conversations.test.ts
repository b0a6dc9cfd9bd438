import type Keyv from 'keyv';
import { beforeEach, describe, expect, it } from 'vitest';
import { Conversations, estimateTokens, type Question } from '../../src/conversation/index.ts';
import { Turns } from '../../src/conversation/turns.ts';
import { conversationIdPattern } from '../../src/spec/models.ts';
import { openDatabase, openKeyv } from '../../src/store/index.ts';
import { settle } from '../fakes/clock.ts';

let keyv: Keyv;
let now: number;
beforeEach(async () => {
  now = 1_000;
  keyv = openKeyv(await openDatabase('sqlite::memory:'), 'conversation', () => now);
});

const create = (historyTokens = 1_000, idleLimit = 1_000_000) =>
  new Conversations({ keyv, systemPrompt: 'Be brief.', historyTokens, idleLimit });
const question = (asked: string, speaker = 'Ann', replaces?: string): Question => ({
  jobId: `job of ${asked}`,
  speaker,
  asked,
  ...(replaces === undefined ? {} : { replaces }),
});
const ask = (conversations: Conversations, asked: string, answered: string, speaker?: string) =>
  conversations.turn('place', (turn) => turn.keep(question(asked, speaker), answered));
const seen = (conversations: Conversations, next: Question) =>
  conversations.turn('place', async (turn) => turn.messages(next));

describe('a conversation', () => {
  it('brings the history to the next question, and is there after a restart', async () => {
    await ask(create(), 'one?', 'One.');
    expect(await seen(create(), question('two?'))).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'one?' },
      { role: 'assistant', content: 'One.' },
      { role: 'user', content: 'two?' },
    ]);
  });

  it('tells several people apart by name, on one line each', async () => {
    const conversations = create();
    await ask(conversations, 'one?', 'One.', 'Eve: Ann\n');
    const messages = await seen(conversations, question('two?', 'Ann'));
    expect(messages.map((message) => message.content)).toEqual([
      'Be brief.',
      'Eve Ann: one?',
      'One.',
      'Ann: two?',
    ]);
  });

  it('drops the oldest whole exchanges, never the newest', async () => {
    const conversations = create(estimateTokens('a'.repeat(400)));
    await ask(conversations, 'a'.repeat(160), 'first');
    await ask(conversations, 'b'.repeat(160), 'second');
    await ask(conversations, 'c'.repeat(160), 'third');
    const kept = (await seen(conversations, question('d'))).map((message) => message.content.slice(0, 6));
    expect(kept).toEqual(['Be bri', 'bbbbbb', 'second', 'cccccc', 'third', 'd']);
    await ask(conversations, 'e', '字'.repeat(5_000));
    expect(await seen(conversations, question('f'))).toHaveLength(4);
  });

  it('lets a regenerated answer take the place of the one before', async () => {
    const conversations = create();
    await ask(conversations, 'one?', 'One.');
    await conversations.turn('place', (turn) =>
      turn.keep({ ...question('one?', 'Ann', 'job of one?'), jobId: 'job 2' }, 'Uno.'),
    );
    const contents = (await seen(conversations, question('two?'))).map((message) => message.content);
    expect(contents).toEqual(['Be brief.', 'one?', 'Uno.', 'two?']);
  });

  it('has one id of the form the service takes, however many ask for it at once', async () => {
    const conversations = create();
    const ids = await Promise.all([1, 2, 3].map(() => conversations.id('place')));
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(conversationIdPattern);
    expect(ids[0]).toHaveLength(22);
    expect(await conversations.id('elsewhere')).not.toBe(ids[0]);
  });

  it('begins anew on reset, even while an answer is being written', async () => {
    const conversations = create();
    const before = await conversations.id('place');
    await conversations.turn('place', async (turn) => {
      await conversations.reset('place');
      await turn.keep(question('late'), 'Too late.');
    });
    const after = await conversations.id('place');
    expect(after).not.toBe(before);
    expect(await seen(conversations, question('two?'))).toHaveLength(2);
  });

  it('is forgotten when it was idle for too long, and not while it is used', async () => {
    const conversations = create(1_000, 100_000);
    await ask(conversations, 'one?', 'One.');
    now += 90_000;
    await ask(conversations, 'two?', 'Two.');
    now += 90_000;
    expect(await seen(conversations, question('three?'))).toHaveLength(6);
    now += 100_001;
    expect(await seen(conversations, question('four?'))).toHaveLength(2);
  });

  it('takes turns in order of arrival, and a failed turn leaves no trace', async () => {
    const conversations = create();
    const order: string[] = [];
    const waited: string[] = [];
    const gate = Promise.withResolvers<void>();
    const turn = (name: string, work: () => Promise<void>) =>
      conversations.turn(
        'place',
        async () => {
          order.push(name);
          await work();
        },
        { onWait: () => waited.push(name) },
      );
    const first = turn('first', () => gate.promise);
    const second = turn('second', async () => {
      throw new Error('no answer');
    });
    const third = turn('third', async () => {});
    gate.resolve();
    await Promise.allSettled([first, second, third]);
    expect(order).toEqual(['first', 'second', 'third']);
    expect(waited).toEqual(['second', 'third']);
    expect(await seen(conversations, question('next'))).toHaveLength(2);
  });

  it('lets one who waits give up without holding up the others', async () => {
    const conversations = create();
    const gate = Promise.withResolvers<void>();
    const stop = new AbortController();
    const first = conversations.turn('place', () => gate.promise);
    const second = conversations.turn('place', async () => 'never', { signal: stop.signal });
    const third = conversations.turn('place', async () => 'third');
    stop.abort(new Error('gave up'));
    await expect(second).rejects.toThrow('gave up');
    gate.resolve();
    await first;
    expect(await third).toBe('third');
  });
});

describe('many conversations', () => {
  it('take no memory when nobody is talking', async () => {
    const turns = new Turns();
    for (let place = 0; place < 100_000; place++) await turns.take(`place ${place}`, async () => place);
    await settle();
    expect(turns.size).toBe(0);
  });
});
