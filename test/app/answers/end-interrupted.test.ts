import { beforeEach, describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/conversation/history.ts';
import { type Message, type PlatformAdapter, PlatformError } from '../../../src/port/index.ts';
import { openKeyv } from '../../../src/store/index.ts';
import { words } from '../../../src/words/index.ts';
import { admin, personCalled, Stage, type Standing } from '../../commands/support/stage.ts';
import { refuse } from '../../fakes/database.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open({ crashes: true });
});

const people = [personCalled('ada'), personCalled('wang', { locale: 'zh-CN' })] as const;

const prompt = 'Write 2000 characters about green [[stall]]';

/** An answer of which people can read a part. */
async function begin(person = people[0]) {
  void stage.give('ask', { prompt }, person).catch(() => {});
  await stage.untilWritten();
}
const away = () => new PlatformError('unreachable');
const settled = () => stage.until(() => false, stage.bot.recovery.settled());
const labels = ({ message }: Standing) => message.buttons?.map(({ label }) => label) ?? [];
const records = () => openKeyv(stage.database, 'conversation', () => stage.clock.now());

/** What the conversation has of the one answer. */
async function kept(): Promise<Partial<Exchange> | undefined> {
  const [entry] = await records().startingWith<Partial<Exchange>>('exchanges ');
  return entry?.answered === undefined ? undefined : entry;
}

/** It was kept by a version that didn't note how answers ended. */
async function keptByEarlierVersion() {
  const row = await stage.database
    .selectFrom('keyv')
    .selectAll()
    .where('key', 'like', '%exchanges %')
    .executeTakeFirstOrThrow();
  const value = row.value.replace(/,\\?"ending\\?":\{[^}]*\}/, '');
  expect(value).not.toBe(row.value);
  await stage.database.updateTable('keyv').set({ value }).where('key', '=', row.key).execute();
}

describe('a part of an answer that was kept before anybody was told', () => {
  it.each(people)('is told as a part by whichever process comes to it, in $locale', async (person) => {
    await begin(person);
    const say = words(person.locale);
    stage.refuses = away;
    for (let processes = 0; processes < 3; processes++) {
      await stage.crash();
      await stage.until(async () => (await kept()) !== undefined);
    }
    stage.refuses = () => undefined;
    await stage.crash();
    await settled();
    const [part, told, ...more] = stage.standing as [Standing, Standing];
    expect(labels(part)).toEqual([]);
    const below = [say.reply, say.tryAgain, say.continue, say.listen, say.remove, '👍', '👎'];
    expect(labels(told)).toEqual(below);
    expect(told.message.text).toBe(say.interrupted(prompt));
    expect(more).toEqual([]);
    const note = say.endings.interrupted;
    const { answered, ending } = (await kept()) ?? {};
    expect(part.message.text).toBe(`${answered}\n\n${note}`);
    expect(ending).toEqual({ kind: 'interrupted', note });
  });

  it('and kept by an earlier version, which didn’t note that it is one, is told as a part', async () => {
    await begin();
    stage.refuses = away;
    await stage.crash();
    await stage.until(async () => (await kept()) !== undefined);
    await keptByEarlierVersion();
    stage.refuses = () => undefined;
    await stage.crash();
    await settled();
    expect(stage.standing.map(labels)).toEqual([[], expect.arrayContaining(['Continue', 'Try again'])]);
    expect(await kept()).toMatchObject({ ending: { kind: 'interrupted' } });
  });

  it.each([
    ['few', ['Reply', 'Try again', 'Continue', 'Delete']],
    ['none', ['Try again', 'Continue', 'Delete']],
  ])('has the buttons that its place chose, and those to go on: %s', async (buttons, expected) => {
    await stage.give('settings', { buttons }, admin);
    stage.standing.length = 0;
    await begin();
    await stage.crash();
    await settled();
    expect(stage.buttons).toEqual(expected);
  });

  it('is all that people can read, in however many messages', async () => {
    await stage.control({ pace: 20 });
    void stage.give('ask', { prompt: 'Write 20000 characters about green' }).catch(() => {});
    const recorded = () => stage.database.selectFrom('live_answers').select('messages').executeTakeFirst();
    await stage.until(async () => JSON.parse((await recorded())?.messages ?? '[]').length > 2);
    await stage.crash();
    await settled();
    const parts = stage.standing.slice(0, -1).map(({ message }) => message.text?.trim());
    expect(parts.length).toBeGreaterThan(2);
    const note = words('en').endings.interrupted;
    expect(parts.join('\n\n')).toBe(`${(await kept())?.answered}\n\n${note}`);
  });

  it('is gone on with from there', async () => {
    await begin();
    await stage.crash();
    await settled();
    const answered = (await kept())?.answered ?? '';
    await stage.press('Continue', people[0]);
    await stage.give('ask', { prompt: 'Please give me a summary of our conversation so far' }, people[0]);
    expect(answered.length).toBeGreaterThan(30);
    expect(stage.text).toContain('green');
  });
});

describe('an answer that came to its end, of which people can’t read that', () => {
  /** Its end is kept, and nothing of it reaches people. */
  async function ended(prompt: string, options = {}) {
    stage = await Stage.open({ crashes: true });
    stage.refuses = away;
    void stage.give('ask', { prompt, ...options }).catch(() => {});
    await stage.until(async () => (await kept()) !== undefined);
  }
  const delivered = async () => {
    await stage.crash();
    stage.refuses = () => undefined;
    await stage.until(() => stage.standing.length > 0);
    expect(JSON.stringify(stage.standing)).not.toContain('interrupted');
    return stage.text;
  };

  it('is delivered whole', async () => {
    await ended('Write 2000 characters about green');
    const { answered = '' } = (await kept()) ?? {};
    expect(await delivered()).toBe(answered);
    expect(stage.buttons).not.toContain('Continue');
    expect(stage.buttons).toContain('Draw it');
  });

  it('is delivered whole, where an earlier version kept it', async () => {
    await ended('Write 2000 characters about green');
    await keptByEarlierVersion();
    const { answered = '' } = (await kept()) ?? {};
    expect(await delivered()).toBe(answered);
    expect(stage.buttons).not.toContain('Continue');
  });

  it('is delivered with why it isn’t whole, and can be continued', async () => {
    await ended('Write 2000 characters about green [[length]]');
    const { answered = '' } = (await kept()) ?? {};
    expect(await delivered()).toBe(`${answered.trimEnd()}\n\n${words('en').endings.tooLong}`);
    expect(stage.buttons).toContain('Continue');
  });
});

describe('an answer that isn’t whole', () => {
  it('says so to those it’s shared with, and where its message is shown anew', async () => {
    stage = await Stage.open();
    const { tooLong } = words('en').endings;
    await stage.give('ask', { prompt: 'Write 2000 characters about green [[length]]', private: true });
    expect(stage.text).toContain(tooLong);
    const shown: Message[] = [];
    const adapter: PlatformAdapter = {
      ...stage.adapter(),
      relabelButton: async (_message, _button, _label, anew) => void (anew && shown.push(anew)),
    };
    stage.bot.addPlatform({ adapter, operators: async () => [] });
    await stage.press('Share here');
    expect(stage.latest.seenBy).toBe('channel');
    expect(stage.text).toContain(tooLong);
    expect(shown[0]?.text).toMatch(new RegExp(`${tooLong.replaceAll('*', '\\*')}$`));
    expect(shown[0]?.buttons?.map(({ label }) => label)).toContain('Continue');
  });

  it('says so to the workflow whose step it answers', async () => {
    stage = await Stage.open();
    await stage.give('ask', { prompt: 'Write 2000 characters about green [[length]]' });
    const { event_id } = await stage.database.selectFrom('jobs').select('event_id').executeTakeFirstOrThrow();
    expect(await stage.bot.outcomes(event_id)).toEqual({ kind: 'done', text: stage.text });
  });
});

describe('an answer whose end people can read when its process dies', () => {
  it.each([
    ['whole', '', ['Reply', 'Regenerate', 'Listen', 'Draw it', 'Delete', '👍', '👎'], {}],
    ['cut off by the service', ' [[break off]]', ['Try again', 'Delete'], undefined],
    [
      'as long as answers may be',
      ' [[length]]',
      ['Reply', 'Regenerate', 'Continue', 'Listen', 'Delete', '👍', '👎'],
      {},
    ],
  ])('stays as it is: %s', async (_, directive, buttons, inConversation) => {
    stage = await Stage.open({ crashes: true });
    const end = ['update of state on jobs', 'delete on live_answers'];
    const taken = await Promise.all(end.map((what) => refuse(stage.database, what)));
    void stage.give('ask', { prompt: `Write 2000 characters about green${directive}` }).catch(() => {});
    const isRecorded = async () =>
      (await stage.database.selectFrom('live_answers').select('ending').executeTakeFirst())?.ending;
    await stage.until(async () => Boolean(await isRecorded()));
    const { text } = stage;
    for (const again of taken) await again();
    await stage.crash();
    await settled();
    expect(stage.standing.map(({ message }) => message.text)).toEqual([text]);
    expect(stage.buttons).toEqual(buttons);
    expect((await kept()) && {}).toEqual(inConversation);
  });
});

describe('a process that is stopped in the middle of an answer', () => {
  it('leaves what people can read in the conversation, as a part, and a button to go on', async () => {
    await begin();
    const closing = stage.bot.close();
    await stage.until(() => false, closing);
    const { interrupted } = words('en').endings;
    expect(stage.text).toContain(interrupted);
    expect(stage.buttons).toEqual(expect.arrayContaining(['Try again', 'Continue']));
    const { answered = '', ending } = (await kept()) ?? {};
    expect(ending).toEqual({ kind: 'interrupted', note: interrupted });
    expect(answered.length).toBeGreaterThan(30);
    expect(answered).not.toContain(interrupted);
  });
});
