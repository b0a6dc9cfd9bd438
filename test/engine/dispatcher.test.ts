import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { Dispatcher } from '../../src/engine/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { randomId } from '../../src/lib/text.ts';
import {
  actionId,
  type Address,
  type Job,
  type Message,
  type MessageAddress,
  parseActionId,
  type Person,
  PlatformError,
  type PreparedRequest,
  privateOption,
  type RawValues,
  type Reply,
} from '../../src/port/index.ts';
import {
  createDrafts,
  createJobs,
  createLiveAnswers,
  type Database,
  openKeyv,
} from '../../src/store/index.ts';
import { words } from '../../src/words/index.ts';
import { adapterWith } from '../fakes/adapter.ts';
import {
  allowing,
  type AnyCommand,
  asking,
  type CommandRules,
  defineCommand,
  rulesBy,
} from '../fakes/commands.ts';
import { databaseOfTest } from '../fakes/database.ts';
import { here as address, jobCalled, personCalled as person } from '../fakes/records.ts';
import { removalsOf } from '../fakes/removals.ts';
import { unwatched } from '../fakes/unwatched.ts';

const ann = person('ann');
const message: MessageAddress = { ...address, message: 'm' };

const description = { en: 'x', 'zh-CN': 'x' };
const ran: unknown[] = [];
/** What each run of `echo` was handed. */
const settings: unknown[] = [];
const echo = defineCommand<{
  text: { type: 'text'; required: true; maxCharacters: 8; description: typeof description };
}>({
  name: 'echo',
  description,
  help: description,
  options: { text: { type: 'text', required: true, maxCharacters: 8, description } },
  seenBy: 'channel',
  async run({ options, settings: read, reply }) {
    ran.push(options);
    settings.push(read);
    if (options.text === 'fault') throw new Error('a fault');
    await reply.say({ text: options.text });
  },
  actions: {
    wave: { who: 'requester', answers: 'quiet', run: async () => void ran.push('wave') },
    louder: {
      who: 'requester-or-moderator',
      call: ({ job }) => ({ command: 'echo', options: { text: `${job.options.text}!` } }),
    },
    change: {
      who: 'requester',
      form: (job) => ({
        title: 'Change',
        command: 'echo',
        fields: ['text'],
        values: { text: String(job.options.text) },
      }),
      call: ({ values }) => ({ command: 'echo', options: values }),
    },
  },
});
const secret = defineCommand<Record<string, never>>({
  name: 'secret',
  description,
  help: description,
  options: {},
  seenBy: 'requester',
  restrictedTo: 'administrators',
  async run() {
    ran.push('secret');
  },
});

/** Everybody sees its answer, unless its requester chooses otherwise. */
const quiet = defineCommand({
  name: 'quiet',
  description,
  help: description,
  options: { private: privateOption },
  seenBy: 'channel',
  async run({ options, address: at, reply: to }) {
    ran.push(options, at);
    await to.say({ text: 'psst' });
  },
  actions: { open: { who: 'anyone', call: () => ({ command: 'quiet', options: { private: false } }) } },
});

let database: Database;
let dispatcher: Dispatcher;
let said: Message[];
let reply: Reply;
let whispered: Message[];
let replaced: Message[];
let edited: Message[];
let failures: Job[];
let taken: string[];
let now: number;
let after: typeof systemClock.after;
let rules: CommandRules;

/** A place that lets messages be changed and nothing else, as long as `edits` is true. */
let edits: boolean;
const adapter = adapterWith({
  edit: async (_: MessageAddress, content: Message) => {
    if (!edits) throw new PlatformError('gone');
    edited.push(content);
  },
});

beforeEach(async () => {
  ran.length = 0;
  settings.length = 0;
  said = [];
  whispered = [];
  replaced = [];
  edited = [];
  failures = [];
  taken = [];
  now = 7;
  after = systemClock.after;
  edits = true;
  rules = allowing;
  database = await databaseOfTest();
  let count = 0;
  dispatcher = new Dispatcher({
    commands: [echo, secret, quiet] as readonly AnyCommand[],
    jobs: createJobs(database),
    answers: createLiveAnswers(database),
    drafts: createDrafts(
      openKeyv(database, 'draft', () => now),
      randomId,
    ),
    adapters: () => adapter,
    rules: rulesBy((...asked) => rules(...asked)),
    notifyLater: () => {},
    changeQuestion: (question) => removalsOf(database, () => adapter, systemClock).changeQuestion(question),
    explain: (_, job) => {
      failures.push(job);
      return { text: 'explained' };
    },
    takeAway: async ({ id }) => void taken.push(id),
    suggest: () => [],
    watch: unwatched(),
    newId: () => `job${++count}`,
    clock: { ...systemClock, now: () => now, steady: () => now, after: (...asked) => after(...asked) },
  });
  reply = {
    say: async (content) => {
      said.push(content);
      return message;
    },
    replace: async (_, content) => void replaced.push(content),
    whisper: async (content) => void whispered.push(content),
    stream: () => {
      throw new Error('not used here');
    },
  };
});

const give = async (text: string, eventId = 'event', requester = ann) => {
  const prepared = await dispatcher.prepare(typed(text, eventId, requester));
  if (prepared.kind === 'accepted') await prepared.run(reply);
  return prepared;
};
/** What `ann` asks of echo. */
const typed = (text: string, eventId: string, requester = ann) => ({
  ...{ eventId, command: 'echo', options: { text }, address, requester },
});
const accepted = async (preparing: Promise<PreparedRequest>) => {
  const prepared = await preparing;
  if (prepared.kind !== 'accepted') throw new Error(prepared.kind);
  return prepared;
};
const question = 'Spend 900 credits?';
/** Asks about one text alone. */
const dear: CommandRules = async (_, values) => ({
  ...{ kind: 'allowed', values, settings: {} },
  ...(values.text === 'dear' && { question }),
});
/** Where nothing else is said, commands are private. */
const hiding: CommandRules = (command, values, ...more) =>
  allowing(command, { private: true, ...values }, ...more);
let presses = 0;
const press = async (
  action: string,
  requester = ann,
  values?: Record<string, string>,
  more: { readonly maxInput?: number } = {},
) => {
  presses += 1;
  const request = { eventId: `press ${presses}`, actionId: action, address, message, requester, ...more };
  const prepared = await dispatcher.preparePress({ ...request, ...(values && { values }) });
  if (prepared.kind === 'accepted') await prepared.run(reply);
  return prepared;
};

describe('the dispatcher', () => {
  it('refuses wrong input before anything is on record', async () => {
    expect(await give('far too long')).toMatchObject({
      kind: 'refused',
      text: expect.stringMatching(/`text` has 12 characters; at most 8 are allowed/),
      faults: [{ option: 'text', code: 'too-long', given: '12', allowed: '8' }],
    });
    expect(ran).toEqual([]);
    expect(await database.selectFrom('jobs').selectAll().execute()).toEqual([]);
  });

  it('tells why it failed to its requester alone, and leaves nothing, if somebody deletes the question meanwhile', async () => {
    reply = {
      ...reply,
      say: async () => {
        await createJobs(database).markDeleted('job1', 'question');
        throw new Error('no');
      },
      replace: async () => void said.push({ text: 'replaced' }),
    };
    await give('hi');
    expect(said).toEqual([]);
    expect(whispered).toEqual([{ text: 'explained' }]);
    expect(taken).toEqual(['job1']);
  });

  it('answers in the language of the person', async () => {
    const chinese = await give('far too long', 'event', person('wang', { locale: 'zh-CN' }));
    expect(chinese).toMatchObject({ text: expect.stringContaining('最多允许 8 个') });
  });

  it('answers an event once, however often it arrives', async () => {
    await Promise.all([give('hello'), give('hello'), give('hello')]);
    expect(said).toEqual([{ text: 'hello' }]);
    await give('hello', 'another event');
    expect(said).toHaveLength(2);
  });

  it('starts what comes after an event that came again, and isn’t run for that, without a wait', async () => {
    after = () => () => {};
    await give('hello');
    const again = await accepted(dispatcher.prepare(typed('hello', 'event')));
    expect(await again.record()).toBe(false);
    await give('world', 'another event');
    expect(said).toEqual([{ text: 'hello' }, { text: 'world' }]);
  });

  it('refuses nothing whose event comes again, if the command has begun: its cost may be why', async () => {
    await give('hello');
    rules = async () => ({ kind: 'refused', text: 'no credits left', reason: 'budget' });
    const again = await give('hello');
    expect(again).toMatchObject({ kind: 'accepted', seenBy: 'channel' });
    expect(again.kind === 'accepted' && (await again.record())).toBe(false);
    expect(await give('hello', 'another event')).toMatchObject({ kind: 'refused' });
  });

  it('records what follows an event that another process answers after that', async () => {
    const theirs = dispatcher.takeTurn('ann', address);
    const mine = await accepted(dispatcher.prepare(typed('second', 'second')));
    const recorded = mine.record();
    const left = dispatcher.leaveToOther(theirs, 'first');
    const jobs = createJobs(database);
    for (let turns = 0; turns < 20; turns++) await nextTurn();
    expect(await jobs.ofEvent('second')).toBeUndefined();
    await jobs.add({ ...jobCalled('elsewhere', { command: 'echo' }), eventId: 'first' }, 'first');
    await left;
    expect(await recorded).toBe(true);
  });

  it('works a burst off after its acknowledgements, in the order in which it came', async () => {
    const texts = Array.from({ length: 500 }, (_, index) => String(index));
    const given = texts.map(async (text, index) => {
      const requester = person(`person ${index % 200}`);
      const prepared = await accepted(dispatcher.prepare(typed(text, `event ${text}`, requester)));
      await prepared.record();
      return prepared;
    });
    const works: Promise<void>[] = [];
    for (const [index, prepared] of (await Promise.all(given)).entries()) {
      // Ten acknowledgements in a turn of the event loop, 2 ms each.
      now += 2;
      works.push(prepared.run(reply));
      if (index % 10 === 9) await nextTurn();
    }
    expect(ran.length).toBeLessThanOrEqual(1_000 / 50 + 1);
    await Promise.all(works);
    expect(ran).toEqual(texts.map((text) => ({ text })));
    expect(said).toEqual(texts.map((text) => ({ text })));
  });

  it('makes a sentence of a fault, and notes how a job ended', async () => {
    await give('fault', 'one');
    await give('fine', 'two');
    expect(said).toMatchObject([{ text: 'explained', whose: { command: 'echo' } }, { text: 'fine' }]);
    expect(failures[0]).toMatchObject({ id: 'job1', options: { text: 'fault' } });
    const states = await database.selectFrom('jobs').select(['id', 'state']).orderBy('id').execute();
    expect(states).toEqual([
      { id: 'job1', state: 'failed' },
      { id: 'job2', state: 'done' },
    ]);
  });

  it('keeps what only administrators may do to them', async () => {
    const request = { eventId: 'e', command: 'secret', options: {}, address };
    expect((await dispatcher.prepare({ ...request, requester: ann })).kind).toBe('refused');
    const accepted = dispatcher.prepare({ ...request, requester: person('ann', { administrator: true }) });
    expect(await accepted).toMatchObject({ kind: 'accepted', seenBy: 'requester' });
  });

  it('lets a button run a command again, with the job behind it', async () => {
    await give('hey');
    await press(actionId('echo', 'louder', 'job1'));
    await press(actionId('echo', 'again', 'job1'));
    expect(said.map(({ text }) => text)).toEqual(['hey', 'hey!', 'hey']);
  });

  it('shows only the requester what a private command says when a button runs it again', async () => {
    const requester = person('ann', { administrator: true });
    const request = { eventId: 'e', command: 'secret', options: {}, address, requester };
    await (await accepted(dispatcher.prepare(request))).run(reply);
    const again = actionId('secret', 'again', 'job1');
    expect(await press(again, requester)).toMatchObject({ kind: 'accepted', seenBy: 'requester' });
    expect(ran).toEqual(['secret', 'secret']);
  });

  describe('a command with the option private', () => {
    const onlyForAnn = { ...address, onlyFor: 'ann' };
    const ask = async (options: RawValues) => {
      const request = { eventId: 'e', command: 'quiet', options, address, requester: ann };
      const prepared = await accepted(dispatcher.prepare(request));
      await prepared.run(reply);
      return prepared;
    };

    it('shows its answer to the channel, or to its requester alone if that is chosen', async () => {
      expect(await ask({ private: 'true' })).toMatchObject({ seenBy: 'requester' });
      expect(ran).toEqual([{ private: true }, onlyForAnn]);
    });

    it('is public by default, and if private:false is typed', async () => {
      expect(await ask({})).toMatchObject({ seenBy: 'channel' });
      expect(ran).toEqual([{}, address]);
      ran.length = 0;
      rules = hiding;
      expect(await press(actionId('quiet', 'again', 'job1'))).toMatchObject({ seenBy: 'channel' });
    });

    it('is private where a default says so, which typed values override', async () => {
      rules = hiding;
      expect(await ask({ private: false })).toMatchObject({ seenBy: 'channel' });
      await database.deleteFrom('jobs').execute();
      expect(await ask({})).toMatchObject({ seenBy: 'requester' });
    });

    it('stays private when a button runs it again, unless the button says otherwise', async () => {
      await ask({ private: true });
      expect(await press(actionId('quiet', 'again', 'job1'))).toMatchObject({ seenBy: 'requester' });
      expect(await press(actionId('quiet', 'open', 'job1'))).toMatchObject({ seenBy: 'channel' });
      const hidden = [{ private: true }, onlyForAnn];
      expect(ran).toEqual([...hidden, ...hidden, { private: false }, address]);
    });

    it('stays private when its question is answered', async () => {
      rules = asking(question);
      await ask({ private: true });
      rules = allowing;
      expect(await press(actionId('quiet', 'yes', 'job1'))).toMatchObject({ seenBy: 'requester' });
      expect(ran).toEqual([{ private: true }, onlyForAnn]);
    });
  });

  it('tells others why a button is not theirs, moderators excepted where they may', async () => {
    await give('hey');
    const louder = actionId('echo', 'louder', 'job1');
    expect(await press(louder, person('eve'))).toMatchObject({ kind: 'refused', text: words('en').notYours });
    const mod = person('mod', { moderator: true });
    expect(await press(louder, mod)).toMatchObject({ kind: 'accepted' });
    expect(await press(actionId('echo', 'change', 'job1'), mod)).toMatchObject({ kind: 'refused' });
  });

  it('refuses a made-up button from another channel; the requester can press it in a direct message', async () => {
    await give('hey');
    const elsewhere = (requester: Person, more: Partial<Address> = {}) => {
      const at = { ...address, channel: 'another', ...more };
      const request = { eventId: 'forged', actionId: actionId('echo', 'louder', 'job1'), requester };
      return dispatcher.preparePress({ ...request, address: at, message: { ...at, message: 'm' } });
    };
    const gone = { kind: 'refused', text: words('en').buttonNotHere };
    expect(await elsewhere(person('mod', { moderator: true }))).toEqual(gone);
    expect(await elsewhere(ann)).toEqual(gone);
    expect(await elsewhere(person('eve', { direct: true }))).toEqual(gone);
    expect(await elsewhere(ann, { channel: address.channel, platform: 'slack' })).toEqual(gone);
    expect(await elsewhere(person('ann', { direct: true }))).toMatchObject({ kind: 'accepted' });
    expect(await elsewhere(ann, { channel: address.channel, thread: 't' })).toMatchObject({
      kind: 'accepted',
    });
  });

  it('says so when what a button belonged to is gone', async () => {
    for (const id of ['echo.louder:never', 'echo.nothing:job1', 'nothing.again:job1', 'no button of ours']) {
      expect(await press(id)).toMatchObject({ kind: 'refused', text: words('en').buttonExpired });
    }
  });

  it('opens a form filled with what the job has, and checks what comes back', async () => {
    await give('hey');
    const change = actionId('echo', 'change', 'job1');
    expect(await press(change)).toMatchObject({
      kind: 'form',
      form: { fields: ['text'], values: { text: 'hey' } },
    });
    expect(await press(change, ann, { text: 'far too long' })).toMatchObject({
      kind: 'refused',
      faults: [{ option: 'text', code: 'too-long' }],
    });
    await press(change, ann, { text: 'ho' });
    expect(said.at(-1)).toEqual({ text: 'ho' });
  });

  it('uses the whole of a text whose beginning alone fits into a form’s input, if that comes back as it was', async () => {
    await give('one two');
    const change = (values?: Record<string, string>) =>
      press(actionId('echo', 'change', 'job1'), ann, values, { maxInput: 5 });
    expect(await change()).toMatchObject({ kind: 'form', form: { values: { text: 'one…' }, cut: ['text'] } });
    await change({ text: ' one…\r\n' });
    expect(said.at(-1)).toEqual({ text: 'one two' });
    await change({ text: 'one.' });
    expect(said.at(-1)).toEqual({ text: 'one.' });
  });

  it('has a word for those who come while it stops, and waits for what is under way', async () => {
    const gate = Promise.withResolvers<void>();
    reply = { ...reply, say: () => gate.promise.then(() => message) };
    const running = give('hello');
    const stopping = dispatcher.stop();
    expect(await give('more', 'later')).toMatchObject({ kind: 'refused', text: words('en').shuttingDown });
    gate.resolve();
    await Promise.all([running, stopping]);
  });

  /** Whether a process that stops waits, or has ended what it had taken on. */
  const stops = async () => {
    let how = 'waits';
    void dispatcher.stop(new Promise(() => {})).then(() => {
      how = 'stopped';
    });
    for (let turns = 0; turns < 50; turns++) await nextTurn();
    return () => how;
  };
  const pressed = { eventId: 'next', address, message, requester: ann };

  it.each(['a command', 'a button’s command', 'a button’s effect', 'a yes'])(
    'waits for %s that it has taken on and not begun yet, too',
    async (what) => {
      rules = dear;
      await give('hey');
      await give('dear', 'another event');
      const yes = said.at(-1)?.buttons?.[0]?.id ?? '';
      const names = { 'a button’s command': 'louder', 'a button’s effect': 'wave' };
      const action =
        what === 'a yes' ? yes : actionId('echo', names[what as keyof typeof names] ?? '', 'job1');
      const prepared = await accepted(
        what === 'a command'
          ? dispatcher.prepare(typed('ho', 'next'))
          : dispatcher.preparePress({ ...pressed, actionId: action }),
      );
      await prepared.record();
      const how = await stops();
      expect(how()).toBe('waits');
      await prepared.run(reply);
      await expect.poll(how).toBe('stopped');
    },
  );

  it.each(['stands', 'was answered'])('waits for no question that was asked and %s', async (how) => {
    rules = dear;
    await give('dear');
    if (how === 'was answered') await press(said[0]?.buttons?.[0]?.id ?? '');
    expect((await stops())()).toBe('stopped');
  });

  it('asks once about a press that comes to two processes at once: the question of the first stays', async () => {
    await give('hey');
    rules = asking(question);
    const both = [1, 2].map(() =>
      accepted(dispatcher.preparePress({ ...pressed, actionId: actionId('echo', 'louder', 'job1') })),
    );
    for (const one of await Promise.all(both)) if (await one.record()) await one.run(reply);
    expect(said).toMatchObject([{ text: 'hey' }, { text: question }]);
    expect(await press(said[1]?.buttons?.[0]?.id ?? '')).toMatchObject({ kind: 'accepted' });
    expect(ran).toHaveLength(2);
  });

  it('waits no longer than it’s given for what nobody begins', async () => {
    await dispatcher.prepare(typed('hello', 'event'));
    await dispatcher.stop();
    expect(said).toEqual([]);
  });
});

describe('the rules of a place', () => {
  const asked = () => [...said, ...whispered].find(({ text }) => text === question);
  const buttonOf = (index: number) => asked()?.buttons?.[index]?.id ?? '';

  it('are asked once about a command, and once about a button that runs one; before its form, whether its person may use it', async () => {
    const judged: unknown[] = [];
    rules = async (...of) => {
      judged.push(of[2].opensForm ? 'a form' : of[1].text);
      return allowing(...of);
    };
    await give('hey');
    expect(judged.splice(0)).toEqual(['hey']);
    await press(actionId('echo', 'louder', 'job1'));
    expect(judged.splice(0)).toEqual(['hey!']);
    await press(actionId('echo', 'change', 'job1'));
    expect(judged.splice(0)).toEqual(['a form']);
    await press(actionId('echo', 'change', 'job1'), ann, { text: 'ho' });
    expect(judged.splice(0)).toEqual(['ho']);
    expect(said.map(({ text }) => text)).toEqual(['hey', 'hey!', 'ho']);
  });

  it('hand the settings they read to the command: those of the press where a button runs it', async () => {
    let read = 0;
    rules = async (_, values) => ({ kind: 'allowed', values, settings: { read: ++read } });
    await give('hey');
    await press(actionId('echo', 'louder', 'job1'));
    const reading = rules;
    rules = async (...of) => ({ ...(await reading(...of)), ...(read === 3 && { question }) });
    await give('dear', 'another event');
    await press(buttonOf(0));
    expect(settings).toEqual([{ read: 1 }, { read: 2 }, { read: 4 }]);
  });

  it('refuse before anything is on record, and fill in what the place has chosen', async () => {
    rules = async (_, values) =>
      values.text === 'no'
        ? { kind: 'refused', text: 'not here' }
        : { kind: 'allowed', values: { text: 'here' }, settings: {} };
    expect(await give('no')).toEqual({ kind: 'refused', text: 'not here' });
    await give('yes');
    expect(said).toEqual([{ text: 'here' }]);
    expect(await database.selectFrom('jobs').select('options').execute()).toEqual([
      { options: '{"text":"here"}' },
    ]);
  });

  it('have a question asked of the requester alone; the command waits for their yes', async () => {
    rules = dear;
    expect(await give('dear')).toMatchObject({ kind: 'accepted', seenBy: 'requester' });
    expect(ran).toEqual([]);
    expect(await press(buttonOf(0))).toMatchObject({ kind: 'accepted', seenBy: 'channel' });
    expect(ran).toEqual([{ text: 'dear' }]);
    expect(edited).toEqual([{ text: words('en').question.said }]);
    const states = await database.selectFrom('jobs').select(['id', 'state']).execute();
    expect(states).toEqual([{ id: 'job1', state: 'done' }]);
  });

  it('have it asked once, however often the command arrives, and answered once', async () => {
    rules = dear;
    await Promise.all([give('dear'), give('dear')]);
    expect(said).toHaveLength(1);
    const answers = await Promise.all([press(buttonOf(0)), press(buttonOf(0)), press(buttonOf(1))]);
    expect(answers.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(whispered.filter(({ text }) => text === words('en').question.answered)).toHaveLength(2);
    expect(await press(buttonOf(0))).toEqual({ kind: 'refused', text: words('en').question.answered });
    expect(ran.length).toBeLessThanOrEqual(1);
  });

  it('let a yes that came to nothing be given again', async () => {
    rules = dear;
    await give('dear');
    const states = () => database.selectFrom('jobs').select('state').execute();
    const answer = async (eventId: string) => {
      const request = { eventId, actionId: buttonOf(0), address, message, requester: ann };
      return accepted(dispatcher.preparePress(request));
    };
    const unseen = await answer('one');
    await unseen.abandon();
    expect(await states()).toEqual([{ state: 'asked' }]);
    const late = await answer('two');
    await late.record();
    expect(await states()).toEqual([{ state: 'running' }]);
    // Of another event, and too late to take anything back.
    await unseen.abandon();
    expect(await states()).toEqual([{ state: 'running' }]);
    await late.abandon();
    expect(await states()).toEqual([{ state: 'asked' }]);
    await (await answer('three')).run(reply);
    expect(ran).toEqual([{ text: 'dear' }]);
  });

  it('do nothing after a no, and say so even where a private message cannot be changed', async () => {
    rules = dear;
    edits = false;
    await give('dear');
    expect(await press(buttonOf(1))).toMatchObject({ kind: 'accepted', seenBy: 'nobody' });
    expect(whispered).toEqual([{ text: words('en').question.declined }]);
    expect(await press(buttonOf(0))).toMatchObject({ kind: 'refused' });
    expect(ran).toEqual([]);
  });

  it('let nobody else answer, nor anybody too late, nor where they refuse by now', async () => {
    rules = dear;
    await give('dear');
    expect(await press(buttonOf(0), person('eve', { moderator: true }))).toMatchObject({ kind: 'refused' });
    rules = async () => ({ kind: 'refused', text: 'spent by now' });
    expect(await press(buttonOf(0))).toEqual({ kind: 'refused', text: 'spent by now' });
    rules = dear;
    now += 15 * 60_000 + 1;
    expect(await press(buttonOf(0))).toMatchObject({ kind: 'refused', text: words('en').question.tooOld });
    expect(ran).toEqual([]);
  });

  it('hold for buttons as for what is typed', async () => {
    await give('hey');
    rules = asking(question);
    const louder = actionId('echo', 'louder', 'job1');
    expect(await press(louder)).toMatchObject({ kind: 'accepted', seenBy: 'requester' });
    expect(ran).toHaveLength(1);
    await press(buttonOf(0));
    expect(ran).toEqual([{ text: 'hey' }, { text: 'hey!' }]);
    rules = async () => ({ kind: 'refused', text: 'off here' });
    expect(await press(louder)).toEqual({ kind: 'refused', text: 'off here' });
  });
});

describe('ids of buttons', () => {
  it('fit into the strictest limit and come apart again', () => {
    const id = actionId('imagine', 'to_video', 'A'.repeat(22));
    expect(id.length).toBeLessThanOrEqual(100);
    expect(parseActionId(id)).toEqual({ command: 'imagine', action: 'to_video', jobId: 'A'.repeat(22) });
  });
});
