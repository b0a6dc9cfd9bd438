import { beforeEach, describe, expect, it } from 'vitest';
import type { Message, PreparedRequest, Reply } from '../../src/port/index.ts';
import { valueIn } from '../../src/store/records.ts';
import { bob, deletionsOn } from './support/deletions.ts';
import { ann, here, Stage, type Standing } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});

const { readable, directly, deletesQuestions, remembered, replacesFiles, untilRendering } = deletionsOn(
  () => stage,
);
/** A question that nobody else knows of once it's deleted. */
const secret = 'Carol lives in 4711 Elm Street';
const isRefused = (prepared: PreparedRequest) =>
  expect(prepared).toMatchObject({ kind: 'refused', text: expect.stringContaining('question') });

describe('once a question is deleted', () => {
  it('the answer that Try again gave is forgotten, and its Reply opens for nobody else', async () => {
    await stage.give('ask', { prompt: `${secret} [[fail 500 once]]` });
    await stage.press('Try again');
    const again = stage.latest;
    expect(again.message.buttons?.map(({ label }) => label)).toContain('Regenerate');
    expect((await remembered()).join('\n')).toContain(secret);
    await deletesQuestions(1);
    expect((await remembered()).join('\n')).not.toContain(secret);
    isRefused(await stage.pressOn(again, 'Reply', bob));
    await stage.give('ask', { prompt: 'What did I ask before?' }, bob);
    expect(stage.text).not.toContain(secret);
  });

  it.each(['Regenerate', 'Continue'])('so is what %s gave further below, however often', async (label) => {
    await stage.give('ask', { prompt: `${secret} [[length]]` });
    const first = stage.latest;
    await stage.give('ask', { prompt: 'Hello?' }, bob);
    await stage.pressOn(first, label);
    const second = stage.latest;
    await stage.give('ask', { prompt: 'Hello again?' }, bob);
    if (label === 'Regenerate') await stage.pressOn(second, label);
    await deletesQuestions(1);
    expect((await remembered()).join('\n')).not.toContain(secret);
    expect((await remembered()).join('\n')).toContain('Hello again?');
    for (const answer of [first, second]) isRefused(await stage.pressOn(answer, 'Reply', bob));
    // What its requester asks of it now is another question, and theirs alone.
    expect(await stage.pressOn(second, 'Regenerate')).toMatchObject({
      kind: 'accepted',
      seenBy: 'requester',
    });
  });

  it.each(['Try again', 'Regenerate', 'Continue'])(
    'what %s has growing is written no further',
    async (label) => {
      await stage.control({ pace: 'human' });
      const fails = label === 'Try again' ? '[[fail 500 once]]' : '[[length once]]';
      await stage.give('ask', { prompt: `${secret}. Write 3000 characters about it. ${fails}` });
      const first = readable();
      const pressed = stage.press(label);
      await stage.until(() => stage.buttons.includes('Stop') && stage.text.length > 30);
      await deletesQuestions(1);
      await pressed;
      expect(readable()).toEqual(first);
      expect(directly()).toEqual([]);
      expect(stage.ended.at(-1)).toBe('ask canceled');
    },
  );

  it.each([
    ['imagine', 'Try again', ' [[filter once]]'],
    ['imagine', 'Again', ''],
    ['video', 'New seed', ''],
  ])('what /%s makes by %s goes to its requester alone', async (command, label, fails) => {
    await stage.control({ render_time: 20 });
    await stage.make(command, { prompt: `x${fails}` });
    const first = readable().map(({ id }) => id);
    const who = label === 'Try again' ? ann : bob;
    await stage.press(label, who);
    await untilRendering();
    await deletesQuestions(1);
    await stage.rendersEnded();
    expect(readable().map(({ id }) => id)).toEqual(first);
    expect(directly(who)[0]?.message.files).toHaveLength(1);
  });

  it.each(['under way', 'waiting for its turn'])('an image stays while its Again is %s', async (state) => {
    await stage.control({ render_time: 20 });
    replacesFiles();
    await stage.make('imagine', { prompt: 'x' });
    const [image] = readable() as [Standing];
    const labels = () => image.message.buttons?.map(({ label }) => label);
    const before = { text: image.message.text, labels: labels() };
    if (state !== 'under way') await stage.give('imagine', { prompt: 'y [[rate limit 40 once]]' }, bob);
    await stage.pressOn(image, 'Again');
    await stage.until(() => image.message.text?.includes('Drawing') === true || labels()?.[0] === 'Cancel');
    await deletesQuestions(1);
    await stage.rendersEnded();
    expect(stage.removed).toEqual([]);
    expect({ text: image.message.text, labels: labels() }).toEqual(before);
    expect(directly().map(({ message }) => message.files?.length)).toEqual(state === 'under way' ? [1] : []);
    // The new version never stood there: no page leads to it, and another can be made.
    const stored = stage.database.selectFrom('keyv').select('value').where('key', 'like', '%image-versions%');
    const jobs = stage.database.selectFrom('jobs').select('id').orderBy('created_at').limit(1);
    const [versions, first] = [await stored.execute(), await jobs.executeTakeFirstOrThrow()];
    expect(versions.map(({ value }) => valueIn(value))).toEqual([{ jobs: [first.id] }]);
  });

  it.each(['goes on', 'dies'])(
    'an answer stays while it’s written anew by a process that %s',
    async (process) => {
      stage = await Stage.open({ rewrites: true, crashes: true, sandbox: { pace: 'human' } });
      await stage.give('ask', { prompt: `${secret}. Write 600 characters about it.` });
      const [answer] = readable() as [Standing];
      const before = answer.message;
      const anew = stage.pressOn(answer, 'Regenerate', ann, undefined, before.text).catch(() => {});
      await stage.until(() => answer.message.text !== before.text && (answer.message.text?.length ?? 0) > 30);
      if (process === 'dies') {
        await stage.database.updateTable('jobs').set({ deleted: 'question' }).execute();
        await stage.crash();
      } else {
        await deletesQuestions(1);
        await anew;
      }
      await stage.until(() => answer.message.buttons?.[0]?.label === 'Reply');
      expect(answer.message).toEqual(before);
      expect(readable()).toEqual([answer]);
      expect(directly()).toEqual([]);
    },
  );

  it('nothing is begun by a press that was on its way', async () => {
    await stage.make('imagine', { prompt: 'x' });
    const [image] = readable() as [Standing];
    const again = image.message.buttons!.find(({ label }) => label === 'Again')!;
    const prepared = await stage.bot.dispatcher.preparePress({
      ...{ eventId: 'again', actionId: again.id, requester: bob, address: here },
      message: { ...here, message: image.id },
    });
    await deletesQuestions(1);
    const told: string[] = [];
    const whisper = async ({ text = '' }: Message) => void told.push(text);
    if (prepared.kind === 'accepted') await prepared.run({ whisper } as Partial<Reply> as Reply);
    expect(told).toEqual([expect.stringContaining('question was deleted')]);
    expect(readable()).toEqual([image]);
    expect((await stage.ledger()).length).toBe(1);
    expect(stage.ended.at(-1)).toBe('imagine canceled');
  });

  it('a price that a press asked about can be agreed to no more', async () => {
    stage = await Stage.open({ settings: { confirmOver: 1 } });
    await stage.give('imagine', { prompt: 'x' });
    await stage.press('Yes, go ahead');
    await stage.rendersEnded();
    await stage.press('Again', bob);
    await deletesQuestions(1);
    expect(await stage.press('Yes, go ahead', bob)).toMatchObject({ kind: 'refused' });
    expect((await stage.ledger()).length).toBe(1);
  });

  it('what a press asked in other words stays', async () => {
    await stage.give('ask', { prompt: secret });
    await stage.press('Draw it', bob, { prompt: 'y' });
    await stage.rendersEnded();
    const drawn = stage.latest;
    await deletesQuestions(1);
    expect(await stage.pressOn(drawn, 'Again')).toMatchObject({ kind: 'accepted', seenBy: 'channel' });
  });
});
