import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { quoted } from '../../src/conversation/index.ts';
import { PlatformError } from '../../src/port/index.ts';
import { admin, ann, here, personCalled, Stage } from './support/stage.ts';

let stage: Stage;

const credits = async () =>
  (await stage.ledger()).map(({ kind, state, low, high }) => ({
    kind,
    state,
    low: low / 1e6,
    high: high / 1e6,
  }));

describe('the ledger of commands', () => {
  it('has chat as the service counts it', async () => {
    stage = await Stage.open();
    await stage.give('ask', { prompt: 'Say something about tides' });
    const [row] = await stage.ledger();
    const [metered] = (await stage.meter()).items;
    expect(row).toMatchObject({ kind: 'chat', model: 'svc-llm-1.5', state: 'spent', estimated: 0 });
    expect(row?.request_id).toBe(metered.request_id);
    expect(row?.conversation_id).toBe(metered.conversation_id);
    const { input, cache_read, cache_creation, output } = metered.tokens;
    expect(JSON.parse(row?.quantity ?? '')).toEqual({
      inputTokens: input,
      cacheReadTokens: cache_read,
      cacheCreationTokens: cache_creation,
      outputTokens: output,
    });
    expect(metered.credits).toBeGreaterThan(row!.low / 1e6);
    expect(metered.credits).toBeLessThan(row!.high / 1e6);
  });

  it('has chat as estimated, and says so, where the service tells nothing', async () => {
    stage = await Stage.open({ sandbox: { stream: ['no_usage'] } });
    await stage.give('ask', { prompt: 'Say something about tides' });
    const [row] = await stage.ledger();
    const [metered] = (await stage.meter()).items;
    expect(row).toMatchObject({ state: 'spent', estimated: 1 });
    expect(metered.credits).toBeGreaterThan(row!.low / 1e6);
    expect(metered.credits).toBeLessThan(row!.high / 1e6);
    expect(JSON.parse(row!.quantity).outputTokens).toBeGreaterThanOrEqual(metered.tokens.output);
  });

  it('has speech by the true length of the clip, images and videos exactly', async () => {
    stage = await Stage.open();
    await stage.give('speak', { text: 'seven!!' });
    await stage.give('imagine', { prompt: 'a kite' });
    await stage.make('video', { prompt: 'a kite', resolution: '480p', duration: 4 });
    expect(await credits()).toEqual([
      { kind: 'speech', state: 'spent', low: 0.5, high: 0.5 },
      { kind: 'image', state: 'spent', low: 22, high: 22 },
      { kind: 'video', state: 'spent', low: 148, high: 148 },
    ]);
    expect((await stage.meter()).credits).toBe(170.5);
    expect((await stage.ledger()).every((row) => row.request_id?.startsWith('req_'))).toBe(true);
  });

  it('has nothing to pay for what failed, and a mark on what nobody knows', async () => {
    stage = await Stage.open();
    await stage.give('ask', { prompt: 'No [[fail 400]]' });
    await stage.give('ask', { prompt: 'Half [[break off]]' });
    await stage.give('speak', { text: 'No [[fail 422]]' });
    await stage.give('speak', { text: 'Lost [[lost]]' });
    await stage.give('imagine', { prompt: 'No [[filter]]' });
    await stage.give('imagine', { prompt: 'Fails [[error]]' });
    await stage.give('imagine', { prompt: 'Gone [[gone]]' });
    await stage.make('video', { prompt: 'Lost [[lost]]', resolution: '480p', duration: 4 });
    expect((await credits()).map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'chat failed',
      'chat uncertain',
      'speech failed',
      'speech uncertain',
      'image failed',
      'image failed',
      'image spent',
      'video uncertain',
    ]);
    const failed = (await credits()).filter(({ state }) => state === 'failed');
    expect(failed.every(({ high }) => high === 0)).toBe(true);
  });

  it('counts an answer that a person stopped by what had come of it', async () => {
    stage = await Stage.open({ sandbox: { pace: 'human' } });
    const asking = stage.give('ask', { prompt: 'Tell me a long story' });
    await stage.until(() => stage.standing.length > 0);
    const answer = stage.latest;
    const stop = stage.buttonId('Stop');
    await stage.press('Stop');
    await asking;
    expect(stage.text).toContain('Stopped');
    expect(await stage.ledger()).toMatchObject([{ state: 'spent', estimated: 1 }]);
    await stage.pressId(stop, answer);
    expect(stage.standing.at(-1)).toMatchObject({
      seenBy: 'requester',
      message: { text: expect.stringContaining('isn’t being written any more') },
    });
  });
});

describe('what is counted of commands', () => {
  it('is an answer that failed or broke off as failed, one that was stopped as done', async () => {
    stage = await Stage.open();
    await stage.give('ask', { prompt: 'Fine' });
    await stage.give('ask', { prompt: 'No [[fail 400]]' });
    await stage.give('ask', { prompt: 'Half [[break off]]' });
    await stage.give('speak', { text: 'No [[fail 422]]' });
    expect(stage.ended).toEqual([
      'ask done',
      'ask failed service',
      'ask failed service',
      'speak refused options',
    ]);
    const jobs = await stage.database
      .selectFrom('jobs')
      .select('state')
      .orderBy(sql`rowid`)
      .execute();
    expect(jobs.map(({ state }) => state)).toEqual(['done', 'failed', 'failed', 'failed']);
  });
});

it('the audit channel is told what all images of a command cost', async () => {
  stage = await Stage.open();
  await stage.give('settings', { scope: 'workspace', audit_channel: 'C123456789' }, admin);
  await stage.make('imagine', { prompt: 'kites', count: 3 });
  await stage.clock.advance(60_000);
  const told = stage.standing.map(({ message }) => message.text ?? '').join('\n');
  expect(told).toMatch(/`\/imagine`.* 66 credits/);
});

describe('a budget', () => {
  it('refuses before anything is spent, with what is left and when it renews', async () => {
    stage = await Stage.open({ settings: { budgets: { user: 30, channel: 0, workspace: 0, total: 0 } } });
    await stage.give('imagine', { prompt: 'one' });
    const refused = await stage.give('imagine', { prompt: 'two' });
    expect(refused).toMatchObject({ kind: 'refused' });
    const midnight = Date.UTC(2026, 10, 21) / 1_000;
    expect(refused).toMatchObject({
      text: expect.stringMatching(/^Your daily budget of 30 credits has 8 left, and this may need 22\./),
    });
    expect(refused).toMatchObject({ text: expect.stringContaining(`in 12 h 00 min, at <t:${midnight}:f>`) });
    expect(await stage.give('imagine', { prompt: 'two' }, personCalled('bob'))).toMatchObject({
      kind: 'accepted',
    });
    const chinese = await stage.give('imagine', { prompt: '二' }, personCalled('ann', { locale: 'zh-CN' }));
    expect(chinese).toMatchObject({ text: expect.stringMatching(/^你今天的预算是 30 积分，还剩 8，/) });
  });

  it('has not as much left as would do, where a trifle is missing', async () => {
    stage = await Stage.open({ settings: { budgets: { user: 400, channel: 0, workspace: 0, total: 0 } } });
    await stage.control({ answers: ['Hi!'] });
    await stage.give('ask', { prompt: 'hi' });
    expect(await stage.give('video', { prompt: 'a kite' })).toMatchObject({
      text: expect.stringContaining('credits has 399.9 left, and this may need 400.'),
    });
    await stage.give('usage');
    expect(stage.text).toContain('Your budget: 399.9 of 400 credits left.');
  });

  it('is not to be waited for where it never allows that much', async () => {
    stage = await Stage.open({ settings: { budgets: { user: 20, channel: 0, workspace: 0, total: 0 } } });
    const refused = await stage.give('imagine', { prompt: 'one' });
    expect(refused).toMatchObject({
      text: 'Your daily budget of 20 credits has 20 left, and this may need 22. That’s more than a whole day’s. Nothing was sent and nothing was spent.',
    });
    const chinese = await stage.give('imagine', { prompt: '二' }, personCalled('bob', { locale: 'zh-CN' }));
    expect(chinese).toMatchObject({ text: expect.stringContaining('这超过了一整天的预算。') });
    expect(chinese).not.toMatchObject({ text: expect.stringContaining('重置') });
  });

  it('holds though 50 people ask in a channel at once', async () => {
    stage = await Stage.open({ settings: { budgets: { user: 0, channel: 100, workspace: 0, total: 0 } } });
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        stage.give('imagine', { prompt: `number ${index}` }, personCalled(`person${index}`)),
      ),
    );
    await stage.rendersEnded();
    expect((await credits()).filter(({ state }) => state === 'spent')).toHaveLength(4);
    expect((await stage.meter()).credits).toBe(88);
  });

  it('ends an answer that grows past it, and keeps what was written', async () => {
    stage = await Stage.open({
      settings: { budgets: { user: 3, channel: 0, workspace: 0, total: 0 } },
      // On a busy machine, an answer that’s written at once is read at once, too: nobody can stop it.
      sandbox: { pace: 'human' },
    });
    await stage.control({ answers: ['A very long answer. '.repeat(1_500)] });
    await stage.give('ask', { prompt: 'Go on and on' });
    expect(stage.text).toContain('The daily budget is used up');
    const [row] = await stage.ledger();
    expect(row).toMatchObject({ state: 'spent', estimated: 1 });
    expect(row!.high).toBeLessThanOrEqual(3_000_000);
    expect(row!.high).toBeGreaterThan(1_000_000);
  });

  it('ends an answer that thinks past it before its first word, and doesn’t say that nothing was spent', async () => {
    stage = await Stage.open({
      settings: { budgets: { user: 3, channel: 0, workspace: 0, total: 0 } },
      sandbox: { pace: 'human', stream: ['reasoning'] },
    });
    await stage.control({ answers: ['A very long answer. '.repeat(1_500)] });
    await stage.give('ask', { prompt: 'Think it over' });
    expect(stage.text).toContain('The daily budget is used up');
    expect(stage.text).not.toMatch(/very long|othing was spent/);
    const [row] = await stage.ledger();
    expect(row).toMatchObject({ state: 'spent', estimated: 1 });
    expect(row!.high).toBeLessThanOrEqual(3_000_000);
    expect((await stage.meter()).credits).toBeLessThanOrEqual(row!.high / 1e6);
  });

  it('does not concern administrators where they are exempt', async () => {
    stage = await Stage.open();
    await stage.give('settings', { user_credits: '10' }, admin);
    expect(await stage.give('imagine', { prompt: 'x' }, admin)).toMatchObject({ kind: 'refused' });
    await stage.give('settings', { exempt_administrators: 'on' }, admin);
    expect(await stage.give('imagine', { prompt: 'x' }, admin)).toMatchObject({ kind: 'accepted' });
    expect(await stage.give('imagine', { prompt: 'x' })).toMatchObject({ kind: 'refused' });
  });
});

describe('a dear request', () => {
  const photo = {
    name: 'a.png',
    contentType: 'image/png',
    size: 9,
    source: 'a',
    url: 'https://example.com/a',
  };
  const { url: _, ...notPublic } = photo;
  const clip = { ...notPublic, name: 'a.mp4', contentType: 'video/mp4' };
  const links = (count: number) =>
    Array.from({ length: count }, (_, n) => `https://example.com/${n}`).join(' ');
  const dear = {
    prompt: 'a storm',
    resolution: '1080p',
    duration: 5,
    video_urls: 'https://example.com/a.mp4',
  };

  it('asks the requester privately with the price, and nothing is spent until they say yes', async () => {
    stage = await Stage.open();
    expect(await stage.give('video', dear)).toMatchObject({ kind: 'accepted', seenBy: 'requester' });
    expect(stage.latest.seenBy).toBe('requester');
    expect(stage.text).toContain('**1,355 credits**');
    expect(stage.buttons).toEqual(['Yes, go ahead', 'No']);
    expect(await stage.ledger()).toEqual([]);
    expect((await stage.meter()).calls).toBe(0);
    const question = stage.latest;
    const yes = stage.buttonId('Yes, go ahead');
    expect(await stage.pressId(yes, question, personCalled('eve'))).toMatchObject({ kind: 'refused' });
    expect(await stage.press('Yes, go ahead')).toMatchObject({ kind: 'accepted', seenBy: 'channel' });
    expect(await stage.pressId(yes, question)).toMatchObject({ kind: 'refused' });
    expect(question.message).toEqual({ text: 'Confirmed.' });
    await stage.rendersEnded();
    expect(await credits()).toEqual([{ kind: 'video', state: 'spent', low: 1_355, high: 1_355 }]);
    const [job] = await stage.database.selectFrom('jobs').select(['options', 'state']).execute();
    expect(JSON.parse(job!.options).video_urls).toEqual([dear.video_urls]);
  });

  it.each([
    ['edit without a video', { operation: 'edit', video_urls: '' }, '`operation`'],
    ['a link into a private network', { video_urls: 'https://10.0.0.1/a.mp4' }, '`video_urls`'],
    ['a file that has no public link', { image_1: notPublic }, '`image_1` itself'],
    ['files that have no public link', { image_2: notPublic, video_1: clip }, '/video needs 2 changes'],
    ['more images than there may be', { image_1: photo, image_urls: links(9) }, '`image_urls` has 10 items'],
  ])('isn’t asked about where it can’t be made: %s', async (_, options, about) => {
    stage = await Stage.open();
    const refused = await stage.give('video', { ...dear, ...options });
    expect(refused).toMatchObject({ kind: 'refused', text: expect.stringContaining(about) });
    expect(stage.standing).toEqual([]);
    await stage.give('video', { ...dear, operation: 'edit', image_1: photo, image_urls: links(8) });
    expect(stage.text).toContain('**1,355 credits**');
  });

  it('isn’t asked about where it has more images than an image can be drawn from', async () => {
    stage = await Stage.open({ settings: { confirmOver: 10 } });
    const asked = { prompt: 'a storm', reference_1: photo };
    const refused = await stage.give('imagine', { ...asked, reference_urls: links(4) });
    expect(refused).toMatchObject({
      kind: 'refused',
      text: expect.stringContaining('`reference_urls` has 5 items'),
    });
    expect(stage.standing).toEqual([]);
    await stage.give('imagine', { ...asked, reference_urls: links(3) });
    expect(stage.text).toContain('**22 credits**');
  });

  it('isn’t asked about where an image is too large to be drawn from', async () => {
    stage = await Stage.open({ settings: { confirmOver: 10 } });
    const asked = { prompt: 'a storm', reference_2: { ...notPublic, size: 10 * 2 ** 20 + 1 } };
    expect(await stage.give('imagine', asked)).toMatchObject({
      kind: 'refused',
      text: expect.stringContaining('`reference_2` is larger than 10 MiB'),
    });
    expect(stage.standing).toEqual([]);
  });

  it('asks again when a button would spend as much, in the language of who pressed it', async () => {
    stage = await Stage.open();
    await stage.give('video', dear);
    await stage.press('Yes, go ahead');
    await stage.rendersEnded();
    const wang = personCalled('wang', { locale: 'zh-CN' });
    expect(await stage.press('New seed', wang)).toMatchObject({ kind: 'accepted', seenBy: 'requester' });
    expect(stage.text).toContain('**1,355 积分**');
    await stage.press('不用了', wang);
    expect(stage.text).toBe('没有发送任何内容，也没有扣除积分。');
    expect(await stage.ledger()).toHaveLength(1);
  });

  it('is what the place says is dear', async () => {
    stage = await Stage.open();
    await stage.give('settings', { confirm_over: '10' }, admin);
    await stage.give('imagine', { prompt: 'x' });
    expect(stage.text).toContain('22 credits');
    await stage.give('ask', { prompt: 'is this dear?' });
    expect((await stage.ledger()).map(({ kind }) => kind)).toEqual(['chat']);
  });
});

it('what others said in the thread, with a word that’s blocked by the time of the yes, isn’t sent', async () => {
  stage = await Stage.open();
  await stage.give('settings', { confirm_over: '0' }, admin);
  const quotes = ['Some tar.', 'Some tea.'].map(
    (text) => ({ title: 'message from bob', text, isThere: true }) as const,
  );
  await stage.give('ask', { prompt: 'What is there?' }, ann, here, { context: quoted(quotes, 1_000) ?? '' });
  await stage.give('settings', { blocked_words: 'tar' }, admin);
  await stage.press('Yes, go ahead');
  expect(stage.text).toContain('Some tea.');
  expect(stage.text).not.toContain('Some tar.');
});

describe('what somebody else said and quoted before', () => {
  const files = { context: '字'.repeat(130_000) };
  const bob = personCalled('bob');

  it('doesn’t make the next question dear', async () => {
    stage = await Stage.open();
    await stage.give('ask', { prompt: 'Sum up these files' }, ann, here, files);
    const { credits } = await stage.meter();
    await stage.give('ask', { prompt: 'hi' }, bob);
    expect((await stage.meter()).credits - credits).toBeLessThan(1);
  });

  it('counts in the price of the next question: it’s confirmed, and refused, by what will be reserved', async () => {
    stage = await Stage.open();
    await stage.give('ask', { prompt: `Short? ${'字'.repeat(15_000)}` });
    const said = (await stage.ledger()).length;
    await stage.give('settings', { user_credits: '4' }, admin);
    const text = expect.stringContaining('Your daily budget of 4 credits');
    expect(await stage.give('ask', { prompt: 'hi' }, bob)).toMatchObject({ kind: 'refused', text });
    expect(await stage.ledger()).toHaveLength(said);
    await stage.give('settings', { user_credits: '0', confirm_over: '4' }, admin);
    await stage.give('ask', { prompt: 'hi' }, bob);
    expect(stage.text).toMatch(/–6\.\d+ credits/);
    expect(await stage.ledger()).toHaveLength(said);
    await stage.press('Yes, go ahead', bob);
    expect((await stage.ledger())[said]).toMatchObject({ kind: 'chat', state: 'spent' });
  });
});

describe('a price that the conversation outgrows', () => {
  const bob = personCalled('bob');
  const long = `Short? ${'字'.repeat(15_000)}`;
  const isDearer =
    /^⚠️ The conversation has grown since you asked, so this would now cost [\d.]+–6\.\d+ credits\. Nothing was sent/;

  it('before it’s confirmed is told anew, and nothing is spent', async () => {
    stage = await Stage.open();
    await stage.give('settings', { confirm_over: '1' }, admin);
    await stage.give('ask', { prompt: 'hi' });
    const asked = stage.latest;
    expect(stage.text).toMatch(/–1\.\d+ credits/);
    await stage.give('ask', { prompt: long }, bob);
    await stage.press('Yes, go ahead', bob);
    const spent = await stage.ledger();
    await stage.pressOn(asked, 'Yes, go ahead');
    expect(stage.text).toMatch(isDearer);
    expect(await stage.ledger()).toEqual(spent);
    expect(stage.ended.at(-1)).toBe('ask refused budget');
    await stage.press('Try again');
    expect(stage.text).toMatch(/will cost \*\*about [\d.]+–6\.\d+ credits/);
    await stage.press('Yes, go ahead');
    expect((await stage.ledger()).at(-1)).toMatchObject({ person: 'ann', state: 'spent' });
  });

  it('while its platform is away is told as it is by then, and a yes is to that', async () => {
    stage = await Stage.open();
    await stage.give('settings', { confirm_over: '1' }, admin);
    stage.refuses = ({ text = '' }) =>
      /–1\.\d+ credits/.test(text) ? new PlatformError('unreachable') : undefined;
    await stage.give('ask', { prompt: 'hi' }).catch(() => {});
    await stage.give('ask', { prompt: long }, bob);
    await stage.press('Yes, go ahead', bob);
    await stage.until(() => false, stage.bot.recovery.settled());
    expect(stage.text).toMatch(/will cost \*\*about [\d.]+–6\.\d+ credits/);
    await stage.press('Yes, go ahead');
    expect((await stage.ledger()).at(-1)).toMatchObject({ person: 'ann', state: 'spent' });
  });

  it('is none where its question, by a version before, has put none on record', async () => {
    stage = await Stage.open();
    await stage.give('settings', { confirm_over: '1' }, admin);
    await stage.give('ask', { prompt: 'hi' });
    await stage.database
      .updateTable('jobs')
      .set({ options: JSON.stringify({ prompt: 'hi' }) })
      .where('command', '=', 'ask')
      .execute();
    await stage.press('Yes, go ahead');
    expect((await stage.ledger()).at(-1)).toMatchObject({ person: 'ann', state: 'spent' });
  });

  it('by a few words is as confirmed: by its own answers, and by what others say', async () => {
    stage = await Stage.open();
    await stage.give('settings', { confirm_over: '0' }, admin);
    const questions = [];
    for (const [prompt, person] of [
      ['What is a tide?', ann],
      ['And a wave?', ann],
      ['hi', bob],
    ] as const) {
      await stage.give('ask', { prompt }, person);
      questions.push({ asked: stage.latest, person });
    }
    for (const { asked, person } of questions.toReversed())
      await stage.pressOn(asked, 'Yes, go ahead', person);
    expect(await stage.ledgerStates()).toEqual(['spent', 'spent', 'spent']);
  });

  it('while it waits for its turn isn’t spent without asking, either', async () => {
    stage = await Stage.open({ sandbox: { pace: 'human' } });
    await stage.give('settings', { confirm_over: '4', at_once: '1' }, admin);
    const first = stage.give('ask', { prompt: long }, bob);
    await first;
    const answering = stage.press('Yes, go ahead', bob);
    await stage.until(async () => (await stage.ledger()).length === 1);
    const waiting = stage.give('ask', { prompt: 'hi' });
    await Promise.all([answering, waiting]);
    expect(stage.standing.some(({ message }) => isDearer.test(message.text ?? ''))).toBe(true);
    expect(await stage.ledger()).toHaveLength(1);
  });
});

describe('waiting for the key’s limits', () => {
  it('is told with the position in the queue, in the answer itself', async () => {
    stage = await Stage.open();
    const questions = Array.from({ length: 130 }, (_, index) =>
      stage.give('ask', { prompt: 'Short?' }, personCalled(`p${index}`), { ...here, channel: `c${index}` }),
    );
    const waiting = () =>
      stage.standing.filter(({ message }) => message.text?.includes('in the queue')).length;
    await stage.until(() => waiting() >= 10);
    expect(waiting()).toBe(10);
    expect(stage.standing.map(({ message }) => message.text)).toContain(
      'It’s busy. You’re number 10 in the queue.',
    );
    await Promise.all(questions);
    expect(waiting()).toBe(0);
  });

  it('is told to whoever asks while another answer is being written here', async () => {
    stage = await Stage.open({ sandbox: { pace: 'human' } });
    const first = stage.give('ask', { prompt: 'Tell me a long story' });
    await stage.until(() => stage.standing.length > 0);
    const second = stage.give('ask', { prompt: 'And me' });
    await stage.until(() => stage.text.includes('Yours comes next'));
    await stage.pressOn(stage.standing[0], 'Stop');
    await stage.until(() => stage.standing[0]?.message.text?.includes('Stopped') ?? false);
    await Promise.all([first, second]);
    expect(stage.standing).toHaveLength(2);
  });
});
