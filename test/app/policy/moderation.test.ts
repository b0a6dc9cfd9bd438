import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { hasBlockedWord, Moderation } from '../../../src/app/policy/moderation.ts';
import { admin, ann, Stage, type StageOptions } from '../../commands/support/stage.ts';
import { startModeration } from '../../fakes/moderation.ts';

let stage: Stage;
const open = async (options: StageOptions = {}) => {
  stage = await Stage.open(options);
};

const refused = (words: string) => ({ kind: 'refused', text: expect.stringContaining(words) });
const spent = async () => (await stage.meter()).credits;

describe('a blocked word', () => {
  it.each([
    ['slur', 'What a SLUR!', true],
    ['slur', 'slurs and slurp', false],
    ['slur*', 'slurs and all', true],
    ['*slur', 'an unslur', true],
    ['slur', 's\u200blu\u00adr', true],
    ['slur', 's\u3164l\uffa0u\u115fr', true],
    ['slur', 's\u20dd\u20e3lur', true],
    ['slur', 'ｓｌｕｒ', true],
    ['slur', 'a \u0455lur', true],
    ['slur', 'no \u0455lurp', false],
    ['slur*', '\u0455lurp', true],
    ['kite', 'k\u03b9t\u0435', true],
    ['сука', '\u0063ука', true],
    ['bad-word', 'a b\u0430d-word', true],
    ['bad word', 'a b\u0430d word', true],
    ['bad word', 'b\u0430d taste, w\u043erd', false],
    ['сор', 'the cop', false],
    ['cop', 'выносить сор', false],
    ['kill', 'kıll', true],
    ['ΟΔΟΣ*', 'οδοστρωμα', true],
    ['slür', 'a slur', true],
    ['a.b', 'a.b', true],
    ['a.b', 'axb', false],
    ['e-mail', 'an e-mail', true],
    ['e-mail', 'an e mail', false],
    ['a&b/c#d-', 'a&b/c#d-', true],
    ['坏话', '这是坏话吗', true],
    ['*', 'anything', false],
    ['slur', 's**lu**r', true],
    ['slur', '||slur||', true],
    ['slur', 's[l](https://a.example/b(c))ur', true],
    ['slur', 's![**l**](<https://a.example>)[u][1]r', true],
    ['slur', 'sl[u]r', true],
    ['slur', '[no link](s**lu**r)', true],
    ['slur', 'sl&#117;r and &#99999999;', true],
    ['slur', 's&#x6C;ur', true],
    ['slur', 's&shy;l&ZeroWidthSpace;ur', true],
    ['slur', '[here](https://a.example/slur)', true],
    ['slur', 'S[1](https://a.example) l&#32;ur', false],
  ])('%s in %j: %s', (word, said, isThere) => {
    expect(hasBlockedWord(said, ['other', word])).toBe(isThere);
  });

  it('is one of hundreds, for which nobody else has to wait', () => {
    const words = Array.from({ length: 600 }, (_, index) => `word${index.toString(36)}`);
    const begun = process.threadCpuUsage();
    expect(hasBlockedWord('No wordplay', words)).toBe(false);
    expect(hasBlockedWord('The wordgn', words)).toBe(true);
    const { user, system } = process.threadCpuUsage(begun);
    expect((user + system) / 1000).toBeLessThan(200);
  });

  it('is refused in what people give, by commands, buttons and forms, and costs nothing', async () => {
    await open();
    await stage.make('imagine', { prompt: 'a kite' });
    const before = await spent();
    await stage.give('settings', { blocked_words: 'slur*, kite' }, admin);
    const no = refused('That has a word that’s blocked here.');
    expect(await stage.give('ask', { prompt: 'Two slurs' })).toMatchObject(no);
    expect(await stage.give('speak', { text: 'Two slurs' }, admin)).toMatchObject(no);
    expect(await stage.give('video', { prompt: 'Two slurs' })).toMatchObject(no);
    expect(await stage.press('Again')).toMatchObject(no);
    expect(await spent()).toBe(before);
    expect(await stage.give('ask', { prompt: 'Two birds' })).toMatchObject({ kind: 'accepted' });
  });
});

describe('the moderation endpoint', () => {
  async function endpoint(respond?: (response: ServerResponse) => void) {
    const fake = await startModeration();
    fake.respond = respond;
    const logged: string[] = [];
    const log = {
      warn: (data: object, message: string) => void logged.push(JSON.stringify([data, message])),
    };
    return { fake, logged, moderation: new Moderation({ url: fake.url, apiKey: 'k', log }) };
  }

  it('is asked about what people write before anything is spent', async () => {
    const { moderation, fake } = await endpoint();
    await open({ moderation });
    expect(await stage.give('ask', { prompt: 'Something bad' })).toMatchObject(
      refused('I can’t do that: it was flagged as harassment.'),
    );
    expect(await spent()).toBe(0);
    expect(await stage.give('speak', { text: 'Something good' })).toMatchObject({ kind: 'accepted' });
    expect(fake.requests).toEqual([
      { body: '{"input":["Something bad"]}', authorization: 'Bearer k' },
      { body: '{"input":["Something good"]}', authorization: 'Bearer k' },
    ]);
    await stage.give('usage', {}, ann);
    expect(fake.asked).toHaveLength(2);
  });

  it.each([
    ['answers 500', (response: ServerResponse) => response.writeHead(500).end('Something bad')],
    [
      'answers in another shape',
      (response: ServerResponse) => response.end('{"results":[{"flagged":"no"}]}'),
    ],
    ['answers with a text', (response: ServerResponse) => response.end('Something bad')],
    ['answers nothing', (response: ServerResponse) => response.end('{"results":[]}')],
    ['breaks off', (response: ServerResponse) => response.destroy()],
    [
      'redirects',
      (response: ServerResponse) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    ],
  ])('that %s lets nothing through, and the log has nothing of what was written', async (_, respond) => {
    const { moderation, logged } = await endpoint((response) => void respond(response));
    await open({ moderation });
    expect(await stage.give('ask', { prompt: 'Something bad' })).toMatchObject(
      refused('I can’t check this right now, so nothing was sent and nothing was spent.'),
    );
    expect(await spent()).toBe(0);
    expect(logged).toHaveLength(1);
    expect(logged.join()).not.toContain('bad');
  });
});
