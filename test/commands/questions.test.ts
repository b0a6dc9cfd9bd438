import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { questionLife } from '../../src/engine/index.ts';
import { tokenLifetime } from '../../src/platforms/discord/api/messages.ts';
import {
  actionId,
  type Message,
  type PlatformAdapter,
  PlatformError,
  type PlatformErrorKind,
  type PreparedRequest,
  type RawValues,
} from '../../src/port/index.ts';
import { questionsSpacing } from '../../src/start/run.ts';
import { createJobs } from '../../src/store/index.ts';
import { bob, deletionsOn } from './support/deletions.ts';
import { ann, here, Stage, type Standing } from './support/stage.ts';

const minutes = 60_000;
const expired = 'This question has expired. Run the command again; nothing was spent.';
const prompt = 'imagine a world without money';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open({ settings: { confirmOver: 10 }, crashes: true });
});

const ask = (text = 'a lighthouse', who = ann) => stage.give('imagine', { prompt: text }, who);
const { deletes, deletesQuestions, readable } = deletionsOn(() => stage);
const waiting = async () => (await stage.database.selectFrom('removals').select('message').execute()).length;
const allTried = () => stage.until(async () => (await waiting()) === 0);

describe('a question that nobody answers', () => {
  it('isn’t asked, not even later, where its command can’t be acknowledged', async () => {
    const request = {
      command: 'imagine',
      options: { prompt: 'a lighthouse' },
      address: here,
      requester: ann,
    };
    const prepared = await stage.bot.dispatcher.prepare({ ...request, eventId: 'one' });
    if (prepared.kind !== 'accepted') throw new Error(prepared.kind);
    await prepared.record();
    expect(await stage.jobStates()).toEqual(['asking']);
    await prepared.abandon();
    await stage.crash();
    expect(await stage.jobStates()).toEqual(['done']);
    expect(stage.standing).toEqual([]);
  });

  it('says that it has expired and loses its buttons, also after a restart', async () => {
    await ask();
    await stage.crash();
    await stage.clock.advance(questionLife - minutes);
    await stage.bot.endUnanswered();
    expect(stage.buttons).toEqual(['Yes, go ahead', 'No']);
    await stage.clock.advance(2 * minutes);
    await stage.bot.endUnanswered();
    await allTried();
    expect(stage.latest.message).toEqual({ text: expired });
    expect(await stage.jobStates()).toEqual(['done']);
  });

  it('leaves nothing of what was given on record, as one that’s declined', async () => {
    const left = () => stage.database.selectFrom('jobs').select(['options', 'instead', 'press']).execute();
    await stage.give('imagine', { prompt: 'a lighthouse', private: true });
    await stage.clock.advance(16 * minutes);
    await stage.bot.endUnanswered();
    await ask(prompt);
    await stage.press('No');
    const nothing = { instead: null, press: null };
    expect(await left()).toEqual([
      { options: '{"private":true}', ...nothing },
      { options: '{}', ...nothing },
    ]);
    expect(await stage.jobStates()).toEqual(['done', 'done']);
  });

  it('does so later where its platform can’t be reached', async () => {
    await ask();
    await stage.clock.advance(16 * minutes);
    stage.refuses = () => new PlatformError('unreachable');
    await stage.bot.endUnanswered();
    expect(await stage.jobStates()).toEqual(['done']);
    expect(stage.buttons).toEqual(['Yes, go ahead', 'No']);
    stage.refuses = () => undefined;
    await allTried();
    expect(stage.latest.message).toEqual({ text: expired });
    expect(stage.ended).toEqual(['imagine unanswered']);
  });

  it('holds up no other where it can’t be ended', async () => {
    await ask();
    await ask('a cat', bob);
    await stage.database
      .updateTable('answer_messages')
      .set({ address: 'unreadable' })
      .where('message', '=', 'm0')
      .execute();
    await stage.clock.advance(16 * minutes);
    await stage.bot.endUnanswered();
    expect(await stage.jobStates()).toEqual(['asked', 'done']);
    await allTried();
    expect(stage.latest.message).toEqual({ text: expired });
  });

  it('isn’t looked for again while that’s under way', async () => {
    await ask();
    await stage.clock.advance(16 * minutes);
    const ended = stage.bot.endUnanswered();
    expect(stage.bot.endUnanswered()).toBe(ended);
    await ended;
  });

  it('holds up no other where its platform doesn’t answer', async () => {
    const edited = Promise.withResolvers<void>();
    const adapter = stage.adapter();
    const edit = async (...how: Parameters<typeof adapter.edit>) => {
      await edited.promise;
      return adapter.edit(...how);
    };
    stage.platformWith({ edit });
    await ask();
    await stage.clock.advance(16 * minutes);
    await stage.bot.endUnanswered();
    await ask('a cat', bob);
    await stage.clock.advance(16 * minutes);
    await stage.bot.endUnanswered();
    expect(await stage.jobStates()).toEqual(['done', 'done']);
    edited.resolve();
    await allTried();
    expect(stage.standing.map(({ message }) => message.text)).toEqual([expired, expired]);
  });
});

describe('a question that’s answered loses its buttons', () => {
  const question = () => stage.standing[0]!.message;
  async function preparedYes(eventId = 'press') {
    const on = stage.latest;
    const prepared = await stage.bot.dispatcher.preparePress({
      ...{ eventId, actionId: stage.buttonId('Yes, go ahead'), address: here, requester: ann },
      message: { ...on.address, message: on.id },
      acknowledgement: { token: 'of the press' },
    });
    if (prepared.kind !== 'accepted') throw new Error(prepared.kind);
    return prepared;
  }
  /** A yes that's on record, and not acknowledged yet. */
  async function recordedYes() {
    const prepared = await preparedYes();
    await prepared.record();
    return prepared;
  }

  it.each([
    ['Yes, go ahead', 'Confirmed.'],
    ['No', 'Nothing was sent and nothing was spent.'],
  ])('once the platform is back: %s', async (answer, text) => {
    await ask();
    let isAway = true;
    stage.refuses = (message) =>
      isAway && message.text === text ? new PlatformError('unreachable') : undefined;
    const pressed = stage.press(answer);
    await stage.until(async () => (await waiting()) === 1);
    await pressed;
    expect(question().buttons).toHaveLength(2);
    isAway = false;
    await allTried();
    expect(stage.standing.filter(({ message }) => message.text === text)).toHaveLength(1);
    expect(question()).toEqual({ text });
  });

  it('where the process dies before the platform is back', async () => {
    await ask();
    stage.refuses = ({ text }) => (text === 'Confirmed.' ? new PlatformError('unreachable') : undefined);
    await stage.press('Yes, go ahead');
    await stage.crash();
    stage.refuses = () => undefined;
    await allTried();
    expect(question()).toEqual({ text: 'Confirmed.' });
  });

  it('where the process dies when the answer was only on record', async () => {
    await ask();
    await recordedYes();
    await stage.crash();
    await allTried();
    expect(question()).toEqual({ text: 'Confirmed.' });
  });

  it('though another press can’t be acknowledged, which didn’t count', async () => {
    await ask();
    const [first, second] = [await preparedYes('first'), await preparedYes('second')];
    await first.record();
    await second.record();
    await second.abandon();
    await stage.crash();
    await allTried();
    expect(question()).toEqual({ text: 'Confirmed.' });
  });

  it('unless the press can’t be acknowledged: it stands again', async () => {
    await ask();
    const prepared = await recordedYes();
    const acknowledged = () => stage.database.selectFrom('jobs').select('acknowledgement').execute();
    expect(await acknowledged()).toEqual([{ acknowledgement: '{"token":"of the press"}' }]);
    await prepared.abandon();
    expect(await acknowledged()).toEqual([{ acknowledgement: null }]);
    stage.bot.removals.goOn();
    await stage.clock.advance(minutes);
    expect(question().buttons).toHaveLength(2);
    expect(await waiting()).toBe(0);
  });
});

it('a question has ended, and says when, while Discord lets a token edit what only its person sees', () => {
  expect(questionLife + questionsSpacing).toBeLessThan(tokenLifetime);
  const page = readFileSync(new URL('../../docs/credits.md', import.meta.url), 'utf8');
  expect(page).toContain(`expires after ${questionLife / minutes} minutes`);
});

it('a yes that comes before the question is on record as asked, and of which nothing can be told, is told of later', async () => {
  stage.refuses = () => new PlatformError('unreachable');
  await ask();
  expect(await stage.jobStates()).toEqual(['asking']);
  const [row] = await stage.database.selectFrom('jobs').select('id').execute();
  const question: Standing = { id: 'shown', address: here, message: {}, seenBy: 'channel' };
  await stage.pressId(actionId('imagine', 'yes', row?.id ?? ''), question).catch(() => {});
  stage.refuses = () => undefined;
  await stage.until(() => false, stage.bot.recovery.settled());
  expect(await stage.jobStates()).toEqual(['failed']);
  expect(stage.standing.map(({ message }) => message.buttons?.map(({ label }) => label))).toEqual([
    ['Try again'],
  ]);
});

it('what’s told of a command in the place of its question stays there, however late that’s closed', async () => {
  const answerInterrupted: PlatformAdapter['answerInterrupted'] = async (_, notice) => {
    const refusal = stage.refuses(notice);
    if (refusal) throw refusal;
    const [question] = stage.standing as [Standing];
    question.message = { ...notice, text: [question.message.text, notice.text].join('\n\n') };
    return { message: question.id };
  };
  stage.platformWith({ answerInterrupted });
  await ask();
  await stage.database.updateTable('jobs').set({ acknowledgement: '{}' }).execute();
  let closings = 0;
  let isAway = true;
  stage.refuses = ({ text }) => {
    const isRefused = text === 'Confirmed.' ? ++closings < 4 : isAway;
    return isRefused ? new PlatformError('unreachable') : undefined;
  };
  await stage.press('Yes, go ahead').catch(() => {});
  isAway = false;
  await stage.until(() => false, stage.bot.recovery.settled());
  await stage.until(async () => (await waiting()) === 0);
  expect(await stage.jobStates()).toEqual(['failed']);
  expect(stage.standing).toHaveLength(1);
  expect(stage.text).toMatch(/^Confirmed\.\n\n.*interrupted/);
  expect(stage.buttons).toEqual(['Try again']);
});

describe('what comes of a command into the place of its question stays there, however late that’s closed:', () => {
  const spoken = 'hello there '.repeat(100);
  let told: number;
  /** What the platform doesn't take, but in the place of the question. */
  let refusedElsewhere: (message: Message) => PlatformErrorKind | undefined;
  let isAnnouncementGone: boolean;
  let closings: number;
  /** The command's acknowledgement reaches its question, and only that. It's closed once something else stands there, or late. */
  beforeEach(async () => {
    stage = await Stage.open({ settings: { confirmOver: 1 }, crashes: true });
    [told, closings] = [0, 0];
    refusedElsewhere = () => undefined;
    isAnnouncementGone = false;
    const adapter = stage.adapter();
    const answerInterrupted: PlatformAdapter['answerInterrupted'] = async (_, notice) => {
      const [question] = stage.standing as [Standing];
      told += 1;
      question.message = { ...notice, text: [question.message.text, notice.text].join('\n\n') };
      return { message: question.id };
    };
    const complete: PlatformAdapter['complete'] = async (...how) => {
      if (isAnnouncementGone) throw new PlatformError('gone');
      return adapter.complete(...how);
    };
    stage.platformWith({ answerInterrupted, complete });
    stage.refuses = (message) => {
      const isTooEarly = message.text === 'Confirmed.' && told === 0 && ++closings < 10;
      const kind = isTooEarly ? 'unreachable' : refusedElsewhere(message);
      return kind && new PlatformError(kind);
    };
  });
  async function confirmed(command: string, options: RawValues): Promise<Standing> {
    await stage.give(command, options);
    await stage.database.updateTable('jobs').set({ acknowledgement: '{}' }).execute();
    await stage.press('Yes, go ahead');
    await stage.until(() => told > 0);
    await allTried();
    return stage.standing[0] as Standing;
  }

  it('a private clip that comes late', async () => {
    refusedElsewhere = ({ files }) => files && 'unreachable';
    const { message } = await confirmed('speak', { text: spoken, private: true });
    expect(message.text).toMatch(/^Confirmed\./);
    expect(message.files).toHaveLength(1);
  });

  it('that a private image couldn’t be made', async () => {
    await stage.control({ faults: [{ operation: 'image', do: 'error', status: 400 }] });
    isAnnouncementGone = true;
    const { message } = await confirmed('imagine', { prompt: 'a lighthouse', private: true });
    expect(message.text).toMatch(/^Confirmed\.\n\n.*⚠️/s);
  });

  it('that a late clip is below', async () => {
    let tries = 0;
    refusedElsewhere = ({ files }) => (files && ++tries === 1 ? 'unreachable' : undefined);
    const { message } = await confirmed('speak', { text: spoken });
    expect(message.text).toMatch(/^Confirmed\.\n\n/);
    expect(message.buttons).toBeUndefined();
    expect(stage.latest.message.files).toHaveLength(1);
  });
});

describe('the question that *Just answer* asks next', () => {
  const which = () => stage.standing[0]!.message.text ?? '';
  const isNext = ({ text = '' }: { readonly text?: string }) => text.endsWith('Go ahead?');
  const labels = (index = 0) => stage.standing[index]!.message.buttons?.map(({ label }) => label) ?? [];
  beforeEach(async () => {
    stage = await Stage.open({ settings: { confirmOver: 1 }, crashes: true });
    const order = { prompt: 'a world without money' };
    await stage.give('imagine', order, ann, here, undefined, { command: 'ask', options: { prompt } });
  });
  const isAway = () => {
    stage.refuses = (message) => (isNext(message) ? new PlatformError('unreachable') : undefined);
  };

  it('stands once the platform is back', async () => {
    isAway();
    await stage.press('Just answer');
    expect(labels()).toEqual(['Draw it · 22 credits', 'Just answer']);
    stage.refuses = () => undefined;
    await allTried();
    expect(labels()).toEqual(['Yes, go ahead', 'No']);
    expect(stage.standing).toHaveLength(1);
    await stage.press('Yes, go ahead');
    expect(stage.text).toContain('world without money');
  });

  it('stands where the process dies before the platform is back', async () => {
    isAway();
    await stage.press('Just answer');
    await stage.crash();
    stage.refuses = () => undefined;
    await allTried();
    expect(isNext({ text: which() })).toBe(true);
    expect(labels()).toEqual(['Yes, go ahead', 'No']);
  });

  it('is deleted with its message: that’s still known as the question’s', async () => {
    await stage.press('Just answer');
    await deletes(['m0']);
    expect(await stage.press('Yes, go ahead')).toMatchObject({ kind: 'refused' });
    expect(await stage.ledger()).toEqual([]);
  });

  it('expires in its place, also where the process died before the first was on record as asked', async () => {
    await stage.database.updateTable('jobs').set({ state: 'asking' }).execute();
    await stage.database.deleteFrom('answer_messages').execute();
    await stage.press('Just answer');
    await stage.crash();
    expect(labels()).toEqual(['Yes, go ahead', 'No']);
    expect(stage.standing).toHaveLength(1);
    await stage.clock.advance(questionLife + minutes);
    await stage.bot.endUnanswered();
    await allTried();
    expect(stage.latest.message).toEqual({ text: expired });
  });

  it('isn’t shown any more where it was answered in words meanwhile', async () => {
    isAway();
    await stage.press('Just answer');
    const request = { eventId: 'words', command: 'ask', options: { prompt: 'no' }, said: { text: 'no' } };
    const prepared = await stage.bot.dispatcher.prepare({ ...request, address: here, requester: ann });
    if (prepared.kind !== 'accepted') throw new Error(prepared.kind);
    await prepared.record();
    await stage.crash();
    stage.refuses = () => undefined;
    await allTried();
    expect(stage.standing.map(({ message }) => message)).toEqual([
      { text: 'Nothing was sent and nothing was spent.' },
    ]);
  });

  it('isn’t shown where it was answered before by another address of its message', async () => {
    isAway();
    const [shown] = stage.standing as [Standing];
    const { id } = await stage.database.selectFrom('jobs').select('id').executeTakeFirstOrThrow();
    const pressed = { ...shown, address: { ...here, platformData: { token: 'of the press' } } };
    await stage.pressId(actionId('imagine', 'instead', id), pressed);
    expect(await waiting()).toBe(2);
    await stage.pressId(actionId('ask', 'no', id), shown);
    stage.refuses = () => undefined;
    await allTried();
    expect(which()).toBe('Nothing was sent and nothing was spent.');
  });
});

describe('a question about a press, once the same press asks anew', () => {
  const isPrice = ({ message }: Standing) =>
    message.buttons?.some(({ label }) => label === 'Yes, go ahead') === true;
  const questions = () => readable().filter(isPrice);
  async function pressedAgain(): Promise<() => Promise<unknown>> {
    await ask();
    await stage.press('Yes, go ahead');
    await stage.rendersEnded();
    const image = stage.latest;
    const press = () => stage.pressOn(image, 'Again');
    await press();
    expect(questions()).toHaveLength(1);
    return press;
  }

  it('goes, and can’t be answered', async () => {
    const press = await pressedAgain();
    const former = stage.latest;
    const yes = stage.buttonId('Yes, go ahead');
    await press();
    await stage.until(() => questions().length === 1);
    expect(questions()).not.toContain(former);
    expect(await stage.pressId(yes, former)).toMatchObject({ kind: 'refused' });
    await stage.bot.endUnanswered();
    expect(stage.ended.filter((one) => one === 'imagine unanswered')).toHaveLength(1);
    await stage.press('Yes, go ahead');
    await stage.rendersEnded();
    expect((await stage.meter()).credits).toBe(44);
  });

  it('goes where the process dies before it has', async () => {
    await pressedAgain();
    const [asked] = await stage.database
      .selectFrom('jobs')
      .selectAll()
      .where('state', '=', 'asked')
      .execute();
    await createJobs(stage.database).withdrawAsked({ press: asked?.press ?? '', exceptOf: 'next' });
    await stage.crash();
    expect(questions()).toHaveLength(1);
    await stage.bot.endUnanswered();
    await allTried();
    expect(questions()).toEqual([]);
    expect(await stage.jobStates()).toEqual(['done', 'done']);
  });
});

describe('a question whose message is deleted', () => {
  it('goes with it, and nothing can be bought by it', async () => {
    await ask();
    await deletesQuestions(1);
    await stage.until(() => readable().length === 0);
    expect(await stage.press('Yes, go ahead')).toMatchObject({ kind: 'refused' });
    await stage.clock.advance(16 * minutes);
    await stage.bot.endUnanswered();
    expect(await stage.jobStates()).toEqual(['done']);
  });

  it('goes once its platform is back', async () => {
    await ask();
    stage.keepsMessages = 'unreachable';
    await deletesQuestions(1);
    expect(readable()).toHaveLength(1);
    stage.keepsMessages = undefined;
    await stage.until(() => readable().length === 0);
  });

  it('isn’t asked where that was right before it’s on record', async () => {
    await deletesQuestions(1);
    await ask();
    expect(stage.standing).toEqual([]);
    expect(stage.ended).toEqual(['imagine canceled']);
  });

  it('is taken away where that was while it was posted', async () => {
    let heard: Promise<void> | undefined;
    stage.refuses = () => {
      heard ??= deletesQuestions(1);
      return undefined;
    };
    await ask();
    await heard;
    expect(readable()).toEqual([]);
  });

  it('buys nothing where a yes comes at the same moment', async () => {
    await ask();
    const pressed = stage.press('Yes, go ahead');
    await Promise.all([deletesQuestions(1), pressed]);
    await stage.rendersEnded();
    expect((await stage.ledger()).filter(({ state }) => state === 'spent')).toEqual([]);
  });
});

it('a person has three waiting in a place: the next takes the place of the oldest; others aren’t held up', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, (_, index) => ask(`a lighthouse ${index}`)));
  expect(all.filter(({ kind }) => kind === 'accepted')).toHaveLength(3);
  expect(all.find(({ kind }) => kind === 'refused')).toMatchObject({
    text: expect.stringContaining('already have 3 questions waiting'),
  });
  expect(await ask('a cat', bob)).toMatchObject({ kind: 'accepted' });
  // Who dismisses a question on Discord tells nobody.
  expect(await ask('a dog')).toMatchObject({ kind: 'accepted' });
  const newest = stage.latest;
  await stage.until(() => stage.removed.length > 0);
  expect(readable()).toHaveLength(4);
  expect(readable()).toContain(newest);
  const oldest = stage.standing.find(({ id }) => stage.removed.includes(id))!;
  expect(await stage.pressOn(oldest, 'Yes, go ahead')).toMatchObject({ kind: 'refused' });
  await stage.press('Yes, go ahead');
  await stage.rendersEnded();
  expect((await stage.ledger()).filter(({ state }) => state === 'spent')).toHaveLength(1);
});

it('words that answered a question order nothing where they come once more', async () => {
  await ask();
  const request = { eventId: 'words', command: 'ask', options: { prompt: 'yes' }, said: { text: 'yes' } };
  const say = () => stage.bot.dispatcher.prepare({ ...request, address: here, requester: ann });
  const prepared = await say();
  expect(prepared).toMatchObject({ kind: 'accepted', call: { command: 'imagine' } });
  if (prepared.kind === 'accepted') await prepared.record();
  expect(await say()).toMatchObject({ kind: 'refused', text: '', repeated: true });
});

describe('a yes that may be meant for something else buys nothing', () => {
  const says = (address = here) =>
    stage.bot.dispatcher.prepare({
      ...{ eventId: 'words', command: 'ask', options: { prompt: 'Yes please' } },
      ...{ said: { text: 'Yes please' }, address, requester: ann },
    });
  const bought = (prepared: PreparedRequest) => ('call' in prepared ? prepared.call?.command : undefined);

  it.each([
    ['is still written', 'running'],
    ['may have ended since', 'done'],
  ] as const)('where an answer that was asked for before %s', async (_, state) => {
    await stage.give('ask', { prompt: 'Tell me about foxes' });
    await ask();
    await stage.database.updateTable('jobs').set({ state }).where('command', '=', 'ask').execute();
    expect(bought(await says())).toBe('ask');
  });

  it('while a question about which nothing else was said takes it', async () => {
    await stage.give('ask', { prompt: 'Tell me about foxes' });
    await stage.clock.advance(minutes);
    await ask();
    expect(bought(await says())).toBe('imagine');
  });

  it('where another session of the console was asked, alone', async () => {
    const [own, other] = ['one', 'two'].map((session) => ({ ...here, platformData: { session } }));
    await stage.give('imagine', { prompt: 'a lighthouse', private: true }, ann, own);
    expect(bought(await says(other))).toBe('ask');
  });
});

describe('where the process dies', () => {
  /** A question that's on record and not asked yet. */
  async function recorded(more = {}): Promise<PreparedRequest> {
    const request = { eventId: 'event1', command: 'imagine', options: { prompt: 'a lighthouse' }, ...more };
    const prepared = await stage.bot.dispatcher.prepare({ ...request, address: here, requester: ann });
    if (prepared.kind !== 'accepted') throw new Error(prepared.kind);
    expect(await prepared.record()).toBe(true);
    return prepared;
  }
  const settled = () => stage.until(() => false, stage.bot.recovery.settled());

  it('before it has asked, the next one asks, and can be answered', async () => {
    await recorded();
    await stage.crash();
    await settled();
    expect(stage.standing).toHaveLength(1);
    expect(stage.buttons).toEqual(['Yes, go ahead', 'No']);
    expect(await stage.jobStates()).toEqual(['asked']);
    await stage.press('Yes, go ahead');
    await stage.rendersEnded();
    expect((await stage.meter()).credits).toBe(22);
  });

  it('and the next one, too, the one after that asks which of two is meant', async () => {
    await recorded({ instead: { command: 'ask', options: { prompt } } });
    stage.refuses = () => new PlatformError('unreachable');
    await stage.crash();
    await stage.crash();
    stage.refuses = () => undefined;
    await settled();
    expect(stage.buttons).toEqual(['Draw it · 22 credits', 'Just answer']);
    expect(stage.standing).toHaveLength(1);
  });

  it('before it’s on record that it has asked, nobody is asked twice', async () => {
    await ask();
    await stage.database.updateTable('jobs').set({ state: 'asking' }).execute();
    await stage.crash();
    await settled();
    expect(stage.standing).toHaveLength(1);
    expect(await stage.jobStates()).toEqual(['asked']);
    await stage.database.updateTable('jobs').set({ state: 'asking' }).execute();
    await stage.press('Yes, go ahead');
    await stage.rendersEnded();
    expect((await stage.meter()).credits).toBe(22);
  });

  it('and it’s long before the next one lives, that says what it was and can be tried again', async () => {
    stage.refuses = () => new PlatformError('unreachable');
    await ask();
    await stage.crash();
    await stage.clock.advance(questionLife + minutes);
    stage.refuses = () => undefined;
    await settled();
    expect(stage.buttons).toEqual(['Try again']);
  });

  it('it asks nothing about what was deleted meanwhile', async () => {
    await recorded();
    await deletesQuestions(1);
    await stage.crash();
    await settled();
    expect(readable()).toEqual([]);
  });

  it('what comes once more is neither asked nor refused again', async () => {
    await recorded();
    await stage.crash();
    await settled();
    await stage.press('Yes, go ahead');
    await stage.rendersEnded();
    stage = await Stage.open({ settings: { budgets: { user: 30, channel: 0, workspace: 0, total: 0 } } });
    await ask();
    await stage.rendersEnded();
    const request = { eventId: 'event1', command: 'imagine', options: { prompt: 'a lighthouse' } };
    const prepared = await stage.bot.dispatcher.prepare({ ...request, address: here, requester: ann });
    expect(prepared.kind === 'accepted' && (await prepared.record())).toBe(false);
    expect(prepared.kind).toBe('accepted');
  });
});
