import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { conversationKey, type PlatformAdapter, PlatformError } from '../../src/port/index.ts';
import { ann, here, Stage } from './support/stage.ts';

let stage: Stage;

const away = () => new PlatformError('unreachable');
const answers = () => stage.standing.filter(({ seenBy }) => seenBy === 'channel');
const writes = (how: 'refused' | 'taken') =>
  sql.raw(`pragma query_only = ${how === 'refused' ? 1 : 0}`).execute(stage.database);
/** What the sandbox answers, as it stands where nothing goes wrong. */
const whole = async (prompt: string) => {
  const other = await Stage.open();
  await other.give('ask', { prompt });
  const { text } = other;
  return text;
};
const prompt = 'Tell me about tides';

describe('a clip that was paid for', () => {
  it('is posted when the platform is back, and was bought once', async () => {
    stage = await Stage.open();
    stage.refuses = away;
    await stage.give('speak', { text: 'Good morning' });
    expect(answers()).toEqual([]);
    stage.refuses = () => undefined;
    await stage.until(() => answers().length > 0);
    expect((await stage.file()).length).toBeGreaterThan(44);
    expect((await stage.ledger()).map(({ kind, state }) => `${kind} ${state}`)).toEqual(['speech spent']);
    await stage.clock.advance(3_600_000);
    expect(answers()).toHaveLength(1);
  });

  it('is posted by the next process, and bought once', async () => {
    stage = await Stage.open({ crashes: true });
    stage.refuses = away;
    await stage.give('speak', { text: 'Good morning' });
    await stage.crash();
    stage.refuses = () => undefined;
    await stage.until(() => answers().length > 0);
    expect((await stage.file()).length).toBeGreaterThan(44);
    expect(await stage.ledger()).toHaveLength(1);
  });

  it('reaches people though nothing can be written down here, and the ledger learns of it later', async () => {
    stage = await Stage.open();
    const { create } = stage.service.speech;
    stage.service.speech.create = async (...given) => {
      // It's bought only where it could be written down that it's sent.
      const made = await create.apply(stage.service.speech, given);
      await writes('refused');
      return made;
    };
    await stage.give('speak', { text: 'Good morning' });
    expect(answers()).toHaveLength(1);
    expect((await stage.file()).length).toBeGreaterThan(44);
    expect((await stage.ledger())[0]?.state).toBe('reserved');
    await writes('taken');
    await stage.until(async () => (await stage.ledger())[0]?.state === 'spent');
  });
});

describe('an answer that was paid for', () => {
  it('comes whole when the platform is back', async () => {
    const expected = await whole(prompt);
    stage = await Stage.open();
    stage.refuses = away;
    await stage.give('ask', { prompt });
    expect(answers()).toEqual([]);
    stage.refuses = () => undefined;
    await stage.until(() => answers().length > 0);
    expect(stage.text).toBe(expected);
    expect(stage.buttons).toContain('Regenerate');
  });

  it('ends where it grew, when only its last words were not taken', async () => {
    const expected = await whole(prompt);
    stage = await Stage.open();
    stage.refuses = () => (answers().length > 0 ? away() : undefined);
    await stage.give('ask', { prompt });
    stage.refuses = () => undefined;
    await stage.until(() => stage.buttons.includes('Regenerate'));
    expect(stage.text).toBe(expected);
    expect(answers()).toHaveLength(1);
  });

  it('is ended by the next process, whole, where this one died at its last words', async () => {
    const expected = await whole(prompt);
    stage = await Stage.open({ crashes: true });
    stage.refuses = () => (answers().length > 0 ? away() : undefined);
    const given = stage.give('ask', { prompt });
    given.catch(() => {});
    // A turn takes its place in the conversation when it begins; its answer comes there at the end.
    const conversation = sql<{ value: string }>`select value from keyv where key like '%exchanges%'`;
    const beginning = JSON.stringify(expected).slice(1, 30);
    const isKept = async () =>
      (await conversation.execute(stage.database)).rows.some(({ value }) => value.includes(beginning));
    await stage.until(isKept);
    await stage.crash();
    stage.refuses = () => undefined;
    await stage.until(() => stage.buttons.includes('Regenerate'));
    expect(stage.text).toBe(expected);
    expect(answers()).toHaveLength(1);
    expect(await stage.ledger()).toHaveLength(1);
  });

  it.each([0, 9])(
    'comes whole though nothing can be written down here, and is remembered when it can, %i minutes later',
    async (minutes) => {
      const expected = await whole(prompt);
      stage = await Stage.open();
      stage.refuses = () => {
        void writes('refused');
        stage.refuses = () => undefined;
        return undefined;
      };
      const given = stage.give('ask', { prompt });
      await stage.until(
        () => answers().length > 0 && stage.text === expected,
        given.catch(() => {}),
      );
      expect(stage.text).toBe(expected);
      await stage.clock.advance(minutes * 60_000);
      await writes('taken');
      await given;
      await stage.until(async () => (await stage.ledger())[0]?.state === 'spent');
      const job = await stage.database.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
      await stage.until(
        async () =>
          (await stage.database.selectFrom('jobs').select('state').executeTakeFirstOrThrow()).state ===
          'done',
      );
      const key = `%exchanges ${conversationKey(here)}%`;
      const { rows } = await sql<{ value: string }>`select value from keyv where key like ${key}`.execute(
        stage.database,
      );
      expect(rows[0]?.value).toContain(job.id);
      expect(rows[0]?.value).toContain(ann.name);
    },
  );
});

it('a video’s announcement writes its credits as every other sentence does', async () => {
  stage = await Stage.open({ sandbox: { renderTime: 30 }, settings: { confirmOver: 2_000 } });
  await stage.give('video', { prompt: 'a boat', duration: 5, resolution: '1080p' });
  expect(answers()[0]?.message.text).toContain('\n-# 1,240 credits. I’ll post it');
});

describe('a video where no thread of its own can be opened', () => {
  it.each([
    ['is there', 'a boat', 'Rendered.'],
    ['came to nothing', 'a boat [[fail 500]]', 'Rendering failed.'],
  ])('that %s leaves no announcement that it will come', async (_, prompt, end) => {
    stage = await Stage.open({ sandbox: { renderTime: 30 } });
    const openThread: PlatformAdapter['openThread'] = async ({ message: __, ...place }) => place;
    stage.platformWith({ openThread });
    await stage.make('video', { prompt }, ann, { ...here, thread: 't' });
    const [announced, result, ...more] = answers();
    expect(more).toEqual([]);
    expect(announced?.message.text).toBe(`> ${prompt}\n\`5 s\` \`720p\` \`16:9\` \`balanced\`\n${end}`);
    expect(result?.message.buttons?.map(({ label }) => label)).toContain('Delete');
  });
});
