import { beforeEach, describe, expect, it } from 'vitest';
import { bob, deletionsOn } from './support/deletions.ts';
import { ann, Stage, type Standing } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});

const {
  deletes,
  deletesQuestions,
  deletesPlace,
  readable,
  directly,
  canBeDeleted,
  untilRendering,
  makesSlowly,
  drawnSlowly,
  replacesFiles,
} = deletionsOn(() => stage);

describe('what somebody deletes', () => {
  it('isn’t made, if it’s the announcement of an image that waits for its turn', async () => {
    await stage.give('imagine', { prompt: 'first [[rate limit 40 once]]' });
    await stage.give('imagine', { prompt: 'second' });
    await stage.until(() => stage.buttons.includes('Cancel'));
    await deletes([stage.latest.id]);
    await stage.rendersEnded();
    expect((await stage.ledger()).filter(({ state }) => state === 'spent')).toHaveLength(1);
    expect(directly()).toEqual([]);
  });

  it.each(['imagine', 'video'])(
    'isn’t made, if it’s a question for /%s that waits for its turn',
    async (command) => {
      await stage.give(command, { prompt: 'first [[rate limit 40 once]]' });
      await stage.give(command, { prompt: 'second' });
      await stage.until(() => stage.buttons.includes('Cancel'));
      await deletesQuestions(2);
      await stage.until(() => !JSON.stringify(readable()).includes('second'));
      await stage.rendersEnded();
      expect(await stage.ledgerStates()).toEqual(['spent', 'failed']);
      expect(JSON.stringify(readable())).not.toContain('second');
      expect(directly()).toEqual([]);
    },
  );

  it.each(['imagine', 'video'])(
    'is made for its requester alone, if it’s a question for /%s that was sent',
    async (command) => {
      await makesSlowly(command);
      await deletesQuestions(1);
      await stage.until(() => readable().length === 0);
      await stage.rendersEnded();
      expect(readable()).toEqual([]);
      expect(directly()).toHaveLength(1);
      expect(directly()[0]?.message.files).toHaveLength(1);
      expect(directly()[0]?.message.text).toMatch(/it was deleted there/);
      await canBeDeleted(directly());
    },
  );

  it.each(['announcement', 'thread'])(
    'is the %s of a video that’s being made: that goes to its requester alone',
    async (what) => {
      await makesSlowly('video');
      const [{ id }] = stage.standing as [Standing];
      await (what === 'announcement'
        ? deletes([id])
        : deletesPlace({ workspace: 'w', channel: 'c', thread: id }));
      await stage.until(() => readable().length === 0);
      await stage.rendersEnded();
      expect(readable()).toEqual([]);
      expect(directly().flatMap(({ message }) => message.files ?? [])).toHaveLength(1);
    },
  );

  it.each(['imagine', 'video'])(
    'isn’t made, if it’s the announcement of /%s that waits for its turn, and the platform tells nobody',
    async (command) => {
      await stage.give(command, { prompt: 'first [[rate limit 40 once]]' });
      const ofFirst = command === 'video' ? 2 : 1;
      await stage.until(() => stage.standing.length === ofFirst);
      // Somebody is quick.
      for (const more of [0, 1]) stage.deleted.add(`m${ofFirst + more}`);
      await stage.make(command, { prompt: 'second' });
      expect((await stage.ledgerStates()).toSorted()).toEqual(['failed', 'spent']);
      expect(directly()).toEqual([]);
    },
  );

  it.each(['imagine', 'video'])(
    'is the announcement of /%s that’s being made, and only the post finds out: that’s its requester’s to delete',
    async (command) => {
      await makesSlowly(command);
      for (const { id } of stage.standing) stage.deleted.add(id);
      await stage.rendersEnded();
      expect(directly()[0]?.message.files).toHaveLength(1);
      await canBeDeleted(directly());
      expect(await stage.ledgerStates()).toEqual(['spent']);
    },
  );

  it('is an image while its Again is drawn: the next one comes to its requester alone, to delete', async () => {
    await stage.control({ render_time: 20 });
    replacesFiles();
    await stage.make('imagine', { prompt: 'x' });
    const image = stage.latest;
    await stage.press('Again');
    expect(stage.standing).toEqual([image]);
    await untilRendering();
    await deletes([image.id]);
    await stage.rendersEnded();
    expect(directly()[0]?.message.files).toHaveLength(1);
    await canBeDeleted(directly());
  });

  it('is listed by /renders to its requester alone while it’s made', async () => {
    await makesSlowly('imagine', 'something nasty');
    await stage.give('renders', {}, bob);
    expect(stage.text).toContain('nasty');
    await deletesQuestions(1);
    await stage.give('renders', {}, bob);
    expect(stage.text).not.toContain('nasty');
    await stage.give('renders', {}, ann);
    expect(stage.text).toContain('nasty');
  });

  it('by the bot itself, which puts a result in its place, changes nothing', async () => {
    stage = await Stage.open({ completesAnew: true });
    stage.completing = ({ message }) => deletes([message]);
    await stage.make('imagine', { prompt: 'x' });
    expect(readable()).toHaveLength(1);
    expect(stage.latest.message.files).toHaveLength(1);
    expect(await stage.press('Again')).toMatchObject({ kind: 'accepted' });
    expect(directly()).toEqual([]);
  });

  it.each(['question', 'announcement'])(
    'is the %s of an image that’s just being posted: that isn’t waited for, and goes to its requester alone',
    async (what) => {
      stage.completing = ({ message }) => (what === 'question' ? deletesQuestions(1) : deletes([message]));
      await stage.make('imagine', { prompt: 'x' });
      expect(readable()).toEqual([]);
      expect(directly()).toHaveLength(1);
      expect(directly()[0]?.message.files).toHaveLength(1);
      await canBeDeleted(directly());
    },
  );

  it('is the notice that an image is there: the image keeps its buttons until it’s deleted itself', async () => {
    const { image, notice } = await drawnSlowly();
    await deletes([notice.id]);
    expect(await stage.press('Edit')).toMatchObject({ kind: 'form' });
    await deletes([image.id]);
    expect(await stage.press('Edit')).toMatchObject({ kind: 'refused' });
  });

  it('is the announcement of a video that’s there: the video keeps its buttons', async () => {
    await stage.make('video', { prompt: 'x' });
    await deletes([stage.standing[0]!.id]);
    expect(await stage.press('Edit')).toMatchObject({ kind: 'form' });
    expect(stage.removed).toEqual([]);
  });

  it('is a video, or an image: what announced it, or says that it’s there, goes too', async () => {
    const { image, notice } = await drawnSlowly();
    await deletes([image.id]);
    await stage.until(() => stage.removed.length > 0);
    expect(stage.removed).toEqual([notice.id]);
    await stage.make('video', { prompt: 'x' });
    const film = stage.latest;
    await deletes([film.id]);
    await stage.until(() => stage.removed.length > 1);
    expect(readable()).toEqual([image, film]);
  });
});
