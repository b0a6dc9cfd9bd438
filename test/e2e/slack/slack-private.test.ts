import { describe, expect, it } from 'vitest';
import { words } from '../../../src/words/index.ts';
import type { Ephemeral, Message } from '../../fakes/slack/index.ts';
import { labelsOf, passes, type SlackScene, startSlackScene, textOf } from '../support/slack-scene.ts';

const { sharing } = words('en');
/** What is in every prompt of these tests, and in what comes of it. */
const secret = 'marmalade';
const lines = {
  ask: `/ask repeat: ${secret} is the word --private`,
  speak: `/speak ${secret} is the word --private`,
  imagine: `/imagine a jar of ${secret} --private`,
  video: `/video a jar of ${secret} --duration 4 --private`,
} as const;
const media = ['speak', 'imagine', 'video'] as const;

/** All that others can read: what is in any channel but the person's own with the bot. */
function publicWords({ workspace, ada }: SlackScene): string {
  const own = ada.directMessages.id;
  const files = [...workspace.files.values()].filter(({ shares }) =>
    shares.some(({ channel }) => channel !== own),
  );
  const channels = [...workspace.channels.values()].filter(({ id }) => id !== own);
  const messages = channels.flatMap((channel) => [...channel.messages.values()]);
  return JSON.stringify([
    messages.filter(({ byApp }) => byApp).map(({ text, markdown, blocks }) => [text, markdown, blocks]),
    files.map(({ name, title, altText }) => [name, title, altText]),
  ]);
}

const wordsOf = ({ text, blocks }: Ephemeral) => `${text} ${JSON.stringify(blocks)}`;
const direct = (scene: SlackScene) => scene.said(scene.ada.directMessages);
const whisper = (scene: SlackScene, ...parts: string[]) =>
  scene.until(`a whisper with ${parts.join(', ')}`, () =>
    scene.ada.whispers.find((one) => parts.every((part) => wordsOf(one).includes(part))),
  );
/** A line for the person alone: in their direct messages the bot says it there. */
const whisperOrDirect = (scene: SlackScene, line: string) =>
  scene.until(line, () =>
    [...scene.ada.whispers.map(wordsOf), ...direct(scene).map(textOf)].some((one) => one.includes(line)),
  );
/** The message with the result in the person's direct messages. */
const result = (scene: SlackScene): Promise<Message> =>
  scene.until('the result', () => direct(scene).find((message) => labelsOf(message).includes(sharing.share)));

describe('a private command in a channel', () => {
  it('/ask: a long answer comes in direct messages, which a line says', async () => {
    const scene = await startSlackScene('socket');
    await scene.ada.types('/ask Write 30000 characters --private', scene.general);
    await result(scene);
    await whisper(scene, 'in our direct messages');
    expect(scene.said()).toEqual([]);
  });

  it.each(['ask', 'imagine'] as const)('/%s works where the bot isn’t a member', async (talent) => {
    const scene = await startSlackScene('socket');
    const outside = scene.slack.channel(scene.workspace, 'outside', [scene.ada], { withoutBot: true });
    await scene.ada.types(lines[talent], outside);
    await (talent === 'ask' ? whisper(scene, secret, sharing.share) : result(scene));
    expect(scene.said(outside)).toEqual([]);
  });
});

describe('a mention in a thread that wants a private answer', () => {
  const asked = async (scene: SlackScene, words: string) => {
    const { message: root } = scene.ben.says('Breakfast?', scene.general);
    scene.ada.says(`${scene.ada.bot} ${words} --private`, scene.general, { thread: root.ts });
    return root;
  };

  it('gets it in that thread, shown to its author alone', async () => {
    const scene = await startSlackScene('socket');
    const root = await asked(scene, `/ask repeat: ${secret} is the word`);
    const answer = await whisper(scene, secret, sharing.share);
    expect(answer).toMatchObject({ threadTs: root.ts, channel: scene.general.id });
    expect(scene.said()).toEqual([]);
    await scene.ada.presses(answer, sharing.share);
    const shared = await scene.until('the post', () => scene.said()[0]);
    expect(shared.threadTs).toBe(root.ts);
    expect(textOf(shared)).toContain(secret);
  });

  it('gets what has files as a direct message, which a line in the thread says', async () => {
    const scene = await startSlackScene('socket');
    const root = await asked(scene, `imagine a jar of ${secret}`);
    await result(scene);
    expect(await whisper(scene, 'in our direct messages')).toMatchObject({ threadTs: root.ts });
    expect(scene.said()).toEqual([]);
    expect(publicWords(scene)).not.toContain(secret);
  });
});

it.each([
  ['ask', 'mention', `/ask Write 1200 characters about ${secret}`],
  ['ask', 'mention, a thread’s only reply,', `/ask Write 1200 characters about ${secret}`],
  ['speak', 'mention', `/speak Good morning to my ${secret} [[slow 2]]`],
  ['imagine', 'mention', `imagine my ${secret}`],
] as const)('a private /%s by a %s is answered though its author deletes that', async (talent, by, line) => {
  const scene = await startSlackScene('socket', { pace: 'human', renderTime: 5 });
  const { ada, ben, general } = scene;
  const thread = by === 'mention' ? {} : { thread: ben.says('Breakfast?', general).message.ts };
  const { message } = ada.says(`${ada.bot} ${line} --private`, general, thread);
  await scene.until('the sign', () => ada.whispers.length > 0);
  await scene.slack.acknowledged(ada.deletes(message));
  if (talent === 'ask') await whisper(scene, sharing.share);
  else await result(scene);
  expect(publicWords(scene)).not.toContain(secret);
});

describe('a form on Slack', () => {
  it('has “private”: what it sends is answered to who sent it alone', async () => {
    const scene = await startSlackScene('socket');
    const { message } = scene.ben.says(`The word is ${secret}.`, scene.general);
    await scene.fills(scene.ada, scene.ada.picks(message, 'Ask about this'), {
      prompt: `repeat: ${secret} is the word`,
      private: true,
    });
    await whisper(scene, secret, sharing.share);
    expect(scene.said()).toEqual([]);
  });

  it('has “private” for what has files, too: that comes in direct messages', async () => {
    const scene = await startSlackScene('socket');
    const { message } = scene.ben.says(`A jar of ${secret}.`, scene.general);
    await scene.fills(scene.ada, scene.ada.picks(message, 'Imagine this'), { private: true });
    await result(scene);
    expect(scene.said()).toEqual([]);
    expect(publicWords(scene)).not.toContain(secret);
  });

  it('under a private answer to a mention goes on where that is, also where it’s sent when its response address is dead', async () => {
    const scene = await startSlackScene('socket');
    const { ada, general } = scene;
    ada.says(`${ada.bot} ${lines.ask}`, general);
    await ada.presses(await whisper(scene, sharing.share), 'Reply');
    await scene.until('the form', () => ada.form);
    await passes(scene, 31);
    await ada.sends({ prompt: 'And now?' });
    await whisper(scene, 'Question 2', sharing.share);
    expect(scene.said()).toEqual([]);
  });
});

describe('the log', () => {
  it('has no word of a private question or its answer, at any level, even if Slack refuses them', async () => {
    const logged: string[] = [];
    const scene = await startSlackScene('socket', {}, {}, logged);
    for (const talent of ['ask', 'speak', 'imagine'] as const) {
      await scene.ada.types(lines[talent], scene.general);
      await (talent === 'ask' ? whisper(scene, secret, sharing.share) : result(scene));
    }
    const refusal = { kind: 'error', code: 'restricted_action' } as const;
    scene.slack.api.faults.plan('chat.postEphemeral', refusal, 1_000);
    scene.ada.says(`${scene.ada.bot} /ask repeat: ${secret} again --private`, scene.general);
    await scene.until('the answer', () => direct(scene).some((one) => textOf(one).includes('again')));
    expect(logged.length).toBeGreaterThan(0);
    expect(logged.join('')).not.toContain(secret);
  });
});

describe('Share here', () => {
  it('/ask: its answer, shown to its requester alone, is posted where it was asked, once; its button says so', async () => {
    const scene = await startSlackScene('socket');
    const { ada, general } = scene;
    await ada.types(lines.ask, general);
    await whisper(scene, 'Only you will see');
    const answer = await whisper(scene, secret, sharing.share);
    expect(publicWords(scene)).not.toContain(secret);
    expect(scene.said()).toEqual([]);
    expect(direct(scene)).toEqual([]);
    await Promise.all([ada.presses(answer, sharing.share), ada.presses(answer, sharing.share)]);
    await whisper(scene, sharing.already);
    await scene.until('the label', () => wordsOf(answer).includes(`"${sharing.shared}"`));
    expect(wordsOf(answer)).toContain(secret);
    const [shared, ...more] = scene.said();
    expect(textOf(shared as Message)).toContain(secret);
    expect(textOf(shared as Message)).toContain('Shared by ada');
    expect(more).toEqual([]);
  });

  it('/ask: is part of the conversation in the channel once its button says so', async () => {
    const scene = await startSlackScene('socket');
    const { ada, ben, general } = scene;
    await ada.types('/ask Remember the number 4711. --private', general);
    const answer = await whisper(scene, sharing.share);
    await ben.types('/ask What was the number?', general);
    // One that's written to its end; while it grows it has only Stop.
    const first = await scene.until('an answer', () => scene.said().find((one) => labelsOf(one).length > 1));
    expect(textOf(first)).not.toContain('4711');
    await ada.presses(answer, sharing.share);
    await scene.until('the label', () => wordsOf(answer).includes(`"${sharing.shared}"`));
    expect(scene.said().some((one) => textOf(one).includes('Shared by'))).toBe(true);
    await ben.types('/ask What was the number?', general);
    await scene.until('an answer', () =>
      scene.said().find((one) => /4711/.test(textOf(one)) && labelsOf(one).length > 0),
    );
  });

  it('/ask: what’s posted of a long one goes with it, all of its messages', async () => {
    const scene = await startSlackScene('socket');
    const { ada, general } = scene;
    await ada.types('/ask Write 9000 characters --private', general);
    const isLast = (one: Message) => labelsOf(one).includes(sharing.share);
    const answer = await scene.until('the answer', () => direct(scene).find(isLast));
    await ada.presses(answer, sharing.share);
    await scene.until('the label', () => labelsOf(answer).includes(sharing.shared));
    expect(scene.said().length).toBeGreaterThan(1);
    expect(scene.said().map(textOf).join()).toContain('Shared by ada');
    await ada.presses(answer, 'Delete');
    await scene.until('nothing is left', () => scene.said().length + direct(scene).length === 0);
  });

  it.each([
    ['what’s shared', lines.ask, 1, 'group', 'works'],
    ['an answer, each message of it,', '/ask Write 25000 characters', 3, 'group', 'works'],
    ['an answer in a public channel', '/ask Hello', 1, 'channel', 'works'],
    [
      'an answer in a public channel, though Slack refuses it otherwise,',
      '/ask Hello',
      1,
      'channel',
      'refused',
    ],
  ] as const)(
    '/ask: where the bot isn’t a member, a moderator deletes %s by its button',
    async (_, line, count, kind, otherwise) => {
      const scene = await startSlackScene('socket');
      scene.slack.world.readings.deleteWhereAbsent = otherwise;
      const { slack, workspace, ada, ben } = scene;
      const boss = slack.person(workspace, { name: 'boss', admin: true });
      const outside = slack.channel(workspace, 'outside', [ada, ben, boss], { kind, withoutBot: true });
      await ada.types(line, outside);
      if (line === lines.ask) await ada.presses(await whisper(scene, sharing.share), sharing.share);
      const isWhole = () => labelsOf(scene.said(outside)[count - 1]).includes('Delete');
      const all = await scene.until('the whole answer', () => isWhole() && scene.said(outside));
      await ben.presses(all[0] as Message, 'Delete');
      await scene.until('the refusal', () => ben.whispers.length > 0);
      expect(scene.said(outside)).toEqual(all);
      for (const message of all) await boss.presses(message, 'Delete');
      await scene.until('nothing is left', () => scene.said(outside).length === 0);
      expect(boss.whispers).toEqual([]);
    },
  );

  it.each([
    ['group', 'works'],
    ['channel', 'refused'],
  ] as const)(
    '/ask: where the bot has been taken out of the %s since, what’s shared is deleted by its button',
    async (kind, otherwise) => {
      const scene = await startSlackScene('socket');
      const { slack, workspace, ada } = scene;
      slack.world.readings.deleteWhereAbsent = otherwise;
      const inside = slack.channel(workspace, 'inside', [ada], { kind });
      await ada.types(lines.ask, inside);
      const answer = await whisper(scene, sharing.share);
      await ada.presses(answer, sharing.share);
      await scene.until('the label', () => wordsOf(answer).includes(`"${sharing.shared}"`));
      inside.members.delete(workspace.botUser);
      await ada.presses(scene.said(inside)[0] as Message, 'Delete');
      await scene.until('nothing is left', () => scene.said(inside).length === 0);
    },
  );

  it('posts nothing for somebody who was taken out of the channel, in whichever page of its members they were', async () => {
    const scene = await startSlackScene('socket');
    const { ada, general } = scene;
    for (let number = 0; number < 1_200; number++) general.members.add(`U0CROWD${number}`);
    await ada.types(lines.imagine, general);
    const hidden = await result(scene);
    general.members.delete(ada.user.id);
    await ada.presses(hidden, sharing.share);
    await whisperOrDirect(scene, sharing.notThere);
    expect(scene.said()).toEqual([]);
    general.members.add(ada.user.id);
    await ada.presses(hidden, sharing.share);
    await scene.until('the label', () => labelsOf(hidden).includes(sharing.shared));
    expect(scene.said().map(textOf).join()).toContain('Shared by ada');
  });

  it.each(media)(
    '/%s: what came directly, as a line says, is posted where it was asked, after a restart, too',
    async (talent) => {
      const scene = await startSlackScene('socket');
      const { ada } = scene;
      await ada.types(lines[talent], scene.general);
      const hidden = await result(scene);
      expect(textOf(hidden)).toContain(secret);
      await whisper(scene, 'in our direct messages');
      expect(scene.workspace.files.size).toBeGreaterThan(0);
      expect(publicWords(scene)).not.toContain(secret);
      expect(scene.said()).toEqual([]);
      const spent = await scene.spent();
      await scene.restart();
      await ada.presses(hidden, sharing.share);
      await scene.until('the label', () => labelsOf(hidden).includes(sharing.shared));
      expect(labelsOf(hidden)).not.toContain(sharing.share);
      const shared = scene.said();
      expect(shared.map(textOf).join()).toContain('Shared by ada');
      expect(shared.map(textOf).join()).toContain(secret);
      const files = [...scene.workspace.files.values()];
      const isHere = files.some(({ shares }) => shares.some(({ channel }) => channel === scene.general.id));
      expect(isHere || shared.some(({ blocks }) => JSON.stringify(blocks).includes('slack_file'))).toBe(true);
      expect(await scene.spent()).toBe(spent);
    },
  );

  it('/imagine: posts several images in one message, once', async () => {
    const scene = await startSlackScene('socket');
    const { ada } = scene;
    await ada.types(`${lines.imagine} --count 3`, scene.general);
    const hidden = await result(scene);
    await Promise.all([ada.presses(hidden, sharing.share), ada.presses(hidden, sharing.share)]);
    await scene.until('the label', () => labelsOf(hidden).includes(sharing.shared));
    await whisperOrDirect(scene, sharing.already);
    expect(labelsOf(hidden)).not.toContain(sharing.share);
    const shared = scene.said();
    expect(shared.filter((one) => textOf(one).includes('Shared by ada'))).toHaveLength(1);
    const isImage = ({ blocks }: Message) => JSON.stringify(blocks).split('slack_file').length - 1;
    const images = shared.map((one) => Math.max(one.files.length, isImage(one)));
    expect(images.filter((count) => count > 0)).toEqual([3]);
  });

  it('says so where the bot may not post', async () => {
    const scene = await startSlackScene('socket');
    const { ada, general } = scene;
    await ada.types(lines.imagine, general);
    const hidden = await result(scene);
    general.members.delete(scene.workspace.botUser);
    await ada.presses(hidden, sharing.share);
    await scene.until('the reason', () =>
      direct(scene).some((one) => textOf(one).includes('not in this channel')),
    );
    expect(publicWords(scene)).not.toContain(secret);
  });
});
