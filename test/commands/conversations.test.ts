import { beforeEach, describe, expect, it } from 'vitest';
import type { Address, Person } from '../../src/port/index.ts';
import { admin, directWith, here, personCalled, Stage } from './support/stage.ts';

let stage: Stage;
const ada = personCalled('ada');
const bob = personCalled('bob');
const wang = personCalled('wang', { locale: 'zh-CN' });
beforeEach(async () => {
  stage = await Stage.open({ crashes: true });
});

const ask = async (prompt: string, person: Person = ada, options = {}, address: Address = here) => {
  await stage.give('ask', { prompt, ...options }, person, address);
  return stage.text;
};
/** What was asked before, as the service was told. */
const before = (person: Person = ada, options = {}, address: Address = here) =>
  ask('Please give me a summary of our conversation so far', person, options, address);
const inThread = (message: string): Address => ({ ...here, thread: message });

describe('/ask thread:true', () => {
  it('opens a thread for a conversation of its own, which goes on there and survives a restart', async () => {
    await ask('red');
    await ask('green', ada, { thread: true });
    const [thread = ''] = stage.ownThreads;
    expect(thread).toBe(stage.latest.id);
    expect(await before(bob)).not.toContain('green');
    await stage.crash();
    const told = await before(bob, {}, inThread(thread));
    expect(told).toContain('green');
    expect(told).not.toContain('red');
    expect(await before(bob, {}, inThread('m99'))).not.toContain('green');
  });

  it('goes on in that conversation with the buttons under its first answer, without another thread', async () => {
    await ask('green', ada, { thread: true });
    const [thread = ''] = stage.ownThreads;
    await stage.press('Regenerate', ada);
    expect(stage.ownThreads).toEqual([thread]);
    const told = await before(ada, {}, inThread(thread));
    expect(told.match(/green/g)).toHaveLength(1);
    expect(await before(ada)).not.toContain('green');
  });

  it('forgets what was said in its thread once that is deleted; the answer above goes on without it', async () => {
    await ask('green', ada, { thread: true });
    const [thread = ''] = stage.ownThreads;
    const root = stage.latest;
    await ask('blue', bob, {}, inThread(thread));
    await ask('red');
    const { platform, workspace, channel } = here;
    await stage.bot.dispatcher.deleted({ platform, messages: [], place: { workspace, channel, thread } });
    const summary = { prompt: 'Please give me a summary of our conversation so far' };
    await stage.pressOn(root, 'Reply', bob, summary);
    expect(stage.text).toContain('green');
    expect(stage.text).not.toContain('blue');
    expect(await before(ada)).toContain('red');
  });

  it('is what every question does where administrators chose that, thread:false aside', async () => {
    await stage.give('settings', { conversation: 'thread' }, admin);
    await ask('green');
    await ask('red', ada, { thread: false });
    expect(stage.ownThreads).toHaveLength(1);
    expect(await before(ada, { thread: false })).toContain('red');
  });

  it.each([
    ['ada', ada, 'I need this permission: Create Public Threads'],
    ['wang', wang, '我需要这个权限：创建公共子区（Create Public Threads）'],
  ])('without the permission answers %s here, and says what is missing', async (_, person, sentence) => {
    stage.threads = { kind: 'missing', permission: 'Create Public Threads' };
    await ask('green', person, { thread: true });
    expect(stage.ownThreads).toEqual([]);
    expect(stage.latest).toMatchObject({ seenBy: 'requester' });
    expect(stage.text).toContain(sentence);
    expect(await before(person)).toContain('green');
    await stage.give('settings', { conversation: 'thread' }, admin);
    await ask('blue', person);
    expect(stage.latest.seenBy).toBe('channel');
  });

  it.each([
    ['ada', ada, 'I couldn’t open a thread under your answer.'],
    ['wang', wang, '我没能在给你的回答下面开消息列。'],
  ])('tells %s if the thread can’t be opened after all, and how to go on', async (_, person, sentence) => {
    stage.refusesThreads = true;
    await ask('green', person, { thread: true });
    expect(stage.latest).toMatchObject({ seenBy: 'requester' });
    expect(stage.text).toContain(sentence);
    expect(stage.standing[0]?.message.text).toContain('green');
    await stage.give('settings', { conversation: 'thread' }, admin);
    await ask('blue', person);
    expect(stage.latest.seenBy).toBe('channel');
  });

  it('is answered here where there are no threads, and in private', async () => {
    await ask('red', ada, { thread: true }, inThread('m99'));
    await ask('blue', ada, { thread: true, private: true });
    stage.threads = { kind: 'none' };
    await ask('green', ada, { thread: true });
    expect(stage.ownThreads).toEqual([]);
    expect(await before(ada)).toContain('green');
  });

  it('has its thread after a crash in the middle of the answer, with what could be read', async () => {
    stage = await Stage.open({ crashes: true, sandbox: { pace: 'human' } });
    stage.refusesThreads = true;
    void stage.give('ask', { prompt: 'Write 20000 characters about green', thread: true }).catch(() => {});
    await stage.until(() => (stage.standing[0]?.message.text?.length ?? 0) > 500);
    expect(stage.ownThreads).toEqual([]);
    stage.refusesThreads = false;
    await stage.crash();
    await stage.until(() => stage.ownThreads.length > 0);
    expect(stage.ownThreads).toEqual(['m0']);
    expect(await before(bob, {}, inThread('m0'))).toContain('green');
    expect(await before(bob)).not.toContain('green');
  });
});

describe('a setting that is changed after a question', () => {
  const choose = (conversation: string) => stage.give('settings', { conversation }, admin);

  it('while its answer is written: what could be read before a crash stays in its conversation', async () => {
    stage = await Stage.open({ crashes: true, sandbox: { pace: 'human' } });
    void stage.give('ask', { prompt: 'Write 20000 characters about green' }).catch(() => {});
    await stage.until(() => (stage.standing[0]?.message.text?.length ?? 0) > 500);
    await choose('person');
    await stage.crash();
    await stage.bot.recovery.settled();
    await choose('channel');
    expect(await before(bob)).toContain('green');
  });

  it('before the crash of a process that had its whole answer: it is delivered, not asked for again', async () => {
    await ask('repeat: green');
    await choose('person');
    await stage.database.updateTable('jobs').set({ state: 'running' }).where('command', '=', 'ask').execute();
    await stage.crash();
    await stage.bot.recovery.settled();
    expect(JSON.stringify(stage.standing)).not.toContain('interrupted');
  });
});

describe('/settings conversation:person', () => {
  it('gives each person a conversation of their own in the channel; a thread’s is shared', async () => {
    await stage.give('settings', { conversation: 'person' }, admin);
    await ask('red', ada);
    await ask('blue', bob);
    expect(await before(ada)).toContain('red');
    expect(await before(bob)).not.toContain('red');
    await ask('green', ada, {}, inThread('m99'));
    expect(await before(bob, {}, inThread('m99'))).toContain('green');
  });
});

describe('a private conversation', () => {
  it('is never part of the shared one, nor the other way round', async () => {
    await ask('red', ada);
    await ask('secret', ada, { private: true });
    expect(await before(ada)).not.toContain('secret');
    expect(await before(bob, { private: true })).not.toContain('secret');
    const told = await before(ada, { private: true });
    expect(told).toContain('secret');
    expect(told).not.toContain('red');
  });
});

describe('/reset', () => {
  const reset = async (person: Person, address: Address = here) => {
    await stage.give('reset', {}, person, address);
    return stage.latest;
  };

  it.each([
    ['ada', ada, 'only moderators can reset it. For one of your own, use `/ask thread:true`'],
    ['wang', wang, '只有管理员或版主可以重置'],
  ])(
    'leaves what is shared, and tells %s who can reset it and how to have one’s own',
    async (_, person, sentence) => {
      await ask('red', bob);
      const told = await reset(person);
      expect(told.seenBy).toBe('requester');
      expect(told.message.text).toContain(sentence);
      expect(await before(bob)).toContain('red');
    },
  );

  it('is for moderators, for direct messages, and where nobody moderates', async () => {
    const places: [Person, Address][] = [
      [personCalled('mo', { moderator: true }), here],
      [admin, here],
      [{ ...ada, direct: true }, directWith('ada')],
      [{ ...ada, unmoderated: true }, directWith('a group')],
    ];
    for (const [person, address] of places) {
      await ask('red', person, {}, address);
      expect((await reset(person, address)).message.text).toContain('New conversation started');
      expect(await before(person, {}, address)).not.toContain('red');
    }
  });

  it('is for one’s own: by the person setting, and in the thread one opened, for nobody else there', async () => {
    await ask('green', ada, { thread: true });
    const [thread = ''] = stage.ownThreads;
    expect((await reset(bob, inThread(thread))).seenBy).toBe('requester');
    expect(await before(bob, {}, inThread(thread))).toContain('green');
    expect((await reset(ada, inThread(thread))).message.text).toContain('New conversation started');
    expect(await before(ada, {}, inThread(thread))).not.toContain('green');
    await stage.give('settings', { conversation: 'person' }, admin);
    await ask('red', ada);
    expect((await reset(ada)).message.text).toContain('New conversation started');
    expect(await before(ada)).not.toContain('red');
  });

  it('forgets one’s private conversation, and leaves the shared one', async () => {
    await ask('red', bob);
    await ask('secret', ada, { private: true });
    expect((await reset(ada)).message.text).toContain('I’ve forgotten your private conversation here.');
    expect(await before(ada, { private: true })).not.toContain('secret');
    expect(await before(bob)).toContain('red');
    await reset(ada);
    expect((await reset(ada)).message.text).toContain('only moderators');
  });
});
