import { describe, expect, test } from 'vitest';
import { shown } from '../../../fakes/slack/index.ts';
import { says, type Stage, type StageOptions, startStage, writes } from '../support/stage.ts';

let stage: Stage;
const begin = async (options?: StageOptions) => (stage = await startStage(options));

describe.each(['socket', 'http'] as const)('slash commands in %s mode', (mode) => {
  test('/ask shows who asked what, with the answer, in one root message', async () => {
    const { ada, general } = await begin({ mode });
    const { acknowledged } = await ada.types('/ask what are tides?', general);
    expect(acknowledged.ok).toBe(true);
    await stage.until(() => stage.texts(general).some((text) => text.includes('Regenerate')));
    const [root, ...others] = stage.posts(general);
    expect(others).toEqual([]);
    expect(root?.threadTs).toBeUndefined();
    expect(root && shown(root)).toBe(
      '*ada* · `/ask` what are tides?\nYou asked: what are tides?\nRegenerate',
    );
    expect(stage.refusals).toBe(0);
  });

  test('in the thread below it the conversation goes on by mention', async () => {
    const places: (string | undefined)[] = [];
    const { ada, ben, general } = await begin({
      mode,
      scripts: {
        ask: async ({ address, reply, job }) => {
          places.push(address.thread);
          const live = reply.stream({ buttons: () => [{ id: `ask.stop:${job.id}`, label: 'Stop' }] });
          live.append('an answer');
          await live.finish({ kind: 'done' });
        },
      },
    });
    await ada.types('/ask one', general);
    await stage.until(() => stage.posts(general).length === 1);
    const root = stage.posts(general)[0]?.ts ?? '';
    await stage.pass(5_000);
    ben.says(`${ben.bot} two`, general, { thread: root });
    await stage.until(() => stage.posts(general, root).length === 1);
    // No thread in either place: both belong to the channel's conversation.
    expect(places).toEqual([undefined, undefined]);
  });
});

test('a wrong option is answered to the sender alone, with what is allowed and a corrected example', async () => {
  const { ada, general } = await begin();
  await ada.types('/video a cat --duration 30', general);
  await stage.until(() => ada.whispers.length > 0);
  const [whisper] = stage.whispers();
  expect(whisper).toContain('Allowed: 4–15');
  expect(whisper).toContain('`/video a cat --duration 15`');
  expect(stage.posts(general)).toEqual([]);
});

test('a long text isn’t lost with a wrong option: Slack keeps nothing of a command', async () => {
  const { ada, general } = await begin();
  const prompt = `a cat ${'on a very long roof '.repeat(20)}at night`;
  await ada.types(`/video ${prompt} --duration 30`, general);
  await stage.until(() => ada.whispers.length > 0);
  expect(stage.whispers()[0]).toContain(`\`/video ${prompt} --duration 15\``);
  await ada.types('/imagine a `cat`\non a roof --size huge', general);
  await stage.until(() => ada.whispers.length > 1);
  expect(stage.whispers()[1]).toContain('```\n/imagine a `cat`\non a roof --size 2k\n```');
});

test('an option by a name that none has is refused in Chinese, too: nothing is bought without it', async () => {
  const { ben, general } = await begin();
  await ben.types('/video 一只猫 --时长 8', general);
  await stage.until(() => ben.whispers.length > 0);
  expect(stage.whispers(ben)[0]).toContain('没有选项 `时长`');
  expect(stage.whispers(ben)[0]).toContain('`/video 一只猫`');
  expect(stage.posts(general)).toEqual([]);
});

test('a word that a command doesn’t take is refused: what was meant by it wouldn’t happen', async () => {
  const { ada, general } = await begin();
  await ada.types('/troupe usage week', general);
  await ada.types('/troupe reset later', general);
  await stage.until(() => ada.whispers.length > 1);
  expect(stage.whispers()[0]).toContain('There’s no option `week`. Options: period, by.');
  expect(stage.whispers()[0]).toContain('`/troupe usage --period week`');
  expect(stage.whispers()[1]).toContain('There’s no option `later`: this takes none.');
  expect(stage.whispers()[1]).not.toContain('--');
  expect(stage.posts(general)).toEqual([]);
});

test('a refusal that isn’t about options says what was typed: it can be sent again later', async () => {
  const { ada, general } = await begin();
  await ada.types('/troupe dance with me', general);
  await stage.until(() => ada.whispers.length > 0);
  expect(stage.whispers()[0]).toContain('There’s no command `/troupe dance`');
  expect(stage.whispers()[0]).toContain('You typed: `/troupe dance with me`');
});

test('an unknown word after /troupe is answered with where to look', async () => {
  const { ada, general } = await begin();
  await ada.types('/troupe dance', general);
  await stage.until(() => ada.whispers.length > 0);
  expect(stage.whispers()[0]).toContain('Use `/troupe help` to see all commands');
});

test("the person's language comes from users.info", async () => {
  const { ben, general } = await begin();
  await ben.types('/video 猫 --duration 30', general);
  await stage.until(() => ben.whispers.length > 0);
  expect(stage.whispers(ben)[0]).toContain('例如');
});

test('help is for the sender alone, in the way Slack types commands', async () => {
  const { ada, general } = await begin({ prefix: 'acme-' });
  await ada.types('/acme-imagine help', general);
  await ada.types('/acme-troupe help', general);
  await stage.until(() => ada.whispers.length >= 2);
  const [first, second] = stage.whispers();
  expect(first).toContain('`/acme-imagine a lighthouse in a storm, woodcut --size 3k`');
  expect(second).toContain('*/acme-troupe reset*');
  expect(stage.posts(general)).toEqual([]);
});

test('a command in direct messages is answered there', async () => {
  const { ada } = await begin();
  const channel = ada.directMessages;
  await ada.types('/ask hello', channel);
  await stage.until(() => stage.texts(channel).some((text) => text.includes('You asked: hello')));
  await ada.opensApp().done;
  await ada.types('/troupe help', channel);
  await stage.until(() => stage.texts(channel).some((text) => text.includes('What I can do here')));
});

describe('where the bot is no member', () => {
  test('/ask is answered through the response address, whole, within its five uses', async () => {
    const lines = Array.from(
      { length: 400 },
      (_, line) => `Line ${line} of a long answer, with some words.\n`,
    );
    const regenerate = (job: string) => [{ id: `ask.regenerate:${job}`, label: 'Regenerate' }];
    const { ada, outside } = await begin({ scripts: { ask: writes(lines.join(''), regenerate) } });
    const { responseUrl = '' } = await ada.types('/ask hello', outside);
    await stage.until(() => stage.texts(outside).join('').includes('Line 399'));
    const texts = stage.texts(outside);
    expect(texts[0]).toContain('*ada* · `/ask`');
    expect(texts.at(-1)).toContain('Regenerate');
    for (let line = 0; line < 400; line++) expect(texts.join('\n')).toContain(`Line ${line} of`);
    expect(stage.slack.responseUrls.uses(responseUrl)).toBeLessThanOrEqual(5);
    expect(stage.whispers()[0]).toContain('I’m not in this channel');
  });

  test.each(['/speak hello', '/imagine a cat', '/video a cat'])(
    '%s is refused before anything is spent, with how to invite the bot',
    async (line) => {
      let ran = false;
      const script = async () => {
        ran = true;
      };
      const { ada, outside } = await begin({ scripts: { speak: script, imagine: script, video: script } });
      await ada.types(line, outside);
      await stage.until(() => ada.whispers.length > 0);
      expect(stage.whispers()[0]).toContain('`/invite @troupe`');
      expect(ran).toBe(false);
    },
  );

  test('an answer too long for five uses is cut with a note about it, and comes whole in direct messages', async () => {
    const text = Array.from({ length: 2_000 }, (_, line) => `Line ${line} of a **very** long answer.`).join(
      '\n',
    );
    const { ada, outside, slack, workspace } = await begin({ scripts: { ask: writes(text) } });
    const { responseUrl = '' } = await ada.types('/ask hello', outside);
    await stage.until(() => stage.texts(outside).join('').includes('/invite @troupe'), 300_000);
    expect(stage.texts(outside).join('')).toContain('Line 800 of a *very* long answer.');
    expect(stage.texts(outside).at(-1)).toContain('all of it is in our direct messages');
    expect(slack.responseUrls.uses(responseUrl)).toBe(5);
    const [file] = [...workspace.files.values()];
    expect(file?.shares.map(({ channel }) => channel)).toEqual([ada.directMessages.id]);
    expect(Buffer.from(slack.bytesOf(workspace, file?.id ?? '')).toString()).toBe(text);
  });

  test('the bot is invited by the name it has there', async () => {
    const { ada, outside, workspace } = await begin();
    workspace.botName = 'troupe2';
    await stage.restart();
    await ada.types('/imagine a cat', outside);
    await stage.until(() => ada.whispers.length > 0);
    expect(stage.whispers()[0]).toContain('`/invite @troupe2`');
  });

  test('short answers in words come through the response address', async () => {
    const { chief, outside } = await begin({ scripts: { reset: says('New conversation started.') } });
    await chief.types('/troupe reset', outside);
    await stage.until(() => stage.posts(outside).length > 0);
    expect(stage.texts(outside)[0]).toContain('New conversation started.');
  });
});

describe('what a person types is never a ping', () => {
  test.each(['tell <!channel> and @here', '@channel free pizza', '_@everyone_ `@here`'])(
    '%s',
    async (typed) => {
      const { ada, general, outside, slack } = await begin();
      // Above an answer in a channel, through the response address, and to them alone.
      for (const channel of [general, outside]) {
        await ada.types(`/ask ${typed}`, channel);
        await stage.until(() => stage.posts(channel).length > 0);
      }
      await ada.types(`/ask ${typed} --private`, general);
      await stage.until(() => ada.whispers.length > 1);
      const posts = [...stage.posts(general), ...stage.posts(outside)];
      expect(posts.flatMap(({ pings }) => pings)).toEqual([]);
      // Whatever Slack does with such words, it doesn't look for them.
      const blocks = JSON.stringify([...posts, ...ada.whispers].map((message) => message.blocks));
      expect(blocks.split('"type":"mrkdwn"').length).toBeGreaterThan(3);
      expect(blocks.match(/"type":"mrkdwn"/g)).toHaveLength(blocks.match(/"verbatim":true/g)?.length ?? 0);
      expect(slack.api.calls.some(({ args }) => args.link_names !== undefined)).toBe(false);
    },
  );
});
