import { CompiledQuery } from 'kysely';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { messageSource, quoted } from '../../src/conversation/index.ts';
import type { Address } from '../../src/port/index.ts';
import { bob, deletionsOn, moderator, stalling } from './support/deletions.ts';
import { admin, ann, here, Stage, type Standing } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});

const { deletes, deletesPlace, deletesQuestions, remembered, sentBy, answered } = deletionsOn(() => stage);
const secret = 'the number is 4711, for whoever wants to know';
const hours = 3_600_000;

/** What somebody wrote, as a question quotes it: a message with its file, and what else stands there. */
const context = (messages: readonly string[] = ['theirs']) => {
  const sources = messages.map((message) => messageSource('console', message));
  const quotes = [
    { title: 'file numbers.txt', text: '4711, 4712 and 4713 are the numbers', sources },
    { title: 'message from eve', text: secret, sources },
    { title: 'message from bob', text: 'a plan of my own', sources: [messageSource('console', 'another')] },
  ];
  return { context: quoted(quotes, 1_000) ?? '' };
};
/** As platforms tell of a message that's older than a quarter of an hour. */
const deletesOld = (messages: readonly string[]) => deletes(messages, { recent: [] });
const keys = async () =>
  (await stage.database.selectFrom('keyv').select('key').orderBy('key').execute()).map(({ key }) => key);

describe('what a person wrote and then deletes', () => {
  it.each([
    ['itself', ['theirs']],
    ['by what it forwarded', ['theirs', 'original']],
  ])('is sent no more by any conversation that quotes it %s; the rest is', async (_, messages) => {
    const first = await sentBy(() =>
      stage.give('ask', { prompt: 'What is it?' }, ann, here, context(messages)),
    );
    expect(first).toContain(secret);
    expect(first).not.toContain('⟨');
    const asked = stage.latest;
    await deletesOld([messages.at(-1) ?? '']);
    const later = await sentBy(async () => {
      await stage.pressOn(asked, 'Regenerate');
      await stage.give('ask', { prompt: 'And now?' }, bob);
    });
    expect(later).toContain('a plan of my own');
    expect(later).toContain('And now?');
    expect(later).not.toContain('4711');
  });

  it('isn’t sent with a question that was asked about when it was deleted', async () => {
    const question = { command: 'ask', options: { prompt: 'Draw it?' }, added: context() };
    await stage.give('imagine', { prompt: 'it' }, ann, here, context(), question);
    const asked = stage.latest;
    await deletesOld(['theirs']);
    const sent = await sentBy(() => stage.pressOn(asked, 'Just answer'));
    expect(sent).toContain('a plan of my own');
    expect(sent).not.toContain('4711');
  });

  it('isn’t sent with a form that was open when it was deleted', async () => {
    const sources = [messageSource('console', 'theirs')];
    const message = { author: 'eve', text: secret, files: [], sources };
    const request = { command: 'ask', message, address: here, requester: ann, maxInput: 3_000 };
    const form = await stage.bot.dispatcher.prepareFromMessage(request);
    if (form.kind !== 'form' || form.draft === undefined) throw new Error(JSON.stringify(form));
    await deletesOld(['theirs']);
    await stage.clock.advance(hours / 2);
    const sent = await sentBy(() => stage.submit('ask', form.draft!, { prompt: 'What is it?' }));
    expect(sent).toContain('What is it?');
    expect(sent).not.toContain('4711');
  });

  it('isn’t sent with a question that came to be on record after its deletion', async () => {
    await deletes(['theirs']);
    const sent = await sentBy(() => stage.give('ask', { prompt: 'What is it?' }, ann, here, context()));
    expect(sent).toContain('a plan of my own');
    expect(sent).not.toContain('4711');
  });

  it('leaves nothing on record and takes one more query, however many messages go at once, if nobody quotes it', async () => {
    await stage.give('ask', { prompt: 'What is it?' }, ann, here, context());
    const before = await keys();
    const executed = vi.spyOn(stage.database.getExecutor(), 'executeQuery');
    await deletesOld(Array.from({ length: 100 }, (_, index) => `gone${index}`));
    const tables = executed.mock.calls.map(([{ sql }]) => /from "?(\w+)/.exec(sql)?.[1]);
    const [query] = executed.mock.calls.map(([compiled]) => compiled).filter(({ sql }) => /"keyv"/.test(sql));
    executed.mockRestore();
    const plan = await stage.database.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${query?.sql}`, [...(query?.parameters ?? [])]),
    );
    // One look-up for each by its key.
    const steps = plan.rows.map(({ detail }) => detail).filter((detail) => /^(?:SEARCH|SCAN)/.test(detail));
    expect(steps).toEqual(
      Array.from({ length: 100 }, () => expect.stringMatching(/^SEARCH .*\(key>\? AND key<\?\)$/)),
    );
    expect(tables.filter((table) => table === 'keyv')).toHaveLength(1);
    expect(await keys()).toEqual(before);
  });
});

describe('all that was said in a channel that’s deleted', () => {
  const there: Address = { ...here, channel: 'c2' };
  const said = async () => {
    const rows = await stage.database.selectFrom('keyv').select(['key', 'value']).execute();
    return rows.filter(({ key }) => key.includes('exchanges')).map(({ value }) => value);
  };

  it('is forgotten with its threads, and what others quoted of those; other channels and private answers stay', async () => {
    const prompts = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'];
    await stage.control({ answers: prompts.map((prompt) => `${prompt}, I say.`) });
    for (const [place, prompt] of [
      [{ ...there, thread: 't1' }, 'One'],
      [{ ...there, thread: 't2' }, 'Two'],
      [there, 'Three'],
      [{ ...there, channel: 'c22' }, 'Four'],
      [{ ...here, thread: 't1' }, 'Five'],
    ] as const)
      await stage.give('ask', { prompt }, ann, place);
    await stage.give('ask', { prompt: 'Six', thread: true }, ann, there);
    await stage.give('ask', { prompt: 'Seven', private: 'true' }, ann, { ...there, thread: 't1' });
    await stage.give('settings', { conversation: 'person' }, admin, there);
    await stage.give('ask', { prompt: 'Eight' }, ann, there);
    // What was forwarded of a channel goes with it, wherever that is quoted.
    await stage.give('ask', { prompt: 'Nine' }, bob, here, {
      context: quoted([{ title: 'forwarded message', text: secret, sources: ['console:#c2'] }], 1_000) ?? '',
    });
    for (const word of [...prompts, '4711']) expect((await said()).join('\n')).toContain(word);
    await deletesPlace({ workspace: 'w', channel: 'c2' });
    const left = (await said()).join('\n');
    for (const word of ['One', 'Two', 'Three', 'Six', 'Eight', '4711']) expect(left).not.toContain(word);
    for (const word of ['Four', 'Five', 'Seven', 'Nine']) expect(left).toContain(word);
  });

  it.each([
    ['the channel', { channel: 'c2' }, []],
    ['the thread', { channel: 'c1', thread: 'c2' }, []],
    ['the channel of the thread', { channel: 'c1' }, ['c2']],
  ])(
    'isn’t sent with a question elsewhere that came to be on record after it: %s',
    async (_, place, threads) => {
      await deletes([], { place: { workspace: 'w', ...place }, threads });
      const quotes = [{ title: 'forwarded message', text: secret, sources: ['console:#c2'] }];
      const forwarded = { context: quoted(quotes, 1_000) ?? '' };
      const sent = await sentBy(() => stage.give('ask', { prompt: 'Is it?' }, bob, here, forwarded));
      expect(sent).toContain('Is it?');
      expect(sent).not.toContain('4711');
    },
  );
});

describe('what somebody deletes and was quoted by somebody else in a conversation of their own', () => {
  let own: Standing;
  beforeEach(async () => {
    await stage.give('settings', { conversation: 'person' }, admin);
    own = await answered(`repeat: ${secret}`);
  });
  it.each([
    ['by hand', () => deletes([own.id])],
    ['with its question', () => deletesQuestions(2)],
    ['by its button', () => stage.pressOn(own, 'Delete', moderator)],
  ])('is forgotten there, too (%s)', async (_, deleteIt) => {
    await stage.control({ answers: ['Nobody knows.', 'Nobody knows that either.'] });
    await stage.press('Reply', bob, { prompt: 'And why?' });
    const theirs = stage.latest;
    expect(JSON.stringify(await remembered())).toContain(secret);
    await deleteIt();
    expect(await remembered()).toEqual(['And why?']);
    const sent = await sentBy(async () => {
      await stage.give('ask', { prompt: 'And since when?' }, bob);
      await stage.pressOn(theirs, 'Regenerate', bob);
    });
    expect(sent).toContain('And since when?');
    expect(sent).not.toContain(secret);
    expect(JSON.stringify(await remembered())).not.toContain(secret);
  });

  it.each([
    ['answer', () => deletes([own.id])],
    ['question', () => deletesQuestions(2)],
  ])(
    'is forgotten where it was replied to in writing, if its %s goes; what else was quoted stays',
    async (_, deleteIt) => {
      await stage.control({ answers: ['Nobody knows.', 'Nobody knows that either.', 'Nor that.'] });
      const title = 'your own message, which this replies to';
      const context = quoted(
        [
          { title, text: `repeated: ${secret}`, sources: [messageSource('console', own.id)] },
          // Shared, on a platform whose ids are a channel's own.
          { title: 'shared', text: secret, sources: [messageSource('console', own.id, here.channel)] },
          { title: 'file plan.txt', text: 'my own plan' },
        ],
        1_000,
      );
      const sent = await sentBy(() =>
        stage.give('ask', { prompt: 'And why?' }, bob, here, { context: context! }),
      );
      expect(sent).toContain(JSON.stringify(`quoted ${title}\n`).slice(1, -1));
      const theirs = stage.latest;
      await deleteIt();
      expect(await remembered()).toEqual(['And why?\n```quoted file plan.txt\nmy own plan\n```']);
      const later = await sentBy(async () => {
        await stage.give('ask', { prompt: 'And since when?' }, bob);
        await stage.pressOn(theirs, 'Regenerate', bob);
      });
      expect(later).toContain('my own plan');
      expect(later).not.toContain(secret);
    },
  );

  it('isn’t sent with a question that still waits for its turn, nor kept of one that’s being answered', async () => {
    const answering = stage.press('Reply', bob, { prompt: stalling });
    const isRunning = async (count: number) =>
      (await stage.database.selectFrom('jobs').select('id').where('state', '=', 'running').execute())
        .length === count;
    await stage.until(() => stage.latest.message.buttons?.[0]?.label === 'Stop' && stage.text.length > 30);
    const first = stage.latest;
    const waiting = stage.pressOn(own, 'Reply', bob, { prompt: 'And why?' });
    await stage.until(() => isRunning(2));
    await deletes([own.id]);
    const sent = await sentBy(async () => {
      await stage.pressOn(first, 'Stop', bob);
      await Promise.all([answering, waiting]);
    });
    expect(sent).toContain('And why?');
    expect(sent).not.toContain(secret);
    expect(await remembered()).toEqual([stalling, 'And why?']);
  });

  it('still is for its requester alone, if its question was deleted before they went on with it', async () => {
    await deletesQuestions(2);
    const sent = await sentBy(() => stage.pressOn(own, 'Reply', ann, { prompt: 'And why?' }, secret));
    expect(sent).toContain(secret);
  });
});
