import { type KyselyPlugin, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { messageSource, quoted } from '../../src/conversation/index.ts';
import {
  type Address,
  actionId,
  type DeletedPlace,
  type PlatformAdapter,
  PlatformError,
} from '../../src/port/index.ts';
import { openKeyv } from '../../src/store/index.ts';
import { admin, ann, directWith, here, personCalled, Stage, type Standing } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

const bob = personCalled('bob');
const moderator = personCalled('mod', { moderator: true });
const jobOf = ({ message }: Standing) => message.buttons?.[0]?.id.split(':')[1] ?? '';
/** What conversations remember of questions, with what those quote. */
const remembered = async (): Promise<readonly string[]> => {
  const rows = await stage.database
    .selectFrom('keyv')
    .select('value')
    .where('key', 'like', '%exchanges%')
    .execute();
  return rows.flatMap(({ value }) =>
    (JSON.parse(JSON.parse(value)).value as { asked: string; context?: string }[]).map(({ asked, context }) =>
      [asked, context].filter(Boolean).join('\n'),
    ),
  );
};

async function answered(prompt = 'Tell me about tides', who = ann): Promise<Standing> {
  await stage.give('ask', { prompt }, who);
  return stage.latest;
}

/** What people can read in the place. */
const readable = () =>
  stage.standing.filter(({ id, address }) => address.channel === here.channel && !stage.removed.includes(id));
/** What the bot sent somebody directly. */
const directly = (who = ann) =>
  stage.standing.filter(({ address }) => address.channel === directWith(who.id).channel);
/** Who got something alone has one button, which takes all of it away. */
const canBeDeleted = async (messages: readonly Standing[], who = ann) => {
  const labels = messages.flatMap(({ message }) => message.buttons ?? []).map(({ label }) => label);
  expect(labels).toEqual(['Delete']);
  const isDirect = messages[0]?.address.channel === directWith(who.id).channel;
  const person = isDirect ? personCalled(who.id, { direct: true }) : who;
  expect(await stage.press('Delete', person)).toMatchObject({ kind: 'accepted' });
  expect(stage.removed).toEqual(expect.arrayContaining(messages.map(({ id }) => id)));
};
const deletes = (messages: readonly string[], events: readonly string[] = []) =>
  stage.bot.dispatcher.deleted({ platform: 'console', messages, events });
const deletesPlace = (place: DeletedPlace) =>
  stage.bot.dispatcher.deleted({ platform: 'console', messages: [], place });
const renderStates = async () =>
  (await stage.database.selectFrom('renders').select('state').execute()).map(({ state }) => state);
/** Has a long answer grow, slowly. */
const growsLong = async () => {
  await stage.close();
  stage = await Stage.open({ sandbox: { pace: 'human' } });
  return { ended: stage.give('ask', { prompt: 'Write 9000 characters about green' }) };
};
/** An image that took so long that its requester is told below it. */
const drawnSlowly = async (): Promise<{ image: Standing; notice: Standing }> => {
  await stage.close();
  stage = await Stage.open({ sandbox: { renderTime: 60 } });
  const adapter = stage.adapter.bind(stage);
  const notify: PlatformAdapter['notify'] = ({ message: _, ...place }, notice, key) =>
    adapter().post(place, notice, key);
  stage.bot.addPlatform({ adapter: { ...adapter(), notify }, operators: async () => [] });
  await stage.give('imagine', { prompt: 'x' });
  await stage.rendersEnded();
  expect(stage.text).toBe('Your image is ready.');
  return { image: stage.standing[0]!, notice: stage.latest };
};
const untilWritten = () => stage.until(() => (stage.standing[0]?.message.text?.length ?? 0) > 30);

describe('what somebody deletes', () => {
  const stalling = 'Write 2000 characters about green [[stall]]';

  it('while it’s written stops, is stopped being paid for, and goes to its requester alone', async () => {
    const given = stage.give('ask', { prompt: stalling });
    await untilWritten();
    const [answer] = stage.standing as [Standing];
    const written = answer.message.text ?? '';
    await deletes([answer.id]);
    await given;
    await stage.until(() => directly().length > 0);
    expect(directly()[0]?.message.text).toMatch(/^.*it was deleted there.*\n\n/);
    expect(directly()[0]?.message.text).toContain(written.slice(0, 30));
    await canBeDeleted(directly());
    expect(stage.standing.filter(({ address }) => address.channel === here.channel)).toEqual([answer]);
    expect((await stage.ledger()).map(({ state }) => state)).toEqual(['spent']);
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
    stage.bot.addPlatform({ adapter: { ...adapter, post }, operators: async () => [] });
    const given = stage.give('ask', { prompt: stalling });
    await untilWritten();
    await deletes([stage.latest.id]);
    await given;
    await stage.until(() => directly().length === 2);
    await stage.until(() => stage.bot.deliveries.outstanding === 0);
    await canBeDeleted(directly());
  });

  it('takes what else stands of it away', async () => {
    const { ended } = await growsLong();
    await stage.until(() => stage.standing.length > 1);
    const [{ id }] = stage.standing as [Standing];
    await deletes([id]);
    await ended;
    await stage.until(() => directly().length > 0);
    expect(readable()).toEqual([]);
  });

  it('stops at its next edit where the platform told nobody of it', async () => {
    const { ended } = await growsLong();
    await stage.until(() => stage.standing.length > 1);
    stage.deleted.add(stage.latest.id);
    await ended;
    await stage.until(() => directly().length > 0);
    expect(directly()).toHaveLength(1);
    expect(directly()[0]?.message.text).toMatch(/^.*it was deleted there.*\n\n/);
    expect(directly()[0]?.message.text?.length).toBeLessThan(6_000);
    await canBeDeleted(directly());
    expect(readable()).toEqual([]);
    expect((await stage.ledger()).map(({ state }) => state)).toEqual(['spent']);
    expect(await remembered()).toEqual([]);
  });

  it('is found out by its last edit, too', async () => {
    const given = stage.give('ask', { prompt: stalling });
    await untilWritten();
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

  it('before it’s on record stops as well', async () => {
    await deletes(['m0']);
    await stage.give('ask', { prompt: stalling });
    await stage.until(() => directly().length > 0);
    expect(directly()[0]?.message.text).toMatch(/it was deleted there/);
  });

  it('before it’s on record in another process stops as well', async () => {
    await stage.close();
    stage = await Stage.open({ crashes: true });
    await deletes(['m0'], ['event1']);
    await stage.crash();
    await stage.give('imagine', { prompt: 'x' });
    expect(stage.standing).toEqual([]);
    expect(stage.ended).toEqual(['imagine canceled']);
    await stage.give('ask', { prompt: stalling });
    await stage.until(() => directly().length > 0);
    expect(directly()[0]?.message.text).toMatch(/it was deleted there/);
  });

  it('long ago leaves no record that it was', async () => {
    await stage.bot.dispatcher.deleted({
      ...{ platform: 'console', messages: ['old', 'new'], events: ['old', 'new'] },
      recent: ['new'],
    });
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
      await stage.close();
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
      await untilWritten();
      await deletedAndDead('question');
      await recovered();
      expect(readable()).toEqual([]);
      expect(directly()).toEqual([]);
      expect(await remembered()).toEqual([]);
    });

    it('goes as soon as its platform is back', async () => {
      await grows();
      await untilWritten();
      stage.keepsMessages = 'unreachable';
      await deletedAndDead('question');
      await stage.clock.advance(10_000);
      expect(readable()).toHaveLength(1);
      stage.keepsMessages = undefined;
      await stage.until(() => readable().length === 0);
    });

    it('leaves nothing under way if it was to be a new version of an answer', async () => {
      await grows();
      await untilWritten();
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
    await untilWritten();
    await deletes([], ['event1']);
    await given;
    expect(readable()).toEqual([]);
    expect(directly()).toEqual([]);
    expect(await remembered()).toEqual([]);
  });

  it.each(['question', 'answer'])('goes with its %s once the platform takes that again', async (what) => {
    const { ended } = await growsLong();
    await stage.until(() => stage.standing.length > 1);
    stage.keepsMessages = 'unreachable';
    await (what === 'question' ? deletes([], ['event1']) : deletes([stage.standing[0]!.id]));
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
    await untilWritten();
    const second = stage.give('ask', { prompt: 'And tides?' });
    await deletes([], ['event2', 'event3']);
    await second;
    await stage.give('ask', { prompt: 'And stars?' });
    expect(stage.standing).toHaveLength(1);
    expect((await stage.ledger()).length).toBe(1);
    await stage.press('Stop');
    await first;
  });

  it('isn’t asked for again, if it’s a question whose price is to be confirmed', async () => {
    await stage.close();
    stage = await Stage.open({ settings: { confirmOver: 1 } });
    await stage.give('imagine', { prompt: 'x' });
    expect(stage.buttons).toContain('Yes, go ahead');
    await deletes([], ['event1']);
    expect(await stage.press('Yes, go ahead')).toMatchObject({ kind: 'refused' });
    expect(await stage.ledger()).toEqual([]);
  });

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
      await deletes([], ['event2']);
      await stage.until(() => !JSON.stringify(readable()).includes('second'));
      await stage.rendersEnded();
      expect((await stage.ledger()).map(({ state }) => state)).toEqual(['spent', 'failed']);
      expect(JSON.stringify(readable())).not.toContain('second');
      expect(directly()).toEqual([]);
    },
  );

  it.each(['imagine', 'video'])(
    'is made for its requester alone, if it’s a question for /%s that was sent',
    async (command) => {
      await stage.close();
      stage = await Stage.open({ sandbox: { renderTime: 20 } });
      await stage.give(command, { prompt: 'x' });
      await stage.until(async () => (await renderStates()).includes('waiting'));
      await deletes([], ['event1']);
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
      await stage.close();
      stage = await Stage.open({ sandbox: { renderTime: 20 } });
      await stage.give('video', { prompt: 'x' });
      await stage.until(async () => (await renderStates()).includes('waiting'));
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
      await stage.give(command, { prompt: 'second' });
      await stage.rendersEnded();
      expect((await stage.ledger()).map(({ state }) => state).toSorted()).toEqual(['failed', 'spent']);
      expect(directly()).toEqual([]);
    },
  );

  it.each(['imagine', 'video'])(
    'is the announcement of /%s that’s being made, and only the post finds out: that’s its requester’s to delete',
    async (command) => {
      await stage.close();
      stage = await Stage.open({ sandbox: { renderTime: 20 } });
      await stage.give(command, { prompt: 'x' });
      await stage.until(async () => (await renderStates()).includes('waiting'));
      for (const { id } of stage.standing) stage.deleted.add(id);
      await stage.rendersEnded();
      expect(directly()[0]?.message.files).toHaveLength(1);
      await canBeDeleted(directly());
      expect((await stage.ledger()).map(({ state }) => state)).toEqual(['spent']);
    },
  );

  it('is an image while its Again is drawn: the next one comes to its requester alone, to delete', async () => {
    await stage.close();
    stage = await Stage.open({ sandbox: { renderTime: 20 } });
    // Its files can be replaced, as on Discord.
    const attachments: PlatformAdapter['attachments'] = async () => [
      { name: 'image.png', contentType: 'image/png', size: 8, source: 'image.png' },
    ];
    const adapter = { ...stage.adapter(), replacesFiles: () => true, attachments };
    stage.bot.addPlatform({ adapter, operators: async () => [] });
    await stage.give('imagine', { prompt: 'x' });
    await stage.rendersEnded();
    const image = stage.latest;
    await stage.press('Again');
    expect(stage.standing).toEqual([image]);
    await stage.until(async () => (await renderStates()).includes('waiting'));
    await deletes([image.id]);
    await stage.rendersEnded();
    expect(directly()[0]?.message.files).toHaveLength(1);
    await canBeDeleted(directly());
  });

  it('is listed by /renders to its requester alone while it’s made', async () => {
    await stage.close();
    stage = await Stage.open({ sandbox: { renderTime: 20 } });
    await stage.give('imagine', { prompt: 'something nasty' });
    await stage.until(async () => (await renderStates()).includes('waiting'));
    await stage.give('renders', {}, bob);
    expect(stage.text).toContain('nasty');
    await deletes([], ['event1']);
    await stage.give('renders', {}, bob);
    expect(stage.text).not.toContain('nasty');
    await stage.give('renders', {}, ann);
    expect(stage.text).toContain('nasty');
  });

  describe('with its whole place', () => {
    const closed = () => new PlatformError('no-permission');

    it.each([
      { workspace: 'w', channel: 'c', thread: 't' },
      { workspace: 'w', channel: 'c' },
      { workspace: 'w' },
    ])('stops though nothing more of it is written: $workspace $channel $thread', async (place) => {
      const given = stage.give('ask', { prompt: stalling }, ann, { ...here, thread: 't' });
      await untilWritten();
      await deletesPlace({ ...place, workspace: 'other' });
      expect(await stage.database.selectFrom('jobs').select('deleted').execute()).toEqual([
        { deleted: null },
      ]);
      await deletesPlace(place);
      await given;
      await stage.until(() => directly().length > 0);
      expect(readable()).toEqual([]);
      expect((await stage.ledger()).map(({ state }) => state)).toEqual(['spent']);
    });

    it('stops and is forgotten in each workspace that shares it, where a channel is named alone', async () => {
      const other = { ...here, workspace: 'other' };
      for (const place of [here, other])
        await stage.give('ask', { prompt: 'The number is 4711' }, ann, place);
      expect(await remembered()).toHaveLength(2);
      const given = stage.give('ask', { prompt: stalling }, bob, other);
      await stage.until(() => stage.standing.length === 3 && stage.text.length > 30);
      await deletesPlace({ channel: 'c' });
      await given;
      await stage.until(() => directly(bob).length > 0);
      const marks = await stage.database.selectFrom('jobs').select('deleted').execute();
      expect(marks).toEqual(Array.from({ length: 3 }, () => ({ deleted: 'answer' })));
      expect(await remembered()).toEqual([]);
    });

    it('isn’t made if it waits for its turn, and else goes to its requester alone', async () => {
      await stage.close();
      stage = await Stage.open({ sandbox: { renderTime: 20 } });
      await stage.give('imagine', { prompt: 'x' });
      await stage.until(async () => (await renderStates()).includes('waiting'));
      await stage.give('imagine', { prompt: 'y [[rate limit 40 once]]' });
      await deletesPlace({ workspace: 'w', channel: 'c' });
      await stage.rendersEnded();
      expect((await stage.ledger()).map(({ state }) => state).toSorted()).toEqual(['failed', 'spent']);
      expect(readable()).toEqual([]);
      expect(directly().flatMap(({ message }) => message.files ?? [])).toHaveLength(1);
    });

    it('isn’t begun if the bot may come back, and what’s paid for waits for that', async () => {
      await stage.close();
      stage = await Stage.open({ sandbox: { renderTime: 20 } });
      await stage.give('imagine', { prompt: 'x' });
      await stage.until(async () => (await renderStates()).includes('waiting'));
      await stage.give('imagine', { prompt: 'y [[rate limit 40 once]]' });
      const given = stage.give('ask', { prompt: stalling });
      await stage.until(() => (stage.latest.message.text?.length ?? 0) > 30);
      const answer = stage.latest;
      const written = answer.message.text?.trim() ?? '';
      await stage.bot.dispatcher.deleted({
        ...{ platform: 'console', messages: [], place: { workspace: 'w' } },
        isWaitedFor: true,
      });
      await given;
      await stage.rendersEnded();
      expect((await stage.ledger()).map(({ state }) => state).toSorted()).toEqual([
        'failed',
        'spent',
        'spent',
      ]);
      expect(readable().flatMap(({ message }) => message.files ?? [])).toHaveLength(1);
      await stage.until(() => directly().length === 1);
      expect(directly()[0]?.message.text).toContain(written);
      await canBeDeleted(directly());
      await stage.until(() => stage.removed.includes(answer.id));
    });

    it('isn’t posted if it waits for its platform', async () => {
      stage.refuses = () => new PlatformError('unreachable');
      await stage.until(() => false, stage.give('speak', { text: 'Hello' }));
      await deletesPlace({ workspace: 'w', channel: 'c' });
      stage.refuses = () => undefined;
      await stage.until(() => stage.bot.deliveries.outstanding === 0);
      expect(readable()).toEqual([]);
      expect(directly()[0]?.message.files).toHaveLength(1);
    });

    it('waits until its requester can be reached, if it’s an answer', async () => {
      const given = stage.give('ask', { prompt: stalling });
      await untilWritten();
      stage.refuses = closed;
      await deletesPlace({ workspace: 'w' });
      await given;
      await stage.until(() => stage.bot.deliveries.outstanding === 0);
      stage.refuses = () => undefined;
      await stage.clock.advance(3_600_000);
      await stage.until(() => directly().length > 0);
      expect(directly()[0]?.message.text).toContain('because I was removed from the workspace, so');
      await canBeDeleted(directly());
    });

    it.each([
      ['ask', { prompt: stalling }],
      ['speak', { text: 'Hello [[slow 5]]' }],
    ])(
      'waits until its requester fetches it, if it’s what /%s made: they can delete it',
      async (command, options) => {
        const given = stage.give(command, options);
        await stage.until(async () => (await stage.ledger()).some(({ sent_at }) => sent_at !== null));
        if (command === 'ask') await untilWritten();
        stage.refuses = closed;
        await deletesPlace({ workspace: 'w' });
        await given;
        await stage.until(() => stage.bot.deliveries.outstanding === 0);
        stage.refuses = () => undefined;
        await stage.give('renders');
        await stage.press('Show 1');
        await canBeDeleted([stage.latest]);
      },
    );

    it.each(['imagine', 'video'])(
      'waits for its requester, if only the post of /%s finds out that it’s gone',
      async (command) => {
        await stage.close();
        stage = await Stage.open({ sandbox: { renderTime: 20 } });
        await stage.give(command, { prompt: 'x' });
        await stage.until(async () => (await renderStates()).includes('waiting'));
        for (const { id } of stage.standing) stage.deleted.add(id);
        stage.refuses = closed;
        await stage.until(async () => (await renderStates()).includes('ready'));
        await stage.clock.advance(60_000);
        stage.refuses = () => undefined;
        await stage.give('renders');
        await stage.press('Show 1');
        expect(stage.latest.message.files).toHaveLength(1);
        await canBeDeleted([stage.latest]);
        expect(await renderStates()).toEqual(['delivered']);
      },
    );

    it('says that the bot was removed, if it’s an image from a workspace where it isn’t any more', async () => {
      await stage.close();
      stage = await Stage.open({ sandbox: { renderTime: 20 } });
      await stage.give('imagine', { prompt: 'x' });
      await stage.until(async () => (await renderStates()).includes('waiting'));
      await deletesPlace({ workspace: 'w' });
      await stage.rendersEnded();
      expect(directly()[0]?.message.text).toContain('because I was removed from the workspace, so');
    });

    it('waits until its requester can be reached or fetches it, if it’s an image', async () => {
      await stage.close();
      stage = await Stage.open({ sandbox: { renderTime: 20 } });
      await stage.give('imagine', { prompt: 'x' });
      await stage.until(async () => (await renderStates()).includes('waiting'));
      stage.refuses = closed;
      await deletesPlace({ workspace: 'w' });
      await stage.until(async () => (await renderStates()).includes('ready'));
      await stage.clock.advance(60_000);
      stage.refuses = () => undefined;
      await stage.give('renders');
      await stage.press('Show 1');
      expect(stage.latest.message.files).toHaveLength(1);
      await canBeDeleted([stage.latest]);
      expect(await renderStates()).toEqual(['delivered']);
    });

    it('waits so, too, where it’s an image that waited to be posted', async () => {
      await stage.close();
      stage = await Stage.open({ sandbox: { renderTime: 20 } });
      await stage.give('imagine', { prompt: 'x' });
      await stage.until(async () => (await renderStates()).includes('waiting'));
      let tries = 0;
      let refusal: PlatformError | undefined = new PlatformError('unreachable');
      stage.completing = async () => {
        tries += 1;
        if (refusal) throw refusal;
      };
      stage.refuses = () => refusal;
      await stage.until(() => tries > 0);
      await deletesPlace({ workspace: 'w' });
      refusal = closed();
      const before = tries;
      await stage.until(() => tries > before);
      await stage.clock.advance(60_000);
      refusal = undefined;
      await stage.give('renders');
      await stage.press('Show 1');
      expect(stage.latest.message.files).toHaveLength(1);
      expect(await renderStates()).toEqual(['delivered']);
      expect((await stage.ledger()).map(({ state }) => state)).toEqual(['spent']);
    });

    it('isn’t begun, if it’s a question that just came; but where the bot was taken out and is back it is', async () => {
      await deletesPlace({ workspace: 'w', channel: 'c', thread: 't' });
      await stage.give('imagine', { prompt: 'x' }, ann, { ...here, thread: 't' });
      expect(stage.standing).toEqual([]);
      await deletesPlace({ workspace: 'w' });
      await answered();
      expect(readable()).toHaveLength(1);
      await deletesPlace({ workspace: 'w', channel: 'c' });
      for (const place of [here, { ...here, thread: 'another' }])
        await stage.give('ask', { prompt: 'And now?' }, ann, place);
      expect(readable()).toHaveLength(1);
    });

    it('stops in workspaces that aren’t left, where a platform tells only what is', async () => {
      const other = { ...here, workspace: 'other' };
      // As where somebody's own token still reaches it.
      const reached = { ...other, channel: 'reached' };
      const given = [here, other, reached].map((place, at) =>
        stage.give('ask', { prompt: stalling }, [ann, bob, personCalled('cleo')][at], place),
      );
      await stage.until(
        () => stage.standing.filter(({ message }) => (message.text?.length ?? 0) > 30).length === 3,
      );
      const isGone = ({ workspace, channel }: Address) => workspace === 'other' && channel !== 'reached';
      await stage.bot.dispatcher.deleted({ platform: 'console', messages: [], isGone });
      await given[1];
      await stage.until(() => directly(bob).length > 0);
      const marks = await stage.database.selectFrom('jobs').select('deleted').orderBy('person').execute();
      expect(marks).toEqual([{ deleted: null }, { deleted: 'left' }, { deleted: null }]);
    });

    it('isn’t begun in any workspace, if it just came and its channel is named alone', async () => {
      await deletesPlace({ channel: 'c' });
      await stage.give('ask', { prompt: 'And now?' }, ann, { ...here, workspace: 'other' });
      expect(stage.standing).toEqual([]);
    });
  });

  it('isn’t spoken, if it’s a question for /speak that waits for its turn', async () => {
    const given = stage.give('speak', { text: 'Hello [[rate limit 40 once]]' });
    await stage.until(async () => (await stage.ledger()).length > 0);
    await deletes([], ['event1']);
    await given;
    expect((await stage.ledger()).map(({ state }) => state)).toEqual(['failed']);
    expect(stage.standing.filter(({ seenBy }) => seenBy === 'channel')).toEqual([]);
    expect(stage.ended).toEqual(['speak canceled']);
  });

  it('is spoken for its requester alone, if it’s a question for /speak that was sent', async () => {
    const given = stage.give('speak', { text: 'Hello [[slow 5]]' });
    await stage.until(async () => (await stage.ledger()).some(({ sent_at }) => sent_at !== null));
    await deletes([], ['event1']);
    await given;
    await stage.until(() => directly().length > 0);
    expect(readable()).toEqual([]);
    expect(directly()[0]?.message.files).toHaveLength(1);
    await canBeDeleted(directly());
    expect((await stage.ledger()).map(({ state }) => state)).toEqual(['spent']);
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
    await stage.close();
    stage = await Stage.open({ plugin });
    stage.refuses = ({ files }) => {
      if (files) told ??= deletes([], ['event1']);
      return undefined;
    };
    await stage.give('speak', { text: 'Hello' });
    await stage.until(() => directly().length > 0);
    expect(readable()).toEqual([]);
    expect(directly()[0]?.message.files).toHaveLength(1);
    await canBeDeleted(directly());
  });

  it('isn’t made, if it’s a question that just came', async () => {
    await deletes([], ['event1', 'event2', 'event3']);
    await stage.give('imagine', { prompt: 'x' });
    await stage.give('video', { prompt: 'x' });
    await stage.give('speak', { text: 'Hello' });
    expect(stage.standing).toEqual([]);
    expect(await stage.ledger()).toEqual([]);
  });

  it('isn’t answered, if it’s a question that comes once more minutes after it was deleted', async () => {
    await deletes([], ['event1']);
    await stage.clock.advance(6 * 60_000);
    await stage.give('imagine', { prompt: 'x' });
    expect(stage.standing).toEqual([]);
    expect(await stage.ledger()).toEqual([]);
  });

  it('isn’t left running where a question just came, and the database doesn’t take that it was deleted', async () => {
    await sql
      .raw(`create trigger full before update of deleted on jobs begin select raise(abort, 'full'); end`)
      .execute(stage.database);
    await deletes([], ['event1']);
    await stage.give('imagine', { prompt: 'x' });
    expect(stage.standing).toEqual([]);
    expect(await stage.database.selectFrom('jobs').select('state').execute()).toEqual([{ state: 'done' }]);
    expect(stage.ended).toEqual(['imagine canceled']);
  });

  it('by the bot itself, which puts a result in its place, changes nothing', async () => {
    await stage.close();
    stage = await Stage.open({ completesAnew: true });
    stage.completing = ({ message }) => deletes([message]);
    await stage.give('imagine', { prompt: 'x' });
    await stage.rendersEnded();
    expect(readable()).toHaveLength(1);
    expect(stage.latest.message.files).toHaveLength(1);
    expect(await stage.press('Again')).toMatchObject({ kind: 'accepted' });
    expect(directly()).toEqual([]);
  });

  it.each(['question', 'announcement'])(
    'is the %s of an image that’s just being posted: that isn’t waited for, and goes to its requester alone',
    async (what) => {
      stage.completing = ({ message }) =>
        what === 'question' ? deletes([], ['event1']) : deletes([message]);
      await stage.give('imagine', { prompt: 'x' });
      await stage.rendersEnded();
      expect(readable()).toEqual([]);
      expect(directly()).toHaveLength(1);
      expect(directly()[0]?.message.files).toHaveLength(1);
      await canBeDeleted(directly());
    },
  );

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
    ['with its question', () => deletes([], ['event1'])],
    ['by its button', (own: Standing) => stage.pressId(actionId('ask', 'remove', jobOf(own)), own)],
  ])(
    'isn’t written anew, if it’s an answer whose next version waits for its turn (%s)',
    async (_, deleteIt) => {
      await stage.close();
      stage = await Stage.open({ rewrites: true });
      const own = { ...(await answered()) };
      const next = stage.give('ask', { prompt: stalling });
      await stage.until(() => stage.latest.id !== own.id && stage.text.length > 30);
      const growing = stage.latest;
      const { id } = own.message.buttons!.find(({ label }) => label === 'Regenerate')!;
      const anew = stage.pressId(id, own, ann, undefined, own.message.text);
      await stage.until(() => stage.standing[0]?.message.buttons?.[0]?.label === 'Stop');
      await deleteIt(own);
      await stage.pressId(actionId('ask', 'stop', jobOf(growing)), growing);
      await Promise.all([next, anew]);
      expect((await stage.ledger()).map(({ state }) => state)).toEqual(['spent', 'spent']);
      expect(stage.ended).toEqual(['ask done', 'ask canceled', 'ask canceled']);
      expect(stage.standing.map((one) => one.id)).toEqual([own.id, growing.id]);
      expect(await remembered()).toEqual([stalling]);
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
    await stage.give('video', { prompt: 'x' });
    await stage.rendersEnded();
    await deletes([stage.standing[0]!.id]);
    expect(await stage.press('Edit')).toMatchObject({ kind: 'form' });
    expect(stage.removed).toEqual([]);
  });

  it('is a video, or an image: what announced it, or says that it’s there, goes too', async () => {
    const { image, notice } = await drawnSlowly();
    await deletes([image.id]);
    await stage.until(() => stage.removed.length > 0);
    expect(stage.removed).toEqual([notice.id]);
    await stage.give('video', { prompt: 'x' });
    await stage.rendersEnded();
    const film = stage.latest;
    await deletes([film.id]);
    await stage.until(() => stage.removed.length > 1);
    expect(readable()).toEqual([image, film]);
  });

  it.each(['question', 'answer'])('long after it was written is forgotten, if it’s the %s', async (what) => {
    const own = await answered();
    await stage.give('ask', { prompt: 'And what of [[stars]]?' }, bob);
    const other = stage.latest;
    await (what === 'answer' ? deletes([own.id]) : deletes([], ['event1']));
    expect(stage.removed).toEqual([]);
    expect(await remembered()).toEqual(['And what of [[stars]]?']);
    const spent = await stage.ledger();
    for (const label of ['Regenerate', 'Reply', 'Listen']) {
      const { id } = own.message.buttons!.find((button) => button.label === label)!;
      for (const who of what === 'answer' ? [ann, bob] : [bob])
        expect(await stage.pressId(id, own, who)).toMatchObject({
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
      await stage.give(command, options);
      await stage.rendersEnded();
      const has = ({ message }: Standing) => message.buttons?.some((button) => button.label === label);
      const own = stage.standing.findLast(has)!;
      const { id } = own.message.buttons!.find((button) => button.label === label)!;
      const shown = own.message;
      await deletes([], ['event1']);
      const inPublic = () =>
        readable().filter(({ seenBy, address }) => seenBy === 'channel' && !address.onlyFor);
      const { length } = inPublic();
      expect(await stage.pressId(id, own, bob)).toMatchObject({
        text: expect.stringContaining('question was deleted'),
      });
      expect(await stage.pressId(id, own, ann)).toMatchObject({ kind: 'accepted', seenBy: 'requester' });
      await stage.rendersEnded();
      expect(inPublic()).toHaveLength(length);
      expect(own.message).toEqual(shown);
      expect((await stage.ledger()).map(({ state }) => state)).toEqual(['spent', 'spent']);
    },
  );

  it('long after it was written is forgotten where it was shared only, if it’s the copy of a private answer', async () => {
    await stage.give('ask', { prompt: 'The number is 4711', private: 'true' });
    const own = stage.latest;
    const { id } = own.message.buttons!.find(({ label }) => label === 'Regenerate')!;
    await stage.press('Share here');
    const copy = stage.standing.find(({ message }) => message.text?.includes('Shared by'))!;
    expect(await remembered()).toHaveLength(2);
    await deletes([copy.id]);
    expect(await remembered()).toEqual(['The number is 4711']);
    await stage.give('ask', { prompt: 'What was the number?' });
    expect(stage.text).not.toContain('4711');
    await stage.give('ask', { prompt: 'What was the number?', private: 'true' });
    expect(stage.text).toContain('4711');
    expect(await stage.pressId(id, own, ann)).toMatchObject({ kind: 'accepted' });
  });

  it.each([
    ['ask', 'an answer while it’s written'],
    ['imagine', 'the announcement of an image'],
  ])('of /%s is handed on by no workflow: %s', async (command) => {
    await stage.close();
    stage = await Stage.open({ sandbox: { renderTime: 20 } });
    const given = stage.give(command, { prompt: command === 'ask' ? stalling : 'a cat' });
    await (command === 'ask'
      ? untilWritten()
      : stage.until(async () => (await renderStates()).includes('waiting')));
    await deletes([stage.standing[0]!.id]);
    await stage.until(() => false, given);
    await stage.rendersEnded();
    await stage.until(() => stage.bot.deliveries.outstanding === 0);
    expect(await stage.bot.outcomes('event1')).toEqual({
      kind: 'failed',
      text: 'This was deleted. Run the command again if you still need it.',
      onRecord: true,
    });
  });

  describe('and was quoted by somebody else in a conversation of their own', () => {
    const secret = 'the number is 4711, for whoever wants to know';
    let own: Standing;
    beforeEach(async () => {
      await stage.give('settings', { conversation: 'person' }, admin);
      own = await answered(`repeat: ${secret}`);
    });
    /** What the service is sent while this is done. */
    const sentBy = async (work: () => Promise<unknown>) => {
      const sent = vi.spyOn(stage.service.chat, 'stream');
      await work();
      const messages = JSON.stringify(sent.mock.calls.map(([request]) => request.messages));
      sent.mockRestore();
      return messages;
    };

    it.each([
      ['by hand', () => deletes([own.id])],
      ['with its question', () => deletes([], ['event2'])],
      ['by its button', () => stage.pressId(actionId('ask', 'remove', jobOf(own)), own, moderator)],
    ])('is forgotten there, too (%s)', async (_, deleteIt) => {
      await stage.control({ answers: ['Nobody knows.', 'Nobody knows that either.'] });
      await stage.press('Reply', bob, { prompt: 'And why?' });
      const theirs = stage.latest;
      expect(JSON.stringify(await remembered())).toContain(secret);
      await deleteIt();
      expect(await remembered()).toEqual(['And why?']);
      const sent = await sentBy(async () => {
        await stage.give('ask', { prompt: 'And since when?' }, bob);
        const { id } = theirs.message.buttons!.find(({ label }) => label === 'Regenerate')!;
        await stage.pressId(id, theirs, bob);
      });
      expect(sent).toContain('And since when?');
      expect(sent).not.toContain(secret);
      expect(JSON.stringify(await remembered())).not.toContain(secret);
    });

    it.each([
      ['answer', () => deletes([own.id])],
      ['question', () => deletes([], ['event2'])],
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
          const { id } = theirs.message.buttons!.find(({ label }) => label === 'Regenerate')!;
          await stage.pressId(id, theirs, bob);
        });
        expect(later).toContain('my own plan');
        expect(later).not.toContain(secret);
      },
    );

    it('isn’t sent with a question that still waits for its turn, nor kept of one that’s being answered', async () => {
      const answering = stage.press('Reply', bob, { prompt: stalling });
      const { id } = own.message.buttons!.find(({ label }) => label === 'Reply')!;
      const isRunning = async (count: number) =>
        (await stage.database.selectFrom('jobs').select('id').where('state', '=', 'running').execute())
          .length === count;
      await stage.until(() => stage.latest.message.buttons?.[0]?.label === 'Stop' && stage.text.length > 30);
      const first = stage.latest;
      const waiting = stage.pressId(id, own, bob, { prompt: 'And why?' });
      await stage.until(() => isRunning(2));
      await deletes([own.id]);
      const sent = await sentBy(async () => {
        await stage.pressId(actionId('ask', 'stop', jobOf(first)), first, bob);
        await Promise.all([answering, waiting]);
      });
      expect(sent).toContain('And why?');
      expect(sent).not.toContain(secret);
      expect(await remembered()).toEqual([stalling, 'And why?']);
    });

    it('still is for its requester alone, if its question was deleted before they went on with it', async () => {
      await deletes([], ['event2']);
      const { id } = own.message.buttons!.find(({ label }) => label === 'Reply')!;
      const sent = await sentBy(() => stage.pressId(id, own, ann, { prompt: 'And why?' }, secret));
      expect(sent).toContain(secret);
    });
  });

  it('long after it was written is forgotten with all other answers to it, if it’s a question', async () => {
    await answered();
    await stage.press('Regenerate');
    await stage.press('Regenerate');
    expect(await remembered()).toHaveLength(1);
    await deletes([], ['event1']);
    expect(await remembered()).toEqual([]);
  });
});

describe('what somebody deletes while the database is away', () => {
  let isAway: boolean;
  /** How many queries work before one fails. */
  let failsAfter: number;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      failsAfter -= 1;
      if (isAway || failsAfter === -1) throw Object.assign(new Error('away'), { code: 'ERR_SQLITE_ERROR' });
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  beforeEach(async () => {
    isAway = false;
    failsAfter = Number.POSITIVE_INFINITY;
    await stage.close();
    stage = await Stage.open({ plugin, sandbox: { pace: 'human' } });
  });

  it.each(['message', 'channel'])(
    'stops at once with its %s, and goes to its requester alone when that’s back',
    async (what) => {
      const given = stage.give('ask', { prompt: 'Write 5000 characters about green' });
      await untilWritten();
      const [answer] = stage.standing as [Standing];
      isAway = true;
      await (what === 'message' ? deletes([answer.id]) : deletesPlace({ workspace: 'w', channel: 'c' }));
      await stage.clock.advance(120_000);
      expect(stage.standing).toEqual([answer]);
      isAway = false;
      await given;
      await stage.until(() => directly().length > 0);
      expect(directly()[0]?.message.text).toMatch(/^.*it was deleted there.*\n\n/);
      expect(directly()[0]?.message.text?.length).toBeLessThan(1_000);
      expect(readable()).toEqual([]);
      expect((await stage.ledger()).map(({ state }) => state)).toEqual(['spent']);
      expect(await remembered()).toEqual([]);
    },
  );

  it('is stopped when that’s back, if it’s a question', async () => {
    const given = stage.give('ask', { prompt: 'Write 2000 characters about green [[stall]]' });
    await untilWritten();
    isAway = true;
    await deletes([], ['event1']);
    await stage.clock.advance(5_000);
    isAway = false;
    await stage.until(() => readable().length === 0);
    await given;
    expect(directly()).toEqual([]);
    expect(await remembered()).toEqual([]);
  });

  it('doesn’t keep the process from ending', async () => {
    const given = stage.give('ask', { prompt: 'Write 2000 characters about green [[stall]]' });
    given.catch(() => {});
    await untilWritten();
    isAway = true;
    await deletes([stage.latest.id]);
    await stage.until(() => false, stage.bot.close());
    isAway = false;
  });

  it.each(['answer', 'question'])('is forgotten whichever query fails, if it’s the %s', async (what) => {
    await stage.close();
    stage = await Stage.open({ plugin });
    for (let event = 1, works = 0; ; event++, works++) {
      const own = await answered();
      failsAfter = works;
      await (what === 'answer' ? deletes([own.id]) : deletes([], [`event${event}`]));
      const hasFailed = failsAfter < 0;
      failsAfter = Number.POSITIVE_INFINITY;
      const isDeleted = () =>
        stage.database
          .selectFrom('jobs')
          .select('deleted')
          .where('id', '=', jobOf(own))
          .executeTakeFirstOrThrow();
      await stage.until(async () => (await isDeleted()).deleted === what);
      expect(await remembered()).toEqual([]);
      if (!hasFailed) break;
      expect(works).toBeLessThan(40);
    }
  });
});

describe('what somebody deletes while its answer waits for the platform', () => {
  /** The platform is away until an answer has been made. */
  const awayUntilMade = async (given: Promise<unknown>) => {
    stage.refuses = () => new PlatformError('unreachable');
    await stage.until(() => false, given);
    expect(stage.bot.deliveries.outstanding).toBe(1);
  };
  const isBack = async () => {
    stage.refuses = () => undefined;
    await stage.until(() => stage.bot.deliveries.outstanding === 0);
  };

  it('isn’t answered, if it’s a question', async () => {
    await awayUntilMade(stage.give('ask', { prompt: 'Tides' }));
    await deletes([], ['event1']);
    await isBack();
    expect(stage.standing).toEqual([]);
    expect(await remembered()).toEqual([]);
    expect(stage.ended).toEqual(['ask canceled']);
  });

  it('is spoken for its requester alone, if it’s a question for /speak', async () => {
    await awayUntilMade(stage.give('speak', { text: 'Hello' }));
    await deletes([], ['event1']);
    await isBack();
    expect(readable()).toEqual([]);
    expect(directly()).toHaveLength(1);
    expect(directly()[0]?.message.files).toHaveLength(1);
    await canBeDeleted(directly());
  });

  it('goes to its requester alone, if a part of the answer is there', async () => {
    await stage.close();
    stage = await Stage.open({ sandbox: { pace: 'human' } });
    const ended = stage.give('ask', { prompt: 'Write 900 characters about green' });
    await untilWritten();
    await awayUntilMade(ended);
    await deletes([stage.standing[0]!.id]);
    await isBack();
    expect(readable()).toEqual([]);
    expect(
      directly()
        .map(({ message }) => message.text ?? '')
        .join('\n'),
    ).toMatch(/^.*it was deleted there/);
    await canBeDeleted(directly());
    expect(await remembered()).toEqual([]);
  });
});

describe('Delete', () => {
  it.each([
    ['ask', { prompt: 'Tides' }],
    ['speak', { text: 'Hello' }],
    ['imagine', { prompt: 'x' }],
    ['video', { prompt: 'x' }],
  ])('stands under what /%s made, for its requester and moderators', async (command, options) => {
    for (const who of [ann, moderator]) {
      await stage.give(command, options);
      await stage.rendersEnded();
      const result = stage.latest;
      expect(stage.buttons).toContain('Delete');
      expect(await stage.press('Delete', bob)).toMatchObject({ kind: 'refused' });
      expect(stage.removed).not.toContain(result.id);
      await stage.press('Delete', who);
      expect(stage.removed).toContain(result.id);
      expect(await stage.press('Delete', who)).toMatchObject({ kind: 'accepted' });
    }
  });

  it('takes all messages of an answer, those a video has in its thread and its channel too', async () => {
    const before = stage.standing.length;
    await stage.give('video', { prompt: 'x' });
    await stage.rendersEnded();
    const ofVideo = stage.standing.slice(before).map(({ id }) => id);
    expect(ofVideo.length).toBeGreaterThan(2);
    await stage.press('Delete');
    expect(stage.removed.toSorted()).toEqual(ofVideo.toSorted());
    // The one with the button goes after the others, and a thread's root after what stands in it.
    expect(stage.removed.slice(-2)).toEqual([ofVideo.at(-1), ofVideo[0]]);
  });

  it('takes the notice that an image is there', async () => {
    await drawnSlowly();
    await stage.press('Delete');
    expect(readable()).toEqual([]);
  });

  it.each([
    ['is being made', 'Hi [[slow 5]]', 1],
    ['waits for its turn', 'Hi [[rate limit 40 once]]', 0],
  ] as const)('keeps a clip of the answer that %s from its channel', async (_, answer, clips) => {
    await stage.control({ answers: [answer] });
    const own = await answered();
    const listening = stage.press('Listen', bob);
    await stage.until(async () => {
      const [, clip] = await stage.ledger();
      return clips > 0 ? Boolean(clip?.sent_at) : clip !== undefined;
    });
    await stage.pressId(actionId('ask', 'remove', jobOf(own)), own, moderator);
    await listening;
    await stage.until(() => stage.bot.deliveries.outstanding === 0);
    expect(readable().filter(({ seenBy }) => seenBy === 'channel')).toEqual([]);
    expect(directly(bob).flatMap(({ message }) => message.files ?? [])).toHaveLength(clips);
    if (clips > 0) await canBeDeleted(directly(bob), bob);
    expect((await stage.ledger()).map(({ state: paid }) => paid)).toEqual([
      'spent',
      clips > 0 ? 'spent' : 'failed',
    ]);
  });

  it('takes the messages on record, whatever the press names', async () => {
    const other = await answered('Something else', bob);
    const own = await answered();
    await stage.pressId(actionId('ask', 'remove', jobOf(own)), { ...own, id: other.id });
    expect(stage.removed).toEqual([own.id]);
  });

  it('works after a restart and after a month', async () => {
    await stage.close();
    stage = await Stage.open({ crashes: true });
    const own = await answered();
    await stage.clock.advance(31 * 86_400_000);
    await stage.crash();
    await stage.press('Delete');
    expect(stage.removed).toEqual([own.id]);
  });

  it('forgets what was asked and answered, and what others quoted of it', async () => {
    await answered('The secret is 4711');
    const own = stage.latest;
    await stage.give('ask', { prompt: 'And?' }, bob, here, {
      context:
        '```quoted your own message, which this replies to\n' +
        `${own.message.text?.slice(0, 90)} […]\n` +
        '```',
    });
    await answered('Something else', bob);
    expect(await remembered()).toEqual([
      'The secret is 4711',
      expect.stringMatching(/^And\?\n```quoted your own message/),
      'Something else',
    ]);
    await stage.pressId(actionId('ask', 'remove', jobOf(own)), own);
    expect(await remembered()).toEqual(['And?', 'Something else']);
  });

  it('takes an answer’s other buttons out of use', async () => {
    const own = await answered();
    await stage.press('Delete');
    for (const label of ['Reply', 'Regenerate', 'Listen', 'Draw it', '👍'])
      expect(await stage.pressId(own.message.buttons!.find((one) => one.label === label)!.id, own)).toEqual({
        kind: 'refused',
        text: 'This was deleted. Run the command again if you still need it.',
      });
  });

  it('takes it once the platform can be reached again, after a restart too', async () => {
    await stage.close();
    stage = await Stage.open({ crashes: true });
    const [first, second] = [await answered(), await answered()];
    stage.keepsMessages = 'unreachable';
    const remove = ({ message }: Standing) => message.buttons!.find(({ label }) => label === 'Delete')!.id;
    await stage.pressId(remove(first), first);
    await stage.crash();
    await stage.pressId(remove(second), second);
    expect(stage.removed).toEqual([]);
    stage.keepsMessages = undefined;
    await stage.until(() => stage.removed.length === 2);
    expect(readable()).toEqual([]);
  });

  it('says so where the platform takes it back, and then doesn’t take it away', async () => {
    await answered();
    stage.keepsMessages = 'unreachable';
    await stage.press('Delete', admin);
    const { length } = stage.standing;
    stage.keepsMessages = 'no-permission';
    await stage.until(() => stage.standing.length > length);
    expect(stage.latest).toMatchObject({ seenBy: 'requester' });
    expect(stage.text).toBe('I couldn’t delete all of it. Try again, or ask a moderator to delete the rest.');
    stage.keepsMessages = undefined;
    await stage.press('Delete', admin);
    expect(stage.removed).toHaveLength(1);
  });

  it('takes it though the database doesn’t record that at once', async () => {
    await answered();
    await sql
      .raw(`create trigger full before insert on removals begin select raise(abort, 'full'); end`)
      .execute(stage.database);
    stage.keepsMessages = 'unreachable';
    await stage.press('Delete', admin);
    await sql.raw('drop trigger full').execute(stage.database);
    stage.keepsMessages = undefined;
    await stage.until(() => stage.removed.length === 1);
  });

  it('says so where the platform doesn’t take all of it away', async () => {
    await answered();
    stage.keepsMessages = 'no-permission';
    await stage.press('Delete', admin);
    expect(stage.latest).toMatchObject({ seenBy: 'requester' });
    expect(stage.text).toBe('I couldn’t delete all of it. Try again, or ask a moderator to delete the rest.');
    stage.keepsMessages = undefined;
    await stage.press('Delete', admin);
    expect(stage.removed).toHaveLength(1);
  });
});
