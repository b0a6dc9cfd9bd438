import { beforeEach, describe, expect, it } from 'vitest';
import { type Address, PlatformError } from '../../src/port/index.ts';
import { bob, deletionsOn, stalling } from './support/deletions.ts';
import { ann, here, personCalled, Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});

const {
  deletes,
  deletesPlace,
  readable,
  directly,
  canBeDeleted,
  remembered,
  answered,
  makesSlowly,
  untilSent,
} = deletionsOn(() => stage);

describe('what somebody deletes with its whole place', () => {
  const closed = () => new PlatformError('no-permission');
  /** Fetches what was made and waits for that. */
  async function fetches(): Promise<void> {
    stage.refuses = () => undefined;
    await stage.give('renders');
    await stage.press('Show 1');
    expect(stage.latest.message.files).toHaveLength(1);
    expect(await stage.renderStates()).toEqual(['delivered']);
  }

  it.each([
    { workspace: 'w', channel: 'c', thread: 't' },
    { workspace: 'w', channel: 'c' },
    { workspace: 'w' },
  ])('stops though nothing more of it is written: $workspace $channel $thread', async (place) => {
    const given = stage.give('ask', { prompt: stalling }, ann, { ...here, thread: 't' });
    await stage.untilWritten();
    await deletesPlace({ ...place, workspace: 'other' });
    expect(await stage.database.selectFrom('jobs').select('deleted').execute()).toEqual([{ deleted: null }]);
    await deletesPlace(place);
    await given;
    await stage.until(() => directly().length > 0);
    expect(readable()).toEqual([]);
    expect(await stage.ledgerStates()).toEqual(['spent']);
  });

  it('stops and is forgotten in each workspace that shares it, where a channel is named alone', async () => {
    const other = { ...here, workspace: 'other' };
    for (const place of [here, other]) await stage.give('ask', { prompt: 'The number is 4711' }, ann, place);
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

  it.each(['channel', 'thread'])('leaves no version of an answer on record: its %s', async (what) => {
    stage = await Stage.open({ rewrites: true });
    const place = { ...here, channel: 'c2', thread: 't' };
    await stage.give('ask', { prompt: 'Tell me about tides' }, ann, place);
    const own = stage.latest;
    await stage.pressOn(own, 'Regenerate', ann, undefined, own.message.text);
    const versions = stage.database
      .selectFrom('keyv')
      .select('key')
      .where('key', 'like', '%answer-versions%');
    expect(await versions.execute()).not.toEqual([]);
    await deletesPlace({
      workspace: here.workspace,
      channel: 'c2',
      ...(what === 'thread' && { thread: 't' }),
    });
    expect(await versions.execute()).toEqual([]);
  });

  it('isn’t made if it waits for its turn, and else goes to its requester alone', async () => {
    await makesSlowly('imagine');
    await stage.give('imagine', { prompt: 'y [[rate limit 40 once]]' });
    await deletesPlace({ workspace: 'w', channel: 'c' });
    await stage.rendersEnded();
    expect((await stage.ledgerStates()).toSorted()).toEqual(['failed', 'spent']);
    expect(readable()).toEqual([]);
    expect(directly().flatMap(({ message }) => message.files ?? [])).toHaveLength(1);
  });

  it('isn’t begun if the bot may come back, and what’s paid for waits for that', async () => {
    await makesSlowly('imagine');
    await stage.give('imagine', { prompt: 'y [[rate limit 40 once]]' });
    const given = stage.give('ask', { prompt: stalling });
    await stage.untilWritten(() => stage.latest);
    const answer = stage.latest;
    const written = answer.message.text?.trim() ?? '';
    await deletes([], { place: { workspace: 'w' }, isWaitedFor: true });
    await given;
    await stage.rendersEnded();
    expect((await stage.ledgerStates()).toSorted()).toEqual(['failed', 'spent', 'spent']);
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
    await stage.deliveriesEnded();
    expect(readable()).toEqual([]);
    expect(directly()[0]?.message.files).toHaveLength(1);
  });

  it('waits until its requester can be reached, if it’s an answer', async () => {
    const given = stage.give('ask', { prompt: stalling });
    await stage.untilWritten();
    stage.refuses = closed;
    await deletesPlace({ workspace: 'w' });
    await given;
    await stage.deliveriesEnded();
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
      await untilSent();
      if (command === 'ask') await stage.untilWritten();
      stage.refuses = closed;
      await deletesPlace({ workspace: 'w' });
      await given;
      await stage.deliveriesEnded();
      stage.refuses = () => undefined;
      await stage.give('renders');
      await stage.press('Show 1');
      await canBeDeleted([stage.latest]);
    },
  );

  const isFound = () => {
    for (const { id } of stage.standing) stage.deleted.add(id);
  };
  it.each([
    ['imagine', 'the bot is told', () => deletesPlace({ workspace: 'w' })],
    ['imagine', 'only its post finds out', isFound],
    ['video', 'only its post finds out', isFound],
  ])('waits until its requester fetches it, if it’s of /%s and %s', async (command, _, goes) => {
    await makesSlowly(command);
    stage.refuses = closed;
    await goes();
    await stage.until(async () => (await stage.renderStates()).includes('ready'));
    await stage.clock.advance(60_000);
    await fetches();
    await canBeDeleted([stage.latest]);
  });

  it('says that the bot was removed, if it’s an image from a workspace where it isn’t any more', async () => {
    await makesSlowly('imagine');
    await deletesPlace({ workspace: 'w' });
    await stage.rendersEnded();
    expect(directly()[0]?.message.text).toContain('because I was removed from the workspace, so');
  });

  it('waits so, too, where it’s an image that waited to be posted', async () => {
    await makesSlowly('imagine');
    let tries = 0;
    let refusal: PlatformError | undefined = new PlatformError('unreachable');
    stage.completing = async () => {
      tries += 1;
      if (refusal) throw refusal;
    };
    let refused = 0;
    stage.refuses = () => {
      refused += 1;
      return refusal;
    };
    await stage.until(() => tries > 0);
    await deletesPlace({ workspace: 'w' });
    refusal = closed();
    const before = refused;
    await stage.until(() => refused > before);
    await stage.clock.advance(60_000);
    refusal = undefined;
    await fetches();
    expect(await stage.ledgerStates()).toEqual(['spent']);
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
    await deletes([], { isGone });
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
