import { describe, expect, test, vi } from 'vitest';
import { ResponseUrls } from '../../../../src/platforms/slack/post/response-urls.ts';
import type { LiveAnswer } from '../../../../src/port/index.ts';
import { openKeyv } from '../../../../src/store/index.ts';
import { type Channel, type Message, shown } from '../../../fakes/slack/index.ts';
import { type Stage, type StageOptions, startStage, writes } from '../support/stage.ts';

let stage: Stage;
const begin = async (options?: StageOptions) => (stage = await startStage(options));

/** A stage whose answers the test writes. */
const beginWriting = () => begin({ writtenAsk: 'ended' });

const asked = () => stage.answerTo(stage.ada.says(`${stage.ada.bot} hello`, stage.general));

/** A message's text less what is not the answer's. */
const answerIn = (message: Message) =>
  shown(message)
    .replace(/\n?(?:Stop|Regenerate)$/, '')
    .replace(/^Stop\n?/, '');

test('in a thread the answer grows by edits, with a Stop button below it, and ends with Regenerate', async () => {
  await beginWriting();
  const { live, thread } = await asked();
  for (const piece of ['one ', 'two ', '<!chan', 'nel> three']) {
    live.append(piece);
    await stage.pass(1_500);
  }
  const [message] = stage.posts(stage.general, thread);
  expect(message && shown(message)).toMatch(/three\nStop$/);
  await stage.finish(live);
  expect(stage.posts(stage.general, thread)).toHaveLength(1);
  expect(message && shown(message)).toMatch(/^one two .* three\nRegenerate$/);
  expect(message?.pings).toEqual([]);
});

test('bars, which hide nothing in Slack, aren’t closed', async () => {
  await beginWriting();
  const { live, thread } = await asked();
  live.append('either ||or');
  await stage.pass(1_500);
  const [message] = stage.posts(stage.general, thread);
  expect(message && shown(message)).toMatch(/^either \|\|or\nStop$/);
});

describe('in the channel itself', () => {
  test('the answer grows by edits of the root, under who asked what, and goes on in its thread', async () => {
    const { ada, general, answers } = await beginWriting();
    await ada.types('/ask a long one', general);
    await stage.until(() => answers.length === 1);
    const live = answers[0] as LiveAnswer;
    const text = Array.from({ length: 250 }, (_, line) => `Line ${line}: some words of an answer.`).join(
      '\n',
    );
    for (let at = 0; at < text.length; at += 500) {
      live.append(text.slice(at, at + 500));
      await stage.pass(700);
    }
    await stage.finish(live, 20_000);
    const [root, ...rest] = stage.posts(general);
    expect(root?.threadTs).toBeUndefined();
    expect(rest.length).toBeGreaterThan(0);
    for (const message of rest) expect(message.threadTs).toBe(root?.ts);
    expect(root && shown(root).split('\n')[0]).toBe('*ada* · `/ask` a long one');
    const all = stage.posts(general).map(answerIn).join('\n');
    for (let line = 0; line < 250; line++) expect(all.split(`Line ${line}:`)).toHaveLength(2);
    expect(stage.refusals).toBe(0);
  });
});

test('20,000 characters with code, a table and Chinese arrive whole, beyond six messages as a file too', async () => {
  await beginWriting();
  const { live, thread } = await asked();
  const block =
    '```js\nconst a = "<!channel>";\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n潮汐是海水的涨落。';
  const text = Array.from({ length: 600 }, (_, index) => `## Part ${index}\n\n${block}`).join('\n\n');
  live.append(text);
  await stage.finish(live, 60_000);
  const posts = stage.posts(stage.general, thread);
  const files = [...stage.workspace.files.values()];
  expect(files.map(({ name }) => name)).toEqual(['answer.md']);
  expect(Buffer.from(stage.slack.bytesOf(stage.workspace, files[0]?.id ?? '')).toString()).toBe(text);
  expect(posts.flatMap(({ pings }) => pings)).toEqual([]);
  expect(posts.every((message) => (shown(message).match(/^```/gm)?.length ?? 0) % 2 === 0)).toBe(true);
  expect(stage.refusals).toBe(0);
});

describe('20 live answers at once in one workspace', () => {
  /** Mentions, commands and direct messages, in five channels and with five people. */
  async function askTwenty(): Promise<() => Message[]> {
    const { slack, workspace, ada, answers } = stage;
    const people = Array.from({ length: 5 }, (_, index) => slack.person(workspace, { name: `p${index}` }));
    const channels = people.map((person, index) => slack.channel(workspace, `c${index}`, [ada, person]));
    for (const [index, person] of people.entries()) {
      const channel = channels[index] as Channel;
      ada.says(`${ada.bot} question`, channel);
      await ada.types('/ask question', channel);
      person.says('question', person.directMessages);
      person.says('another question', person.directMessages);
    }
    await stage.until(() => answers.length === 20);
    const places = [...channels, ...people.map((person) => person.directMessages)];
    return () => places.flatMap((place) => stage.posts(place));
  }

  test('complete without one 429', async () => {
    const { slack, answers } = await beginWriting();
    const posts = await askTwenty();
    for (let round = 0; round < 30; round++) {
      for (const [index, live] of answers.entries()) live.append(`r${round}a${index} and a few words more. `);
      await stage.pass(1_000);
    }
    const done = Promise.all(answers.map((live) => live.finish({ kind: 'done' })));
    await stage.pass(180_000);
    await done;
    const texts = posts().map(answerIn);
    expect(texts).toHaveLength(20);
    for (let index = 0; index < 20; index++) {
      const mine = texts.filter((text) => text.includes(`r0a${index} `));
      expect(mine).toHaveLength(1);
      for (let round = 0; round < 30; round++) expect(mine[0]).toContain(`r${round}a${index} `);
    }
    expect(stage.refusals).toBe(0);
    expect(slack.api.of('chat.startStream').length).toBeGreaterThan(5);
  });

  test('show their first words and their ends within three seconds, and grow in between', async () => {
    const { slack, workspace, ada, clock, answers } = await beginWriting();
    const channels = Array.from({ length: 20 }, (_, index) => slack.channel(workspace, `own${index}`, [ada]));
    for (const channel of channels) ada.says(`${ada.bot} question`, channel);
    await stage.until(() => answers.length === 20);
    const shownEverywhere = (words: string) =>
      channels.every((channel) => stage.posts(channel).some((message) => shown(message).includes(words)));
    const within = async (isSo: () => boolean) => {
      const begun = clock.now();
      await stage.until(isSo);
      return clock.now() - begun;
    };
    // Longer than a hint that it takes a while needs.
    await stage.pass(5_000);
    for (const live of answers) live.append('The first words. ');
    expect(await within(() => shownEverywhere('The first words.'))).toBeLessThan(3_000);
    for (let second = 0; second < 90; second++) {
      for (const live of answers) live.append(`Second ${second} is over. `);
      await stage.pass(1_000);
    }
    expect(shownEverywhere('Second 5 ')).toBe(true);
    const done = Promise.all(answers.map((live) => live.finish({ kind: 'done' })));
    expect(await within(() => shownEverywhere('Regenerate'))).toBeLessThan(3_000);
    await done;
    expect(shownEverywhere('Second 89 is over.')).toBe(true);
    expect(stage.refusals).toBe(0);
  });

  test.each(['works', 'refused'] as const)(
    'leave nothing that looks as if it thought, where sessions are: %s',
    async (reading) => {
      const { slack, answers } = await beginWriting();
      slack.world.readings.agentSessions = reading;
      // Statuses come to Slack late and in any order.
      for (const ms of [3_000, 50, 900, 2_000]) {
        slack.api.faults.plan('assistant.threads.setStatus', { kind: 'late', ms }, 4);
        slack.api.faults.plan('agents.sessions.setStatus', { kind: 'late', ms }, 4);
      }
      await askTwenty();
      for (const live of answers) live.append('An answer.');
      await stage.pass(60_000);
      const thinking = () => slack.world.statuses.filter(({ endedBy }) => endedBy === undefined);
      expect(thinking()).toEqual([]);
      const done = Promise.all(answers.map((live) => live.finish({ kind: 'done' })));
      await stage.pass(60_000);
      await done;
      expect(thinking()).toEqual([]);
      const sessions = [...slack.world.sessions.values()].map(({ status }) => status);
      expect(sessions.filter((status) => status !== 'active')).toEqual([]);
      expect(sessions.length).toBe(reading === 'works' ? 15 : 0);
      expect(stage.refusals).toBe(0);
    },
  );
});

const buttons = [
  { id: 'ask.regenerate:job1', label: 'Regenerate' },
  { id: 'ask.remove:job1', label: 'Delete' },
];

test('each message of one that’s too long for the channel has its Delete where the bot isn’t a member', async () => {
  await begin({
    scripts: { ask: writes('word '.repeat(15_000), () => buttons) },
  });
  await stage.ada.types('/ask much', stage.outside);
  const labels = () => stage.texts(stage.outside).map((text) => text.match(/Regenerate|Delete/g)?.join());
  await stage.until(() => labels().includes('Regenerate,Delete'));
  expect(labels().slice(0, -1)).toEqual(['Delete', 'Delete', 'Delete']);
});

test.each(['by the response address', 'without it'])(
  'each message of one that’s too long and only its requester sees has its Delete, %s',
  async (how) => {
    const { ada, general, slack } = await begin({
      scripts: { ask: ({ reply }) => reply.whisper({ text: 'word '.repeat(7_000), buttons }) },
    });
    if (how === 'without it') slack.responseUrls.receive = () => ({ status: 503, answer: '' });
    await ada.types('/ask much', general);
    const labels = () => stage.whispers().map((text) => text.match(/Regenerate|Delete/g)?.join());
    await stage.until(() => labels().includes('Regenerate,Delete'));
    const others = labels().slice(0, -1);
    expect(others.length).toBeGreaterThan(0);
    expect(new Set(others)).toEqual(new Set(['Delete']));
  },
);

test('of an answer that comes by the response address, each message but the last says that it goes on', async () => {
  const { ada, outside } = await begin({ scripts: { ask: writes(manyLines(300)) } });
  await ada.types('/ask much', outside);
  await stage.until(() => stage.texts(outside).some((text) => text.includes('Line [299] ')));
  const goOn = stage.texts(outside).map((text) => text.trimEnd().endsWith('\n…'));
  expect(goOn.length).toBeGreaterThan(1);
  expect(goOn).toEqual(goOn.map((_, index) => index < goOn.length - 1));
});

/** Slack doesn't take one of the messages for everybody that come by a response address. */
function refusePart(refused: number): void {
  const { responseUrls } = stage.slack;
  const receive = responseUrls.receive.bind(responseUrls);
  let parts = 0;
  vi.spyOn(responseUrls, 'receive').mockImplementation((id, body) => {
    if (body.includes('in_channel') && ++parts === refused) return { status: 503, answer: '' };
    return receive(id, body);
  });
}

const manyLines = (count: number) =>
  Array.from({ length: count }, (_, line) => `Line [${line}] with some words of an answer to fill it.`).join(
    '\n\n',
  );

test.each([
  [300, 2],
  [3_000, 2],
  [3_000, 3],
])(
  'where the bot isn’t a member, and of %i lines Slack doesn’t take part %i, nothing is posted there again, and all comes directly',
  async (count, refused) => {
    const { ada, outside, slack, workspace } = await begin({ scripts: { ask: writes(manyLines(count)) } });
    refusePart(refused);
    await ada.types('/ask much', outside);
    await stage.until(() => stage.posts(ada.directMessages).length > 0, 600_000);
    await stage.pass(60_000);
    const texts = stage.texts(outside);
    expect(texts).toHaveLength(refused - 1);
    expect(texts.filter((text) => text.includes('Line [0] '))).toHaveLength(1);
    const files = [...workspace.files.keys()].map((id) => Buffer.from(slack.bytesOf(workspace, id)));
    const whole = [...stage.texts(ada.directMessages), ...files].join('\n');
    for (const line of [0, count - 1]) expect(whole.split(`Line [${line}] `)).toHaveLength(2);
  },
);

test('the next process doesn’t post the first part again either; what’s short still comes by the response address', async () => {
  const { ada, outside } = await begin();
  const { responseUrl = '' } = await ada.types('/ask hello', outside);
  await stage.until(() => stage.posts(outside).length === 1);
  refusePart(2);
  const [one, next] = [0, 1].map(() => new ResponseUrls(openKeyv(stage.database, 'slack')));
  const say = (urls: ResponseUrls | undefined, text: string) => urls?.say(responseUrl, { text }, 'channel');
  await expect(say(one, manyLines(300))).rejects.toMatchObject({ kind: 'unreachable' });
  await expect(say(next, manyLines(300))).rejects.toMatchObject({ kind: 'expired' });
  await say(next, 'Sorry.');
  expect(stage.texts(outside).map((text) => text.includes('Line [0] '))).toEqual([false, true, false]);
});

test('where the bot isn’t a member, and what Slack answers to a response address is lost, the answer stands there once, and comes directly', async () => {
  const { ada, outside, slack } = await begin();
  const { responseUrls } = slack;
  const receive = responseUrls.receive.bind(responseUrls);
  vi.spyOn(responseUrls, 'receive').mockImplementation((id, body) => {
    const answer = receive(id, body);
    return body.includes('in_channel') ? { status: 502, answer: '' } : answer;
  });
  await ada.types('/ask tides', outside);
  await stage.pass(60_000);
  const answer = expect.stringContaining('You asked: tides');
  expect(stage.texts(outside)).toEqual([answer]);
  expect(stage.texts(ada.directMessages)).toEqual([answer]);
});

test('a message by a response address isn’t posted again under its key, by another process neither, unless it certainly isn’t there', async () => {
  const { ada, outside, slack } = await begin();
  const { responseUrl = '' } = await ada.types('/ask hello', outside);
  await stage.until(() => stage.posts(outside).length === 1);
  const [one, next] = [0, 1].map(() => new ResponseUrls(openKeyv(stage.database, 'slack')));
  const say = (urls: ResponseUrls | undefined, key: string) =>
    urls?.say(responseUrl, { text: key }, 'channel', { key });
  await say(one, 'said');
  await say(next, 'said');
  const { responseUrls } = slack;
  const refuses = (status: number) =>
    vi.spyOn(responseUrls, 'receive').mockReturnValueOnce({ status, answer: '' });
  refuses(429);
  await expect(say(one, 'refused')).rejects.toMatchObject({ kind: 'unreachable' });
  await say(next, 'refused');
  for (const status of [500, 408]) {
    refuses(status);
    await expect(say(one, `lost ${status}`)).rejects.toMatchObject({ kind: 'unreachable' });
    await expect(say(next, `lost ${status}`)).rejects.toMatchObject({ kind: 'expired' });
  }
  expect(stage.texts(outside).slice(1)).toEqual(['said', 'refused']);
});

test('a page instead of Slack’s response to a message by a response address tells nothing of that', async () => {
  const { ada, outside, slack, database } = await begin();
  const { responseUrl = '' } = await ada.types('/ask hello', outside);
  await stage.until(() => stage.posts(outside).length === 1);
  const urls = new ResponseUrls(openKeyv(database, 'slack'));
  const page = { status: 200, answer: '<!doctype html><title>Blocked</title>' };
  vi.spyOn(slack.responseUrls, 'receive').mockReturnValueOnce(page);
  const said = urls.say(responseUrl, { text: 'said' }, 'channel', { key: 'said' });
  await expect(said).rejects.toMatchObject({ kind: 'unreachable' });
});

test('first words come at once, also while many others grow', async () => {
  const { ada, general, answers } = await beginWriting();
  for (let ask = 0; ask < 5; ask++) await ada.types(`/ask question ${ask}`, general);
  await stage.until(() => answers.length === 5);
  const begun = stage.clock.now();
  for (const [index, live] of answers.entries()) live.append(`answer ${index}`);
  await stage.until(() => stage.posts(general).length === 5);
  // One message a second is all a channel takes.
  expect(stage.clock.now() - begun).toBeLessThan(6_000);
  const done = Promise.all(answers.map((live) => live.finish({ kind: 'done' })));
  await stage.pass(30_000);
  await done;
});

describe('a process that dies', () => {
  const long = Array.from({ length: 250 }, (_, line) => `Line ${line}: some words of an answer.`).join('\n');

  test.each([
    ['a mention', 'chat.postMessage', 'A few words'],
    ['a mention', 'chat.update', 'A few words'],
    ['a mention', 'chat.postMessage', long],
    ['/ask', 'chat.postMessage', 'A few words'],
    ['/ask', 'chat.update', 'A few words'],
    ['/ask', 'chat.postMessage', long],
  ])(
    'at the answer to %s, right after %s, leaves nothing that looks as if it grew',
    async (how, method, text) => {
      const { ada, general, slack, answers } = await beginWriting();
      slack.api.faults.plan(method, { kind: 'cut', when: 'after' }, 1_000);
      if (how === '/ask') await ada.types('/ask hello', general);
      else ada.says(`${ada.bot} hello`, general);
      await stage.until(() => answers.length > 0);
      const [live] = answers;
      live?.append(text);
      await stage.pass(3_000);
      live?.append(' and more words.');
      await stage.killAt(method);
      await stage.pass(30_000);
      const left = stage.posts(general);
      expect(left.filter((message) => shown(message).includes('Stop'))).toEqual([]);
      expect(left.filter(({ stream }) => stream?.state === 'streaming')).toEqual([]);
      expect(left.length).toBeGreaterThan(0);
    },
  );
});
