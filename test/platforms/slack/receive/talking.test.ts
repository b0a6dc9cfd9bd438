import { describe, expect, test } from 'vitest';
import { sleep } from '../../../../src/lib/clock.ts';
import type { Person } from '../../../../src/port/index.ts';
import { messageEvents } from '../../../fakes/slack/events/events.ts';
import { type Message, shown } from '../../../fakes/slack/index.ts';
import { type Script, type Stage, type StageOptions, startStage, writes } from '../support/stage.ts';

let stage: Stage;
const begin = async (options?: StageOptions) => (stage = await startStage(options));

/** What reached `/ask`. */
let seen: { prompt: string; thread: string | undefined; name: string; locale: string }[];
const noting: Script = async (asked, ...others) => {
  const { address, options, requester } = asked;
  const { prompt } = options as { prompt: string };
  seen.push({ prompt, thread: address.thread, name: requester.name, locale: requester.locale });
  await writes(`Answer to ${prompt}`)(asked, ...others);
};
function beginNoting() {
  seen = [];
  return begin({ scripts: { ask: noting } });
}

describe.each(['socket', 'http'] as const)('talking in %s mode', (mode) => {
  test('a mention is answered once, in its thread, though it comes as app_mention and as message', async () => {
    const { ada, general } = await begin({ mode });
    const { message, deliveries } = ada.says(`${ada.bot} what are tides?`, general);
    expect(deliveries).toHaveLength(2);
    await stage.until(() => stage.posts(general).length > 0);
    await stage.pass(10_000);
    expect(stage.texts(general, message.ts)).toEqual(['You asked: what are tides?\nRegenerate']);
    expect(stage.refusals).toBe(0);
  });

  test('an event that Slack sends again is answered once', async () => {
    const { ada, general } = await begin({ mode });
    stage.slack.deliverer.copies = 2;
    const { message } = ada.says(`${ada.bot} hello`, general);
    await stage.until(() => stage.posts(general).length > 0);
    await stage.pass(10_000);
    expect(stage.posts(general, message.ts)).toHaveLength(1);
  });

  test('an event is acknowledged before the answer is written', async () => {
    const { promise: wait, resolve: letGo } = Promise.withResolvers<void>();
    const { ada, general } = await begin({ mode, scripts: { ask: () => wait } });
    const { deliveries } = ada.says(`${ada.bot} hello`, general);
    for (const { done } of deliveries) expect(await done).toMatchObject({ ok: true });
    letGo();
  });
});

test('a direct message is answered below it, and each thread there is a conversation of its own', async () => {
  const { ada } = await beginNoting();
  const channel = ada.directMessages;
  const one = ada.says('one', channel).message;
  await stage.until(() => stage.posts(channel, one.ts).length === 1);
  await stage.pass(3_000);
  ada.says('two', channel, { thread: one.ts });
  await stage.until(() => stage.posts(channel, one.ts).length === 2);
  const three = ada.says('three', channel).message;
  await stage.until(() => stage.posts(channel, three.ts).length === 1);
  expect(seen.map(({ prompt, thread }) => [prompt, thread])).toEqual([
    ['one', one.ts],
    ['two', one.ts],
    ['three', three.ts],
  ]);
});

test.each(['absent', 'null'] as const)(
  'direct messages and mentions are answered where what they may lack is %s',
  async (optionalFields) => {
    const { ada, general, slack } = await beginNoting();
    slack.world.optionalFields = optionalFields;
    const channel = ada.directMessages;
    const one = ada.says('one', channel).message;
    await stage.until(() => stage.posts(channel, one.ts).length === 1);
    await stage.pass(3_000);
    ada.says('two', channel, { thread: one.ts });
    await stage.until(() => stage.posts(channel, one.ts).length === 2);
    const three = ada.says(`${ada.bot} three`, general).message;
    await stage.until(() => stage.posts(general, three.ts).length === 1);
    expect(seen.map(({ prompt, thread }) => [prompt, thread])).toEqual([
      ['one', one.ts],
      ['two', one.ts],
      ['three', three.ts],
    ]);
  },
);

test('in a thread it takes part in the bot needs no mention, unless somebody else is mentioned', async () => {
  const { ada, ben, general } = await beginNoting();
  const { message } = ada.says(`${ada.bot} one`, general);
  await stage.until(() => stage.posts(general, message.ts).length === 1);
  await stage.pass(3_000);
  ben.says('two', general, { thread: message.ts });
  await stage.until(() => stage.posts(general, message.ts).length === 2);
  ben.says(`<@${ada.user.id}> look`, general, { thread: message.ts });
  ben.says('not for the bot', general);
  ben.says('nor here', general, { thread: ada.says('a thread of people', general).message.ts });
  await stage.pass(10_000);
  expect(seen.map(({ prompt }) => prompt)).toEqual(['one', 'two']);
  expect(seen.map(({ thread }) => thread)).toEqual([message.ts, message.ts]);
  expect(seen[1]?.locale).toBe('zh-CN');
});

test('people who turn to one another in its thread are left alone until the bot is mentioned again', async () => {
  const { ada, ben, slack, workspace, general } = await beginNoting();
  const { message } = ada.says(`${ada.bot} one`, general);
  const thread = message.ts;
  await stage.until(() => stage.posts(general, thread).length === 1);
  await stage.pass(3_000);
  ben.says(`<@${ada.user.id}> what do you think?`, general, { thread });
  await stage.pass(3_000);
  ada.says('I like it', general, { thread });
  ben.says('me too', general, { thread });
  await stage.pass(10_000);
  expect(seen.map(({ prompt }) => prompt)).toEqual(['one']);
  await stage.restart();
  ada.says('still between us', general, { thread });
  await stage.pass(10_000);
  ben.says(`${ben.bot} two`, general, { thread });
  await stage.until(() => seen.length === 2);
  await stage.pass(10_000);
  ada.says('three', general, { thread });
  await stage.until(() => seen.length === 3);
  const group = slack.group(workspace, 'team', [ada, ben]);
  const event = { type: 'message', channel: general.id, channel_type: 'channel', user: ben.user.id };
  for (const text of [`<!subteam^${group.id}|@team> look`, '<!here> look', 'is it for us?']) {
    slack.sendEvent(workspace, { ...event, text, thread_ts: thread, ts: slack.world.ts() });
    await stage.pass(5_000);
  }
  expect(seen.map(({ prompt }) => prompt)).toEqual(['one', 'two', 'three']);
});

test('a message that Slack sends again after later ones turns nobody back, neither to people nor to the bot', async () => {
  const { ada, ben, slack, workspace, general } = await beginNoting();
  const { message: first } = ada.says(`${ada.bot} one`, general);
  const thread = first.ts;
  const says = async (text: string) => {
    const { message } = ben.says(text, general, { thread });
    await stage.pass(5_000);
    return message;
  };
  const comesAgain = async (message: Message) => {
    for (const event of messageEvents(slack.world, workspace, general, message))
      await stage.done(slack.sendEvent(workspace, event).done);
  };
  await stage.until(() => seen.length === 1);
  const toPeople = await says(`<@${ada.user.id}> what do you think?`);
  const toBot = await says(`${ben.bot} two`);
  await comesAgain(toPeople);
  await says('three');
  await says(`<@${ada.user.id}> and now?`);
  await comesAgain(toBot);
  await says('not for the bot');
  expect(seen.map(({ prompt }) => prompt)).toEqual(['one', 'two', 'three']);
});

test('names, channels and links in a message reach the command as people read them', async () => {
  const { ada, ben, general } = await beginNoting();
  ada.says(`${ada.bot} tell <@${ben.user.id}> a < b & c`, general);
  await stage.until(() => seen.length > 0);
  expect(seen[0]).toMatchObject({ prompt: 'tell @ben a < b & c', name: 'ada' });
});

test('what a person says with /me is for the bot like anything else that they say', async () => {
  const { ada, general } = await beginNoting();
  ada.saysOfThemselves(`wonders, ${ada.bot}, what time it is`, general);
  await stage.until(() => seen.length > 0);
  expect(seen[0]?.prompt).toContain('what time it is');
});

test('a mention in a canvas asks what’s written there, and is answered below it, or directly', async () => {
  const { ada, general, outside } = await beginNoting();
  const { message } = ada.mentionsInCanvas(`${ada.bot} what are *tides*, <@${ada.user.id}> asks`, general);
  await stage.until(() => stage.posts(general, message.ts).length === 1);
  ada.mentionsInCanvas(`Ask ${ada.bot} why`, outside);
  await stage.until(() => stage.posts(ada.directMessages).length === 1);
  expect(seen.map(({ prompt }) => prompt)).toEqual(['what are *tides*, @ada asks', 'Ask   why']);
  expect(stage.texts(ada.directMessages)[0]).toContain('Answer to Ask');
  ada.mentionsInCanvas(ada.bot, general);
  await stage.until(() => ada.whispers.length === 1);
  expect(JSON.stringify(ada.whispers[0]?.blocks)).toContain('/troupe reset');
});

test('a mention with nothing else is answered with help, to the sender alone', async () => {
  const { ada, general } = await begin();
  ada.says(ada.bot, general);
  await stage.until(() => ada.whispers.length > 0);
  expect(JSON.stringify(ada.whispers[0]?.blocks)).toContain('/troupe reset');
  expect(stage.posts(general)).toEqual([]);
});

test("the bot's own messages and other bots' are not answered", async () => {
  const { slack, workspace, general } = await beginNoting();
  const event = {
    type: 'message',
    channel: general.id,
    channel_type: 'channel',
    text: `<@${workspace.botUser}> hi`,
  };
  slack.sendEvent(workspace, { ...event, user: workspace.botUser, ts: slack.world.ts() });
  slack.sendEvent(workspace, { ...event, user: 'U9', bot_id: 'B9', ts: slack.world.ts() });
  slack.sendEvent(workspace, { ...event, subtype: 'message_changed', user: 'U9', ts: slack.world.ts() });
  await stage.pass(5_000);
  expect(seen).toEqual([]);
});

test('group messages and private channels work alike', async () => {
  const { ada, ben, slack, workspace } = await begin();
  const group = slack.channel(workspace, 'group', [ada, ben], { kind: 'mpim' });
  const secret = slack.channel(workspace, 'secret', [ada], { kind: 'group' });
  for (const channel of [group, secret]) {
    ada.says(`${ada.bot} hello`, channel);
    await stage.until(() => stage.posts(channel).length === 1);
  }
});

// Fact: `app_mention` lacks the kind of channel, which may be a group’s direct messages (bolt-js#817)
test.each([
  ['message', []],
  ['app_mention alone', ['message.mpim', 'message.channels']],
])(
  'nobody moderates direct messages of a group, also where a mention comes as %s',
  async (_, withoutEvents) => {
    const requesters: Person[] = [];
    const { ada, ben, general, slack, workspace } = await begin({
      withoutEvents,
      scripts: {
        ask: async ({ requester, reply }) => {
          requesters.push(requester);
          await reply.say({ text: 'hello' });
        },
      },
    });
    const group = slack.channel(workspace, 'group', [ada, ben], { kind: 'mpim' });
    for (const channel of [group, general, group]) {
      const before = requesters.length;
      ada.says(`${ada.bot} hello`, channel);
      await stage.until(() => requesters.length > before);
    }
    expect(requesters.map(({ unmoderated }) => unmoderated)).toEqual([true, undefined, true]);
    expect(slack.api.of('conversations.info').length).toBeLessThanOrEqual(2);
  },
);

describe("the agent's panel", () => {
  test('shows suggested prompts in the language of who opens it', async () => {
    const { ada, ben, slack } = await begin();
    ada.opensApp();
    ben.opensApp();
    await stage.until(() => slack.world.prompts.size === 2);
    expect(slack.world.prompts.get(ada.directMessages.id)?.[0]?.title).toBe('Ask anything');
    expect(slack.world.prompts.get(ben.directMessages.id)?.[0]?.title).toBe('提问');
  });

  test('is without them where the app is no agent, which no log has to say each time', async () => {
    const { ada, slack } = await begin();
    slack.api.faults.plan('assistant.threads.setSuggestedPrompts', { kind: 'error', code: 'not_agent_app' });
    ada.opensApp();
    await stage.until(() => slack.api.of('assistant.threads.setSuggestedPrompts').length === 1);
    await stage.quiet();
    expect(stage.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('each suggested prompt works as it’s sent: help about one of the four talents, free', async () => {
    const helped: unknown[] = [];
    stage = await startStage({
      scripts: {
        ask: async () => void helped.push('paid'),
        help: async ({ options }) => void helped.push((options as { command?: string }).command),
      },
    });
    const { ada, ben, slack } = stage;
    for (const person of [ada, ben]) {
      helped.length = 0;
      person.opensApp();
      await stage.until(() => slack.world.prompts.has(person.directMessages.id));
      for (const { message } of slack.world.prompts.get(person.directMessages.id) ?? []) {
        const before = helped.length;
        person.says(message, person.directMessages);
        await stage.until(() => helped.length > before);
      }
      expect(helped).toEqual(['ask', 'speak', 'imagine', 'video']);
    }
  });

  test.each(['en-US', 'zh-CN'] as const)(
    'everything it suggests in %s is answered by help, free',
    async (locale) => {
      let asked = 0;
      const script = async () => {
        asked += 1;
      };
      const { slack, workspace } = await begin({ scripts: { ask: script } });
      const person = slack.person(workspace, { name: 'eve', locale });
      person.opensApp();
      await stage.until(() => slack.world.prompts.size === 1);
      const prompts = slack.world.prompts.get(person.directMessages.id) ?? [];
      expect(prompts).toHaveLength(4);
      for (const [index, { message }] of prompts.entries()) {
        person.says(message, person.directMessages);
        await stage.until(() => stage.posts(person.directMessages).length === index + 1);
      }
      const texts = stage.texts(person.directMessages);
      expect(texts[0]).toContain('/troupe reset');
      for (const [index, name] of ['/speak', '/imagine', '/video'].entries()) {
        expect(texts[index + 1]).toContain(`**${name}**`);
      }
      expect(asked).toBe(0);
    },
  );

  test('a conversation gets a title from its first words', async () => {
    const { ada, slack } = await begin();
    const { message } = ada.says('Tell me   about\ntides', ada.directMessages);
    await stage.until(() => slack.world.sessions.size === 1);
    const key = `${ada.directMessages.id} ${message.ts}`;
    expect(slack.world.sessions.get(key)?.title).toBe('Tell me about tides');
    expect(slack.world.sessions.get(key)?.initiator).toBe(ada.user.id);
  });

  test('a session that Slack began itself is renamed', async () => {
    const { ada, slack } = await begin();
    const { message } = ada.says('Tell me about tides', ada.directMessages);
    const key = `${ada.directMessages.id} ${message.ts}`;
    slack.world.sessions.set(key, { title: 'New chat', initiator: undefined, status: 'active' });
    await stage.until(() => slack.world.sessions.get(key)?.title === 'Tell me about tides');
  });

  test('where there are no sessions a conversation gets its title all the same', async () => {
    const { ada, slack } = await begin();
    slack.world.readings.agentSessions = 'refused';
    const { message } = ada.says('Tell me   about\ntides', ada.directMessages);
    await stage.until(() => slack.world.titles.size === 1);
    expect(slack.world.titles.get(`${ada.directMessages.id} ${message.ts}`)).toBe('Tell me about tides');
  });

  test('where there are no sessions a status is shown until the first words, renewed before Slack takes it down', async () => {
    const { promise: wait, resolve: speak } = Promise.withResolvers<void>();
    const { ada, slack } = await begin({
      scripts: {
        ask: async ({ reply }) => {
          const live = reply.stream({ buttons: () => [] });
          await wait;
          live.append('at last');
          await live.finish({ kind: 'done' });
        },
      },
    });
    slack.world.readings.agentSessions = 'refused';
    ada.says('hello', ada.directMessages);
    await stage.until(() => slack.world.statuses.length === 1);
    await stage.pass(200_000);
    expect(slack.world.statuses.map(({ endedBy }) => endedBy)).toEqual(['replaced', 'replaced', undefined]);
    speak();
    await stage.until(() => stage.posts(ada.directMessages).length > 0);
    await stage.pass(200_000);
    expect(slack.world.statuses.map(({ endedBy }) => endedBy)).toEqual(['replaced', 'replaced', 'post']);
  });

  test.each([
    ['a hint', 'Yours comes next.', 'Yours comes next.'],
    ['a hint of more than 50 characters', 'a'.repeat(51), `${'a'.repeat(49)}…`],
  ])('%s shows in the status', async (_, hint, seen) => {
    const { ada, slack } = await begin({
      scripts: {
        ask: async ({ reply }) => {
          const live = reply.stream({ buttons: () => [] });
          live.hint(hint);
          await sleep(stage.clock, 500);
          await live.finish({ kind: 'stopped' });
        },
      },
    });
    ada.says('hello', ada.directMessages);
    await stage.until(() => slack.api.of('assistant.threads.setStatus').length === 2);
    const [hinted, cleared] = slack.api.of('assistant.threads.setStatus').map(({ args }) => args);
    expect(hinted?.loading_messages).toBe(JSON.stringify([seen]));
    expect(cleared?.status).toBe('');
  });

  test('what somebody looks at is heard and nothing is made of it', async () => {
    const { ada, general } = await begin();
    expect(await ada.looksAt(general).done).toMatchObject({ ok: true });
  });
});

test('what people see of the answer is the text and its buttons', async () => {
  const { ada, general } = await begin();
  ada.says(`${ada.bot} hello`, general);
  await stage.until(() => stage.texts(general).some((text) => text.includes('Regenerate')));
  expect(stage.posts(general).map(shown)).toEqual(['You asked: hello\nRegenerate']);
});

test('nobody administers direct messages: workspace administrators neither', async () => {
  const seen: (readonly [boolean, boolean, boolean | undefined])[] = [];
  const { chief, general } = await begin({
    scripts: {
      ask: async ({ requester, reply }) => {
        seen.push([requester.administrator, requester.moderator, requester.direct]);
        await reply.say({ text: 'seen' });
      },
    },
  });
  chief.says(`${chief.bot} hello`, general);
  await stage.until(() => seen.length === 1);
  chief.says('hello', chief.directMessages);
  await stage.until(() => seen.length === 2);
  expect(seen).toEqual([
    [true, true, undefined],
    [false, false, true],
  ]);
});
