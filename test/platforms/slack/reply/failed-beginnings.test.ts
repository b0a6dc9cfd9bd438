import { describe, expect, test } from 'vitest';
import imagine from '../../../../commands/imagine.ts';
import { words } from '../../../../src/words/index.ts';
import { takeAway } from '../../../fakes/database.ts';
import type { Fault } from '../../../fakes/slack/faults.ts';
import { type Channel, type Message, shown } from '../../../fakes/slack/index.ts';
import { type Script, type Stage, startStage } from '../support/stage.ts';

const why = 'I can’t save anything right now.';
const below = `> a cat\n\`2k\`\nfault: ${why}\nTry again`;

let stage: Stage;
let fail: () => void;
let said: number;

/** Says that it begins, and fails when the test lets it go on. */
function inVain(): Script {
  said = 0;
  const failed = Promise.withResolvers<void>();
  fail = failed.resolve;
  return async ({ job, reply }) => {
    const { drawing } = words(job.requester.locale);
    await reply.say({ text: `${imagine.about?.(job)}\n${drawing}`, unquoted: drawing });
    said += 1;
    await failed.promise;
    throw new Error(why);
  };
}

const failing: Script = async () => {
  throw new Error(why);
};

async function open(): Promise<void> {
  stage = await startStage({ scripts: { imagine: inVain() } });
}

async function announcedIn(channel: Channel): Promise<Message> {
  await stage.until(() => said === 1);
  const [message] = stage.posts(channel);
  if (!message) throw new Error('nothing was announced');
  return message;
}

const isTold = (channel: Channel, times = 1) =>
  stage.until(() => stage.texts(channel).filter((text) => text.includes(why)).length === times, 300_000);

describe('what was announced and can’t be begun', () => {
  test('shows why in its place: a button, with who pressed it', async () => {
    await open();
    const { ada, ben, general } = stage;
    void ada.types('/imagine a cat', general);
    const message = await announcedIn(general);
    fail();
    await isTold(general);
    void ben.presses(message, 'Try again');
    await isTold(general, 2);
    expect(stage.texts(general)).toEqual([
      `*ada* · \`/imagine\`\n${below}`,
      `*ben* · \`Try again\`\n${below}`,
    ]);
  });

  test('shows why in its place: a mention, in its thread', async () => {
    await open();
    const { ada, general } = stage;
    const { message: asked } = ada.says(`${ada.bot} imagine a cat`, general);
    const message = await announcedIn(general);
    fail();
    await isTold(general);
    expect(stage.posts(general)).toEqual([message]);
    expect(shown(message)).toBe(below);
    expect(message.threadTs).toBe(asked.ts);
  });

  test('shows why in its place: the menu of a message', async () => {
    await open();
    const { ada, ben, general } = stage;
    const { message: cat } = ben.says('a cat', general);
    await ada.picks(cat, 'Imagine this');
    await stage.until(() => ada.form !== undefined);
    void ada.sends({});
    const message = await announcedIn(general);
    fail();
    await isTold(general);
    expect(stage.posts(general)).toEqual([message]);
    expect(shown(message)).toContain(below);
    expect(shown(message)).toContain('about ben’s message');
  });

  test('shows why in its place: to its person alone', async () => {
    await open();
    const { ada, general } = stage;
    void ada.types('/imagine a cat --private true', general);
    const message = await announcedIn(ada.directMessages);
    fail();
    await isTold(ada.directMessages);
    expect(stage.posts(ada.directMessages)).toEqual([message]);
    expect(shown(message)).toBe(below);
    expect(stage.posts(general)).toEqual([]);
  });

  test.each([
    ['a command', () => void stage.ada.types('/imagine a cat', stage.general)],
    ['a mention', () => void stage.ada.says(`${stage.ada.bot} imagine a cat`, stage.general)],
  ])('and was deleted, is told its person alone: %s', async (_, ask) => {
    await open();
    const { ada, general } = stage;
    ask();
    general.messages.delete((await announcedIn(general)).ts);
    fail();
    await stage.until(() => ada.whispers.some((whisper) => JSON.stringify(whisper).includes(why)));
    await stage.quiet();
    expect(stage.texts(general)).toEqual([]);
  });

  test('and may be edited no more, makes way for who, what and why', async () => {
    await open();
    const { ada, general, workspace } = stage;
    workspace.editWindowMs = 60_000;
    void ada.types('/imagine a cat', general);
    await announcedIn(general);
    await stage.pass(61_000);
    fail();
    await isTold(general);
    await stage.quiet();
    expect(stage.texts(general)).toEqual([`*ada* · \`/imagine\` a cat\nfault: ${why}\nTry again`]);
  });

  test.each<[string, Fault | undefined, number]>([
    ['edits', undefined, 0],
    ['asks to slow down', { kind: 'too-many', seconds: 3 }, 3],
    ['fails for a moment', { kind: 'status', status: 503, when: 'before' }, 2],
    ['edits, and its response is lost', { kind: 'cut', when: 'after' }, 2],
  ])('shows why in its place, once: a command, where Slack %s', async (_, fault, times) => {
    await open();
    const { ada, general } = stage;
    void ada.types('/imagine a cat', general);
    const message = await announcedIn(general);
    if (fault) stage.slack.api.faults.plan('chat.update', fault, times);
    fail();
    await isTold(general);
    await stage.pass(60_000);
    expect(stage.posts(general)).toEqual([message]);
    expect(shown(message)).toBe(`*ada* · \`/imagine\`\n${below}`);
  });

  test('shows why while the database is away', async () => {
    await open();
    const { ada, general, database } = stage;
    void ada.types('/imagine a cat', general);
    const message = await announcedIn(general);
    const back = await takeAway(database, 'keyv');
    fail();
    await isTold(general);
    await back();
    expect(stage.posts(general)).toEqual([message]);
    expect(shown(message)).toBe(`*ada* · \`/imagine\`\n${below}`);
  });
});

describe('a talent that fails before it has said anything', () => {
  test.each(['ask', 'speak', 'imagine', 'video'])('says who asked what: /%s', async (name) => {
    stage = await startStage({ scripts: { [name]: failing } });
    const { ada, ben, general } = stage;
    void ada.types(`/${name} good morning`, general);
    await isTold(general);
    void ben.types(`/${name} 早上好`, general);
    await isTold(general, 2);
    expect(stage.texts(general).map((text) => text.split('\n')[0])).toEqual([
      `*ada* · \`/${name}\` good morning`,
      `*ben* · \`/${name}\` 早上好`,
    ]);
  });

  test('says so to its person alone, too', async () => {
    stage = await startStage({ scripts: { imagine: failing } });
    const { ada, general } = stage;
    void ada.types('/imagine a cat --private true', general);
    await isTold(ada.directMessages);
    expect(stage.texts(ada.directMessages)[0]).toMatch(/^`\/imagine` a cat\n/);
    expect(stage.posts(general)).toEqual([]);
  });
});
