import type { KyselyPlugin } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PlatformAdapter } from '../../src/port/index.ts';
import { createLiveAnswers, openKeyv } from '../../src/store/index.ts';
import { refuse } from '../fakes/database.ts';
import { bob, deletionsOn, jobOf, stalling } from './support/deletions.ts';
import { ann, directWith, here, Stage, type Standing } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});

const {
  deletes,
  deletesQuestions,
  readable,
  directly,
  canBeDeleted,
  isKnownPrivately,
  remembered,
  untilRendering,
  answered,
  untilSent,
  growsLong,
} = deletionsOn(() => stage);

describe('what somebody deletes', () => {
  it('while it’s written stops, is stopped being paid for, and goes to its requester alone', async () => {
    const given = stage.give('ask', { prompt: stalling });
    await stage.untilWritten();
    const [answer] = stage.standing as [Standing];
    const written = answer.message.text ?? '';
    await deletes([answer.id]);
    await given;
    await stage.until(() => directly().length > 0);
    expect(directly()[0]?.message.text).toMatch(/^.*it was deleted there.*\n\n/);
    expect(directly()[0]?.message.text).toContain(written.slice(0, 30));
    await canBeDeleted(directly());
    expect(stage.standing.filter(({ address }) => address.channel === here.channel)).toEqual([answer]);
    expect(await stage.ledgerStates()).toEqual(['spent']);
    expect(await remembered()).toEqual([]);
    await answered('And now?', bob);
    expect(stage.text).not.toContain('deleted');
  });

  it('goes as a whole from its requester, too, if it takes several messages there', async () => {
    const adapter = stage.adapter();
    const post: PlatformAdapter['post'] = async (address, { text = '', ...message }, key) => {
      const first = await adapter.post(address, { text: text.slice(0, 100) }, `${key}:0`);
      const last = await adapter.post(address, { ...message, text: text.slice(100) }, key);
      return { ...last, parts: [first.message] };
    };
    stage.platformWith({ post });
    const given = stage.give('ask', { prompt: stalling });
    await stage.untilWritten();
    await deletes([stage.latest.id]);
    await given;
    await stage.until(() => directly().length === 2);
    await stage.deliveriesEnded();
    await canBeDeleted(directly());
  });

  it('takes what else stands of it away', async () => {
    const { ended } = await growsLong();
    const [{ id }] = stage.standing as [Standing];
    await deletes([id]);
    await ended;
    await stage.until(() => directly().length > 0);
    expect(readable()).toEqual([]);
  });

  it('stops at its next edit where the platform told nobody of it', async () => {
    const { ended } = await growsLong();
    stage.deleted.add(stage.latest.id);
    await ended;
    await stage.until(() => directly().length > 0);
    expect(directly()).toHaveLength(1);
    expect(directly()[0]?.message.text).toMatch(/^.*it was deleted there.*\n\n/);
    expect(directly()[0]?.message.text?.length).toBeLessThan(6_000);
    await canBeDeleted(directly());
    expect(readable()).toEqual([]);
    expect(await stage.ledgerStates()).toEqual(['spent']);
    expect(await remembered()).toEqual([]);
  });

  it('is found out by its last edit, too', async () => {
    const given = stage.give('ask', { prompt: stalling });
    await stage.untilWritten();
    stage.deleted.add(stage.latest.id);
    await stage.press('Stop');
    await given;
    await stage.until(() => directly().length > 0);
    expect(directly()[0]?.message.text).toMatch(/^.*it was deleted there.*\n\n/);
    await canBeDeleted(directly());
    expect(readable()).toEqual([]);
    expect(await remembered()).toEqual([]);
  });

  it('while its end is written goes with all that comes last', async () => {
    stage.ending = (message) => deletes([message]);
    await answered('Write 2000 characters about green');
    expect(stage.standing).toHaveLength(1);
    expect(readable()).toEqual([]);
    expect(await remembered()).toEqual([]);
  });

  it.each(['written', 'paged to'])('while a version of it is %s leaves no record of any', async (how) => {
    stage = await Stage.open({ rewrites: true });
    const own = await answered();
    const anew = () => stage.pressOn(own, 'Regenerate', ann, undefined, own.message.text);
    if (how === 'paged to') await anew();
    const adapter = stage.adapter();
    const edit: PlatformAdapter['edit'] = async (message, content) => {
      await adapter.edit(message, content);
      if (content.buttons?.some(({ label }) => label === '‹')) await deletes([message.message]);
    };
    stage.platformWith({ edit });
    await (how === 'written' ? anew() : stage.pressOn(own, '‹'));
    await stage.bot.recovery.settled();
    const versions = stage.database
      .selectFrom('keyv')
      .select('key')
      .where('key', 'like', '%answer-versions%');
    expect(await versions.execute()).toEqual([]);
  });

  it('before it’s on record stops as well', async () => {
    await deletes(['m0']);
    await stage.give('ask', { prompt: stalling });
    await stage.until(() => directly().length > 0);
    expect(directly()[0]?.message.text).toMatch(/it was deleted there/);
  });

  it('before it’s on record in another process stops as well', async () => {
    stage = await Stage.open({ crashes: true });
    await deletes(['m0'], { events: ['event1'] });
    await stage.crash();
    await stage.give('imagine', { prompt: 'x' });
    expect(stage.standing).toEqual([]);
    expect(stage.ended).toEqual(['imagine canceled']);
    await stage.give('ask', { prompt: stalling });
    await stage.until(() => directly().length > 0);
    expect(directly()[0]?.message.text).toMatch(/it was deleted there/);
  });

  it('long ago leaves no record that it was', async () => {
    await deletes(['old', 'new'], { events: ['old', 'new'], recent: ['new'] });
    const kept = await stage.database
      .selectFrom('keyv')
      .select('key')
      .where('key', 'like', 'deleted%')
      .execute();
    expect(kept).toHaveLength(2);
    expect(JSON.stringify(kept)).not.toContain('old');
  });

  describe('whose process dies before it knows', () => {
    /** It's on record that this was deleted, and the process dies. */
    async function deletedAndDead(what: 'question' | 'answer') {
      await stage.database
        .updateTable('jobs')
        .set({ deleted: what })
        .where('state', '=', 'running')
        .execute();
      await stage.crash();
    }
    const recovered = () => stage.until(() => false, stage.bot.recovery.settled());
    async function grows(prompt = stalling) {
      stage = await Stage.open({ crashes: true, sandbox: { pace: 'human' } });
      void stage.give('ask', { prompt }).catch(() => {});
    }

    it('goes with all its messages, and to its requester alone, by the process that goes on', async () => {
      await grows('Write 9000 characters about green');
      await stage.until(() => stage.standing.length > 1);
      const { id, message } = stage.standing[0]!;
      stage.removed.push(id);
      await deletedAndDead('answer');
      await recovered();
      await stage.until(() => directly().length > 0);
      expect(readable()).toEqual([]);
      expect(directly()).toHaveLength(1);
      expect(directly()[0]?.message.text).toMatch(/^.*it was deleted there.*\n\n/);
      expect(directly()[0]?.message.text).toContain(message.text?.slice(0, 30));
      await canBeDeleted(directly());
      expect(await remembered()).toEqual([]);
    });

    it('goes without a word more if its question was deleted', async () => {
      await grows();
      await stage.untilWritten();
      await deletedAndDead('question');
      await recovered();
      expect(readable()).toEqual([]);
      expect(directly()).toEqual([]);
      expect(await remembered()).toEqual([]);
    });

    it('goes as soon as its platform is back', async () => {
      await grows();
      await stage.untilWritten();
      stage.keepsMessages = 'unreachable';
      await deletedAndDead('question');
      await stage.clock.advance(10_000);
      expect(readable()).toHaveLength(1);
      stage.keepsMessages = undefined;
      await stage.until(() => readable().length === 0);
    });

    it('leaves nothing under way if it was to be a new version of an answer', async () => {
      await grows();
      await stage.untilWritten();
      const { id } = stage.standing[0]!;
      const versions = () => openKeyv(stage.database, 'answer-versions', () => stage.clock.now());
      await versions().set(`under way message console c ${id}`, true, 900_000);
      await versions().set(`message console c ${id}`, { all: [], shown: 0 }, 900_000);
      const { options } = await stage.database.selectFrom('jobs').select('options').executeTakeFirstOrThrow();
      await stage.database
        .updateTable('jobs')
        .set({ options: JSON.stringify({ ...JSON.parse(options), rewrites: id }) })
        .execute();
      await deletedAndDead('answer');
      await recovered();
      expect(await versions().has(`under way message console c ${id}`)).toBe(false);
      expect(await versions().has(`message console c ${id}`)).toBe(false);
    });
  });

  it('isn’t answered, if it’s a question', async () => {
    const given = stage.give('ask', { prompt: stalling });
    await stage.untilWritten();
    await deletesQuestions(1);
    await given;
    expect(readable()).toEqual([]);
    expect(directly()).toEqual([]);
    expect(await remembered()).toEqual([]);
  });

  it.each(['question', 'answer'])('goes with its %s once the platform takes that again', async (what) => {
    const { ended } = await growsLong();
    stage.keepsMessages = 'unreachable';
    await (what === 'question' ? deletesQuestions(1) : deletes([stage.standing[0]!.id]));
    await ended;
    expect(readable()).not.toEqual([]);
    await stage.clock.advance(120_000);
    stage.keepsMessages = undefined;
    await stage.until(() => readable().length === 0);
    expect(directly()).toHaveLength(what === 'question' ? 0 : 1);
    expect(await stage.database.selectFrom('removals').select('message').execute()).toEqual([]);
  });

  it('isn’t answered, if it’s a question that waits or just came', async () => {
    const first = stage.give('ask', { prompt: stalling });
    await stage.untilWritten();
    const second = stage.give('ask', { prompt: 'And tides?' });
    await deletesQuestions(2, 3);
    await second;
    await stage.give('ask', { prompt: 'And stars?' });
    expect(stage.standing).toHaveLength(1);
    expect((await stage.ledger()).length).toBe(1);
    await stage.press('Stop');
    await first;
  });

  it('isn’t asked for again, if it’s a question whose price is to be confirmed', async () => {
    stage = await Stage.open({ settings: { confirmOver: 1 } });
    await stage.give('imagine', { prompt: 'x' });
    expect(stage.buttons).toContain('Yes, go ahead');
    await deletesQuestions(1);
    expect(await stage.press('Yes, go ahead')).toMatchObject({ kind: 'refused' });
    expect(await stage.ledger()).toEqual([]);
  });

  it('isn’t spoken, if it’s a question for /speak that waits for its turn', async () => {
    const given = stage.give('speak', { text: 'Hello [[rate limit 40 once]]' });
    await stage.until(async () => (await stage.ledger()).length > 0);
    await deletesQuestions(1);
    await given;
    expect(await stage.ledgerStates()).toEqual(['failed']);
    expect(stage.standing.filter(({ seenBy }) => seenBy === 'channel')).toEqual([]);
    expect(stage.ended).toEqual(['speak canceled']);
  });

  it('is spoken for its requester alone, if it’s a question for /speak that was sent', async () => {
    const given = stage.give('speak', { text: 'Hello [[slow 5]]' });
    await untilSent();
    await deletesQuestions(1);
    await given;
    await stage.until(() => directly().length > 0);
    expect(readable()).toEqual([]);
    expect(directly()[0]?.message.files).toHaveLength(1);
    await canBeDeleted(directly());
    expect(await stage.ledgerStates()).toEqual(['spent']);
  });

  it('is spoken for its requester alone, if it’s a question for /speak whose clip is being posted', async () => {
    let told: Promise<void> | undefined;
    const held = new WeakSet<object>();
    const plugin: KyselyPlugin = {
      transformQuery: ({ node, queryId }) => {
        if (JSON.stringify(node).includes('live_answers')) held.add(queryId);
        return node;
      },
      transformResult: async ({ result, queryId }) => {
        if (held.has(queryId)) await told;
        return result;
      },
    };
    stage = await Stage.open({ plugin });
    stage.refuses = ({ files }) => {
      if (files) told ??= deletesQuestions(1);
      return undefined;
    };
    await stage.give('speak', { text: 'Hello' });
    await stage.until(() => directly().length > 0);
    expect(readable()).toEqual([]);
    expect(directly()[0]?.message.files).toHaveLength(1);
    await canBeDeleted(directly());
  });

  it('isn’t made, if it’s a question that just came', async () => {
    await deletesQuestions(1, 2, 3);
    await stage.give('imagine', { prompt: 'x' });
    await stage.give('video', { prompt: 'x' });
    await stage.give('speak', { text: 'Hello' });
    expect(stage.standing).toEqual([]);
    expect(await stage.ledger()).toEqual([]);
  });

  it('isn’t answered, if it’s a question that comes once more minutes after it was deleted', async () => {
    await deletesQuestions(1);
    await stage.clock.advance(6 * 60_000);
    await stage.give('imagine', { prompt: 'x' });
    expect(stage.standing).toEqual([]);
    expect(await stage.ledger()).toEqual([]);
  });

  it('isn’t left running where a question just came, and the database doesn’t take that it was deleted', async () => {
    await refuse(stage.database, 'update of deleted on jobs');
    await deletesQuestions(1);
    await stage.give('imagine', { prompt: 'x' });
    expect(stage.standing).toEqual([]);
    expect(await stage.jobStates()).toEqual(['done']);
    expect(stage.ended).toEqual(['imagine canceled']);
  });

  it('isn’t written anew, if it’s an answer whose next version is about to be', async () => {
    const own = await answered();
    await deletes([own.id]);
    await stage.give('ask', { prompt: 'Tell me about tides' }, ann, here, {
      rewrites: own.id,
      replaces: jobOf(own),
    });
    expect(stage.standing).toEqual([own]);
    expect(stage.ended.at(-1)).toBe('ask canceled');
  });

  it.each([
    ['by hand', (own: Standing) => deletes([own.id])],
    ['with its question', () => deletesQuestions(1)],
    ['by its button', (own: Standing) => stage.pressOn(own, 'Delete')],
  ])(
    'isn’t written anew, if it’s an answer whose next version waits for its turn (%s)',
    async (_, deleteIt) => {
      stage = await Stage.open({ rewrites: true });
      const own = { ...(await answered()) };
      const next = stage.give('ask', { prompt: stalling });
      await stage.until(() => stage.latest.id !== own.id && stage.text.length > 30);
      const growing = stage.latest;
      const anew = stage.pressOn(own, 'Regenerate', ann, undefined, own.message.text);
      await stage.until(() => stage.standing[0]?.message.buttons?.[0]?.label === 'Stop');
      await deleteIt(own);
      await stage.pressOn(growing, 'Stop');
      await Promise.all([next, anew]);
      expect(await stage.ledgerStates()).toEqual(['spent', 'spent']);
      expect(stage.ended).toEqual(['ask done', 'ask canceled', 'ask canceled']);
      expect(stage.standing.map((one) => one.id)).toEqual([own.id, growing.id]);
      expect(await remembered()).toEqual([stalling]);
    },
  );

  it.each(['question', 'answer'])('long after it was written is forgotten, if it’s the %s', async (what) => {
    const own = await answered();
    await stage.give('ask', { prompt: 'And what of [[stars]]?' }, bob);
    const other = stage.latest;
    await (what === 'answer' ? deletes([own.id]) : deletesQuestions(1));
    expect(stage.removed).toEqual([]);
    expect(await remembered()).toEqual(['And what of [[stars]]?']);
    const spent = await stage.ledger();
    for (const label of ['Regenerate', 'Reply', 'Listen']) {
      for (const who of what === 'answer' ? [ann, bob] : [bob])
        expect(await stage.pressOn(own, label, who)).toMatchObject({
          kind: 'refused',
          text: expect.stringContaining('was deleted'),
        });
    }
    expect(await stage.ledger()).toEqual(spent);
    expect(await stage.press('Regenerate', bob)).toMatchObject({ kind: 'accepted' });
    expect(other.id).not.toBe(own.id);
  });

  it.each([
    ['ask', { prompt: 'Tell me about tides' }, 'Regenerate'],
    ['imagine', { prompt: 'a cat' }, 'Again'],
    ['video', { prompt: 'a cat' }, 'Same seed again'],
  ])(
    'long after it was written leaves what stands to its requester, for them alone, if it’s a question for /%s',
    async (command, options, label) => {
      await stage.make(command, options);
      const has = ({ message }: Standing) => message.buttons?.some((button) => button.label === label);
      const own = stage.standing.findLast(has)!;
      const shown = own.message;
      await deletesQuestions(1);
      const inPublic = () =>
        readable().filter(({ seenBy, address }) => seenBy === 'channel' && !address.onlyFor);
      const { length } = inPublic();
      expect(await stage.pressOn(own, label, bob)).toMatchObject({
        text: expect.stringContaining('question was deleted'),
      });
      expect(await stage.pressOn(own, label)).toMatchObject({ kind: 'accepted', seenBy: 'requester' });
      await stage.rendersEnded();
      expect(inPublic()).toHaveLength(length);
      expect(own.message).toEqual(shown);
      expect(await stage.ledgerStates()).toEqual(['spent', 'spent']);
    },
  );

  it('long after it was written is forgotten where it was shared only, if it’s the copy of a private answer', async () => {
    await stage.give('ask', { prompt: 'The number is 4711', private: 'true' });
    const own = stage.latest;
    await stage.press('Share here');
    const copy = stage.standing.find(({ message }) => message.text?.includes('Shared by'))!;
    expect(await remembered()).toHaveLength(2);
    await deletes([copy.id]);
    expect(await remembered()).toEqual(['The number is 4711']);
    await isKnownPrivately();
    expect(await stage.pressOn(own, 'Regenerate')).toMatchObject({ kind: 'accepted' });
  });

  it('takes away what says that it’s there, if it’s a video, and not what its requester alone got', async () => {
    await stage.make('video', { prompt: 'a cat' });
    const film = stage.standing.findLast(({ message }) => message.files?.length)!;
    const others = stage.standing.filter((one) => one !== film).map(({ id }) => id);
    const alone = await stage.adapter().post(directWith(ann.id), { text: 'a cat' }, 'alone');
    // It may be on record a moment before the render has it.
    await createLiveAnswers(stage.database).note(jobOf(film), [{ ...alone, isKept: true }]);
    await deletes([film.id]);
    await stage.until(() => stage.removed.length >= others.length);
    await stage.clock.advance(5_000);
    expect(stage.removed.toSorted()).toEqual(others.toSorted());
  });

  it.each([
    ['ask', 'an answer while it’s written'],
    ['imagine', 'the announcement of an image'],
  ])('of /%s is handed on by no workflow: %s', async (command) => {
    await stage.control({ render_time: 20 });
    const given = stage.give(command, { prompt: command === 'ask' ? stalling : 'a cat' });
    await (command === 'ask' ? stage.untilWritten() : untilRendering());
    await deletes([stage.standing[0]!.id]);
    await stage.until(() => false, given);
    await stage.rendersEnded();
    await stage.deliveriesEnded();
    expect(await stage.bot.outcomes('event1')).toEqual({
      kind: 'failed',
      text: 'This was deleted. Run the command again if you still need it.',
      onRecord: true,
    });
  });

  it('long after it was written is forgotten with all other answers to it, if it’s a question', async () => {
    await answered();
    await stage.press('Regenerate');
    await stage.press('Regenerate');
    expect(await remembered()).toHaveLength(1);
    await deletesQuestions(1);
    expect(await remembered()).toEqual([]);
  });
});
