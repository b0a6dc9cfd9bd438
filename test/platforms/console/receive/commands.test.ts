import { describe, expect, it } from 'vitest';
import { newDraft } from '../../../../src/platforms/console/feed/to-wire.ts';
import { draftFormId, type Person } from '../../../../src/port/index.ts';
import { asking, defineCommand } from '../../../fakes/commands.ts';
import { broken, dear, echo, look, secret } from '../support/commands.ts';
import { startStage } from '../support/stage.ts';

describe('a command on the console', () => {
  it('shows what was given and what was answered', async () => {
    const stage = await startStage({ commands: [echo] });
    const visitor = await stage.visit();
    const channel = await visitor.channel();
    expect(await visitor.command(channel, 'echo', { words: 'hello', times: '2' })).toEqual({
      kind: 'accepted',
    });
    const [given, answer] = await visitor.until(channel, (messages) => messages.length === 2);
    expect(given).toMatchObject({
      author: 'you',
      command: { name: 'echo', text: 'hello', options: [{ name: 'times', value: '2' }] },
    });
    expect(answer).toMatchObject({ author: 'bot', body: [{ tag: 'p', children: ['hello'] }] });
    expect(answer?.buttons.map(({ label }) => label)).toEqual(['Again', 'Form', 'Hush', 'Tell']);
  });

  it('is carried out once however often its event is sent, and after a restart too', async () => {
    const stage = await startStage({ commands: [echo] });
    const visitor = await stage.visit();
    const channel = await visitor.channel();
    const send = () => visitor.command(channel, 'echo', { words: 'once' }, { eventId: 'same-event-id' });
    await Promise.all([send(), send(), send()]);
    await visitor.until(channel, (messages) => messages.length === 2);
    await stage.restart();
    expect(await send()).toEqual({ kind: 'accepted' });
    await visitor.command(channel, 'echo', { words: 'twice' });
    const messages = await visitor.until(channel, (all) => all.length === 4);
    expect(messages.map(({ command, author }) => command?.text ?? author)).toEqual([
      'once',
      'bot',
      'twice',
      'bot',
    ]);
  });

  it('is refused with the allowed values, and leaves nothing behind', async () => {
    const stage = await startStage({ commands: [echo] });
    const visitor = await stage.visit();
    const channel = await visitor.channel();
    const refused = await visitor.command(channel, 'echo', { words: 'x', times: '9', size: 'huge' });
    expect(refused.kind).toBe('refused');
    expect(JSON.stringify(refused)).toContain('small, large');
    expect(JSON.stringify(refused)).toContain('1–3');
    const chinese = await visitor.command(channel, 'echo', {}, { locale: 'zh-CN' });
    expect(JSON.stringify(chinese)).toContain('必须填写');
    expect(await visitor.messages(channel)).toEqual([]);
  });

  it('that fails says so in its channel', async () => {
    const stage = await startStage({ commands: [broken] });
    const visitor = await stage.visit();
    const channel = await visitor.channel();
    await visitor.command(channel, 'broken');
    const messages = await visitor.until(channel, (all) => all.length === 2);
    expect(messages[1]?.body).toEqual([{ tag: 'p', children: ['⚠️ explained'] }]);
  });

  it('at a place that is not there is answered 404, and one that makes no sense 400', async () => {
    const stage = await startStage({ commands: [echo] });
    const visitor = await stage.visit();
    const body = { eventId: 'some-event-id', place: 'nowhere', command: 'echo', options: {}, locale: 'en' };
    const post = (given: object) =>
      visitor.fetch('commands', { method: 'POST', body: JSON.stringify(given) }).then(({ status }) => status);
    expect(await post(body)).toBe(404);
    expect(await post({ ...body, locale: 'fr' })).toBe(400);
    expect(await post({ ...body, eventId: '' })).toBe(400);
    expect(await post({ ...body, options: { words: { file: 'x', contentType: 'text/html' } } })).toBe(400);
  });

  it('only visible to its requester is hidden from every other session', async () => {
    const stage = await startStage({ commands: [secret] });
    const [one, other] = [await stage.visit(), await stage.visit()];
    const channel = await one.channel();
    const events = await other.listen(0);
    await one.command(channel, 'secret');
    const messages = await one.until(channel, (all) => all.length === 2);
    expect(messages.map((message) => message.private)).toEqual([true, true]);
    expect(await other.messages(channel)).toEqual([]);
    expect((await other.changes(0))?.messages).toEqual([]);
    await one.json('channels', { name: 'to be told something' });
    let told = '';
    while (!told.includes('to be told something')) told += (await events.next())?.data;
    expect(told).not.toContain('only for you');
    events.close();
  });

  const asksFirst = asking('It costs a lot.', dear.name);

  it.each([true, false])(
    'whose price is asked about first is seen by those who will see its answer (private: %s)',
    async (isHidden) => {
      const stage = await startStage({ commands: [dear], rules: asksFirst });
      const [one, other] = [await stage.visit(), await stage.visit()];
      const channel = await one.channel();
      await one.command(channel, 'dear', { words: 'marmalade', private: String(isHidden) });
      const [given, question] = await one.until(channel, (all) => all.length === 2);
      expect(given?.command).toMatchObject({ text: 'marmalade' });
      expect(given?.private ?? false).toBe(isHidden);
      expect(question).toMatchObject({ private: true });
      expect(await other.messages(channel)).toEqual(isHidden ? [] : [given]);
    },
  );

  it.each([true, false])(
    'in the menu of a message whose price is asked about first is seen by those, too (private: %s)',
    async (isHidden) => {
      const stage = await startStage({ commands: [echo, dear], rules: asksFirst });
      const [one, other] = [await stage.visit(), await stage.visit()];
      const channel = await one.channel();
      await one.command(channel, 'echo', { words: 'quince' });
      const [, said] = await one.until(channel, (all) => all.length === 2);
      const press = (action: string, values?: object) =>
        one.json<{ readonly action: string }>('presses', {
          ...{ eventId: one.eventId(), message: said?.id, action, locale: 'en' },
          ...(values && { values }),
        });
      const { action } = await press(draftFormId('dear', newDraft));
      await press(action, { words: 'marmalade', private: String(isHidden) });
      const given = (await one.until(channel, (all) => all.length === 4))[2];
      expect(given?.command).toMatchObject({ text: 'marmalade' });
      expect(given?.private ?? false).toBe(isHidden);
      expect((await other.messages(channel)).slice(2)).toEqual(isHidden ? [] : [given]);
    },
  );

  it('takes uploaded files, and knows them by what was stored', async () => {
    const stage = await startStage({ commands: [look] });
    const visitor = await stage.visit();
    const channel = await visitor.channel();
    const [cat, dog] = [
      await visitor.upload('cat.png', 'image/png', Uint8Array.of(1, 2, 3)),
      await visitor.upload('dog.png', 'image/png', Uint8Array.of(4)),
    ];
    await visitor.command(channel, 'look', { image_1: { file: dog.id }, image_2: { file: cat.id } });
    const [given, answer] = await visitor.until(channel, (messages) => messages.length === 2);
    expect(given?.files.map(({ name }) => name)).toEqual(['dog.png', 'cat.png']);
    expect(answer?.body).toEqual([{ tag: 'p', children: ['2: dog.png, cat.png'] }]);
    const text = await visitor.upload('notes.txt', 'text/plain', Uint8Array.of(5));
    const wrong = await visitor.command(channel, 'look', { image_1: { file: text.id } });
    expect(JSON.stringify(wrong)).toContain('image/*');
  });
});

describe('the requester of a command', () => {
  it('has the language and the time zone of the browser, if valid', async () => {
    const asked: Person[] = [];
    const who = defineCommand({
      name: 'who',
      description: { en: 'w', 'zh-CN': 'w' },
      help: { en: '-', 'zh-CN': '-' },
      options: {},
      seenBy: 'channel',
      run: async ({ requester, reply }) => {
        asked.push(requester);
        await reply.say({ text: 'noted' });
      },
    });
    const stage = await startStage({ commands: [who] });
    const visitor = await stage.visit();
    const channel = await visitor.channel();
    await visitor.command(channel, 'who', {}, { timeZone: 'Asia/Shanghai', locale: 'zh-CN' });
    await visitor.command(channel, 'who', {}, { timeZone: 'Moon/Crater' });
    await visitor.until(channel, (messages) => messages.length === 4);
    expect(asked).toMatchObject([
      { id: 'you', locale: 'zh-CN', timeZone: 'Asia/Shanghai', administrator: true },
      { id: 'you', locale: 'en' },
    ]);
    expect(asked[1]?.timeZone).toBeUndefined();
  });
});

describe('a button on the console', () => {
  async function withAnswer() {
    const stage = await startStage({ commands: [echo] });
    const visitor = await stage.visit();
    const channel = await visitor.channel();
    await visitor.command(channel, 'echo', { words: 'first' });
    const messages = await visitor.until(channel, (all) => all.length === 2);
    return { stage, visitor, channel, answer: messages[1]! };
  }

  it('runs its action once by its event', async () => {
    const { visitor, channel, answer } = await withAnswer();
    const eventId = 'pressed-twice';
    await Promise.all([
      visitor.press(answer, 'Again', { eventId }),
      visitor.press(answer, 'Again', { eventId }),
    ]);
    await visitor.press(answer, 'Form', { values: { words: 'second' } });
    const messages = await visitor.until(channel, (all) => all.length >= 4);
    expect(messages.length).toBe(4);
  });

  it('opens a form, and accepts or refuses its values', async () => {
    const { visitor, channel, answer } = await withAnswer();
    expect(await visitor.press(answer, 'Form')).toEqual({
      kind: 'form',
      form: {
        title: 'Once more',
        command: 'echo',
        fields: ['words', 'times'],
        values: { words: 'first' },
        files: {},
      },
    });
    const refused = await visitor.press(answer, 'Form', { values: { words: 'x', times: '7' } });
    expect(JSON.stringify(refused)).toContain('1–3');
    expect(await visitor.press(answer, 'Form', { values: { words: 'second' } })).toEqual({
      kind: 'accepted',
    });
    const messages = await visitor.until(channel, (all) => all.length === 3);
    expect(messages[2]?.body).toEqual([{ tag: 'p', children: ['second'] }]);
  });

  it('tells its presser alone what is private', async () => {
    const { stage, visitor, channel, answer } = await withAnswer();
    const other = await stage.visit();
    await visitor.press(answer, 'Tell');
    await visitor.until(channel, (all) => all.length === 3);
    expect((await other.messages(channel)).length).toBe(2);
    const told = (await visitor.messages(channel))[2]!;
    const body = {
      eventId: 'a-foreign-press',
      message: told.id,
      action: answer.buttons[0]?.id,
      locale: 'en',
    };
    const press = await other.fetch('presses', { method: 'POST', body: JSON.stringify(body) });
    expect(press.status).toBe(404);
  });
});

describe('suggestions', () => {
  it('match the typed text, in the requested language', async () => {
    const stage = await startStage({ commands: [echo] });
    const visitor = await stage.visit();
    const ask = (typed: string, locale = 'en') =>
      visitor.json<{ value: string }[]>(
        `suggestions?${new URLSearchParams({ command: 'echo', option: 'voice', typed, locale })}`,
      );
    expect((await ask('')).map(({ value }) => value)).toEqual(['ada_voice', 'bo_voice']);
    expect((await ask('', 'zh-CN')).map(({ value }) => value)).toEqual(['bo_voice', 'ada_voice']);
    expect(await ask('bo')).toEqual([{ value: 'bo_voice', label: 'Bo · 中文' }]);
  });
});
