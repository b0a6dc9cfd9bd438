import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alone } from '../../src/coordination/index.ts';
import { Credits } from '../../src/credits/index.ts';
import { LocalFaults } from '../../src/lib/local-faults.ts';
import { type Address, PlatformError } from '../../src/port/index.ts';
import type { RendersDependencies } from '../../src/renders/dependencies.ts';
import { Renders } from '../../src/renders/index.ts';
import { ratesPerMinute } from '../../src/service-rules/limits.ts';
import {
  AddressRefusedError,
  AuthenticationError,
  BadResponseError,
  ConnectionError,
  ContentRefusedError,
  NotFoundError,
  PermissionError,
  QueueFullError,
  RejectedRequestError,
  ResultGoneError,
  ServerError,
  TooLargeError,
} from '../../src/service/index.ts';
import { createJobs, type Database, type FileStore, FolderFiles } from '../../src/store/index.ts';
import { words } from '../../src/words/index.ts';
import { FakeClock, settle } from '../fakes/clock.ts';
import { openMigrated } from '../fakes/database.ts';
import { jobCalled, renderRow, rendersUnderWay } from '../fakes/records.ts';
import { unwatched } from '../fakes/unwatched.ts';
import { isLong } from '../long-form.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import {
  address,
  link,
  Place,
  presenter,
  progressMessage,
  ready,
  running,
  ScriptedService,
} from './support/service-and-place.ts';

const say = words('en');
const job = jobCalled('job1', { command: 'video', options: { prompt: 'a cat' } });

const minute = 60_000;
const hour = 60 * minute;
/** What is tried again is due within so long; what watches over a whole delivery isn't. */
const soon = 10 * minute;
type Facts = ConstructorParameters<typeof ServerError>[1];
/** What's known of a call that the service refused. */
const refusal = (operation: Facts['operation'], status?: number): Facts => ({
  ...{ operation, outcome: 'rejected', retryable: false, status },
});
/** The same of one that came to an unknown end. */
const unclear = (operation: Facts['operation'], status?: number): Facts => ({
  ...{ operation, outcome: 'unknown', retryable: true, status },
});
const away = new ConnectionError('away', unclear('video-status'));
/** What Node says of a disk without room. */
const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
  code: 'ENOSPC',
  syscall: 'write',
});

let folder: string;
let clock: FakeClock;
let database: Database;
let service: ScriptedService;
let place: Place;
let renders: Renders;
let troubles: LocalFaults;
let spool: FileStore;
let draws = 0;

const create = (more: Partial<RendersDependencies> = {}) =>
  new Renders({
    database,
    jobs: createJobs(database),
    service: service.dependencies,
    credits: new Credits({ database, clock }),
    adapters: () => place,
    presenters: { image: presenter, video: presenter },
    spool,
    troubles,
    watch: unwatched(),
    clock,
    // What one that died left is its successor's, as after a takeover.
    coordination: { ...alone(), process: 'this one' },
    // Evenly spread and the same in every run.
    random: () => {
      draws += 1;
      return (draws * 0.618_033_988_75) % 1;
    },
    log: { info: () => {}, warn: () => {} },
    ...more,
  });

beforeEach(async () => {
  folder = await temporaryFolder();
  clock = new FakeClock();
  draws = 0;
  database = await openMigrated();
  await createJobs(database).add(job, 'event');
  service = new ScriptedService(clock);
  place = new Place();
  troubles = new LocalFaults();
  spool = new FolderFiles(join(folder, 'spool'));
  renders = create();
});
afterEach(async () => {
  await renders.close();
  await database.destroy();
});

const order = {
  job,
  kind: 'video',
  request: { prompt: 'a cat' },
  conversationId: 'conversation',
  message: progressMessage,
} as const;
const begin = () => renders.begin(order);
const underWay = () => rendersUnderWay(database);
const state = async () =>
  (await database.selectFrom('renders').select('state').executeTakeFirstOrThrow()).state;
/** Lets the render go on, through whatever it waits for, until it is in this state and at rest. */
const until = async (wanted: string) => {
  // Where no timer waits it is the disk or the database that does, in its own time.
  while ((await state()) !== wanted) if (!(await clock.runNext(soon))) await settle();
  if (['delivered', 'failed', 'uncertain'].includes(wanted)) while ((await underWay()) > 0) await settle();
};
const faultOnRecord = async () =>
  JSON.parse((await database.selectFrom('renders').select('fault').executeTakeFirstOrThrow()).fault ?? '');
/** It's made, and can't be fetched. */
const isLost = (error: Error) => {
  service.statuses = [ready];
  service.download_ = () => Promise.reject(error);
};
const stateLike = (wanted: string) =>
  database
    .updateTable('renders')
    .set({ state: wanted as 'waiting' })
    .execute();
/** It has been running, or nothing was told of it, for so long already: the first day is full of questions. */
const hasBeen = (how: 'waited_ms' | 'unanswered_ms', milliseconds: number) =>
  database
    .updateTable('renders')
    .set({ [how]: milliseconds })
    .execute();

/** Puts renders on record that a former process waited for, each in a channel of its own. */
const addMany = async (count: number, state: 'waiting' | 'ready' = 'waiting') => {
  const jobs = createJobs(database);
  for (let number = 0; number < count; number++) {
    const id = `many${number}`;
    await jobs.add({ ...job, id }, `event of ${id}`);
    const message = JSON.stringify({ ...progressMessage, channel: `channel ${number}` });
    const result = state === 'ready' ? JSON.stringify({ contentType: 'video/mp4', bytes: 3 }) : null;
    const times = { created_at: clock.now(), updated_at: clock.now() };
    await database
      .insertInto('renders')
      .values(renderRow(id, { state, message, result, ...times }))
      .execute();
  }
};

it('that comes due again while this process is at work on it waits for room like all others', async () => {
  await addMany(32);
  const asleep = { process: null, wakes_at: clock.now(), pending: JSON.stringify({ spacing: 1_000 }) };
  await database.updateTable('renders').set(asleep).execute();
  const reached = async (isSo: () => boolean) => {
    for (let turn = 0; turn < 500 && !isSo(); turn++) await settle();
    expect(isSo()).toBe(true);
  };
  const answered = Promise.withResolvers<void>();
  service.answer = () => answered.promise.then(() => running());
  const send = service.holdSubmits();
  await begin();
  await reached(() => service.submits === 1);
  // Another process has taken it over and put it to sleep: it's due before the others.
  const due = { ...asleep, wakes_at: 0 };
  await database.updateTable('renders').set(due).where('id', '=', job.id).execute();
  await renders.resume();
  await reached(() => service.polls.length === 32);
  send();
  for (let turn = 0; turn < 20; turn++) await settle();
  const atOnce = service.polls.length;
  answered.resolve();
  expect(atOnce).toBe(32);
  while (!service.asked.includes('task1')) if (!(await clock.runNext(soon))) await settle();
});

describe('where nobody hears what is deleted for now', () => {
  let isHeard: boolean;
  /** How often it was looked whether somebody does. */
  let asked: number;
  beforeEach(async () => {
    asked = 0;
    await renders.close();
    const hears = async (at: Address) => {
      expect(at).toEqual(address);
      asked += 1;
      return isHeard;
    };
    renders = create({ hears });
    service.statuses = [ready];
  });
  const looksInVain = async () => {
    const before = asked;
    while (asked < before + 3) if (!(await clock.runNext(soon))) await settle();
  };
  const deleteIt = () => createJobs(database).markDeleted(job.id, 'question');

  it('a render isn’t sent before somebody does', async () => {
    isHeard = false;
    await begin();
    await looksInVain();
    expect([service.submits, await state()]).toEqual([0, 'reserved']);
    isHeard = true;
    await until('delivered');
    expect(service.submits).toBe(1);
  });

  it('one that was deleted is never sent, though its turn came meanwhile', async () => {
    isHeard = true;
    const { came, open } = service.holdQueue();
    await begin();
    await came;
    isHeard = false;
    open();
    await looksInVain();
    expect([service.submits, await state()]).toEqual([0, 'reserved']);
    await deleteIt();
    isHeard = true;
    await until('failed');
    expect(service.submits).toBe(0);
  });

  it('a result that’s asked about and fetched meanwhile isn’t posted where its question was deleted', async () => {
    isHeard = true;
    await begin();
    await until('waiting');
    isHeard = false;
    await until('ready');
    await looksInVain();
    expect([service.downloads, place.tried]).toEqual([1, []]);
    await deleteIt();
    isHeard = true;
    await until('delivered');
    expect([...place.posts.keys()]).toEqual(['job1:ready:direct']);
  });
});

describe('a result that does not get through', () => {
  const refusing = () => {
    service.statuses = [ready];
    place.refuses = (message) => (message.files ? new PlatformError('unreachable') : undefined);
  };

  /** Begun, and not taken: the clock stands still until then. */
  const tried = async () => {
    await until('ready');
    while (place.tried.length === 0) await settle();
  };

  it('is announced once after a quarter of an hour, at its place', async () => {
    refusing();
    await begin();
    await tried();
    await clock.advance(14 * minute);
    expect([...place.posts.keys()]).toEqual([]);
    await clock.advance(2 * hour);
    expect(place.posts.get('job1:late-word')).toEqual({
      text: say.notPostedYet.here,
      directly: say.notPostedYet.directly,
      mentions: ['ann'],
    });
    expect(place.tried.filter((key) => key.endsWith('late-word'))).toHaveLength(1);
    place.refuses = () => undefined;
    await until('delivered');
    expect(place.files).toEqual([[1, 2, 3]]);
  });

  it('is announced later where the place took nothing then', async () => {
    service.statuses = [ready];
    place.refuses = () => new PlatformError('unreachable');
    await begin();
    await tried();
    await clock.advance(16 * minute);
    refusing();
    await clock.advance(15 * minute);
    expect(place.tried.filter((key) => key.endsWith('late-word'))).toHaveLength(2);
    expect(place.posts.has('job1:late-word')).toBe(true);
  });

  it('is not announced where its place refuses that', async () => {
    service.statuses = [ready];
    place.refuses = ({ files }) => new PlatformError(files ? 'unreachable' : 'no-permission');
    await begin();
    await tried();
    await clock.advance(2 * hour);
    // There, and directly.
    expect(place.tried.filter((key) => key.endsWith('late-word'))).toHaveLength(2);
  });
});

describe('hundreds of renders', () => {
  it('are resumed together, each asked about, within the budget of status queries', async () => {
    // Their budget binds them either way; a tenth as many have had their rounds in a tenth of the time.
    const count = isLong ? 1_000 : 100;
    const minutes = (of: number) => (of * count) / 1_000;
    await addMany(count);
    const begin = clock.now();
    expect(await renders.resume()).toBe(count);
    expect(await underWay()).toBe(count);
    // One timer for all of them.
    await settle();
    expect(clock.pending).toBe(1);
    // Two rounds of every render, whatever the draw: the longest wait is one and a half of the mean.
    while (clock.now() < begin + minutes(32) * 60_000) await clock.runNext();
    const perMinute = Map.groupBy(service.polls, (at) => Math.floor((at - begin) / 60_000));
    for (const [minute, polls] of perMinute) {
      if (minute > minutes(15)) expect(polls.length).toBeLessThanOrEqual(ratesPerMinute.status);
    }
    expect(new Set(service.asked).size).toBe(count);
  });

  it('that wait for their platform keep no other from being asked about', async () => {
    await addMany(100, 'ready');
    for (let number = 0; number < 100; number++)
      await spool.write(`many${number}`, Readable.from([Buffer.from([1, 2, 3])]));
    const away = new PlatformError('unreachable');
    place.refuses = (_, key) => (key.startsWith('many') ? away : undefined);
    service.statuses = [running(), ready];
    await renders.resume();
    await begin();
    while (!place.posts.has('job1:ready')) if (!(await clock.runNext(soon))) await settle();
    while ((await underWay()) > 100) await settle();
    // Some may have waited so long meanwhile that who asked is told.
    expect(new Set(place.tried.filter((key) => !key.endsWith(':late-word'))).size).toBe(101);
  });

  it('are found by their place', async () => {
    await addMany(300);
    const found = await renders.underWayAt({ ...address, channel: 'channel 7' }, 'ann');
    expect(found.map((one) => one.job?.id)).toEqual(['many7']);
    expect(await renders.open()).toHaveLength(300);
  });
});

describe('a render', () => {
  it('is submitted once, asked about, fetched once and posted once', async () => {
    service.statuses = [running(), running(0.5), ready];
    await begin();
    await until('delivered');
    expect(service).toMatchObject({ submits: 1, downloads: 1 });
    expect([...place.posts.keys()]).toEqual(['job1:ready']);
    expect(place.files).toEqual([[1, 2, 3]]);
    expect(place.shown.at(-1)).toBe('made');
    expect(await readdir(join(folder, 'spool'))).toEqual([]);
  });

  it('shows progress as the service tells it, at most every five seconds', async () => {
    service.statuses = [running(0.1), running(0.2), running(0.3), running(0.9), ready];
    await begin();
    await until('delivered');
    expect(place.shown.slice(0, -1)).toEqual(['2000 0.1', '8000 0.9']);
  });

  it('asks on, and is posted, while an edit that shows its progress hangs', async () => {
    service.statuses = [running(0.1), running(0.2), running(0.3), ready];
    place.edit = async (_, __, { optional } = {}) => (optional ? new Promise<never>(() => {}) : undefined);
    await begin();
    while (service.polls.length < 4) if (!(await clock.runNext(soon))) await settle();
    while (!place.posts.has('job1:ready')) await settle();
    expect(service.submits).toBe(1);
  });

  it('shows no more progress once the place has refused it, and leaves out what there is no room for', async () => {
    service.statuses = [...Array.from({ length: 12 }, (_, index) => running(index / 12)), ready];
    let edits = 0;
    place.edit = async (_, { text = '' }, { optional = false } = {}) => {
      if (text !== 'made') expect(optional).toBe(true);
      edits++;
      throw new PlatformError(edits === 1 ? 'unreachable' : 'no-permission');
    };
    await begin();
    await until('delivered');
    // One that may work later, one that was refused for good, and the announcement's end.
    expect(edits).toBe(3);
  });

  it('goes on after the process died while it waited, without another submit', async () => {
    service.statuses = [running()];
    await begin();
    await until('waiting');
    await renders.close();

    service.statuses = [ready];
    renders = create();
    await renders.resume();
    await until('delivered');
    expect(service.submits).toBe(1);
  });

  it('is submitted after the process died before that', async () => {
    const now = clock.now();
    const row = renderRow('job1', { state: 'reserved', task_id: null, created_at: now, updated_at: now });
    await database.insertInto('renders').values(row).execute();
    service.statuses = [ready];
    await renders.resume();
    await until('delivered');
    expect(service.submits).toBe(1);
  });

  it('is never submitted a second time when the process died in the middle of it', async () => {
    service.submit = () => new Promise(() => {});
    await begin();
    await until('submitting');

    service.submit = async () => {
      throw new Error('not to be called');
    };
    renders = create();
    await renders.resume();
    await until('uncertain');
    expect(service.submits).toBe(1);
    expect([...place.posts]).toEqual([['job1:ended', { text: 'uncertain' }]]);
  });

  it('is uncertain when the connection was lost in the middle of the submit', async () => {
    service.submit = () => Promise.reject(new ConnectionError('lost', unclear('video')));
    await begin();
    await until('uncertain');
    expect(service.submits).toBe(1);
  });

  it.each([
    ['a failure', new ServerError('the service answered 500', unclear('video', 500))],
    ['that somebody gave up waiting', new RejectedRequestError('499', unclear('video', 499))],
    ['something else than a task', new BadResponseError('a page', unclear('video', 200))],
  ])('is uncertain when the service answered its submit with %s, and says that', async (_, error) => {
    service.submit = () => Promise.reject(error);
    await begin();
    await until('uncertain');
    expect(service.submits).toBe(1);
    expect(place.posts.get('job1:ended')).toEqual({ text: 'uncertain server' });
  });

  it('fails with a reason when the service did not take it', async () => {
    service.submit = () => Promise.reject(new AuthenticationError('no', refusal('video', 401)));
    await begin();
    await until('failed');
    expect(place.posts.get('job1:ended')).toEqual({ text: 'failed not-sent' });
  });

  it('fails for the many that wait when it was turned away', async () => {
    service.submit = () => Promise.reject(new QueueFullError(150, 'image'));
    await begin();
    await until('failed');
    expect(await faultOnRecord()).toEqual({ code: 'not-sent', error: 'rate-limit' });
  });

  it('fails without words of our own when it was refused without a reason', async () => {
    const error = new RejectedRequestError('the service answered 413', refusal('image', 413));
    service.submit = () => Promise.reject(error);
    await begin();
    await until('failed');
    expect(await faultOnRecord()).toEqual({ code: 'refused' });
  });

  it('fails with the words of the service when it could not be made', async () => {
    service.statuses = [{ state: 'failed', results: [], error: 'too many cats' }];
    await begin();
    await until('failed');
    expect(await faultOnRecord()).toEqual({ code: 'failed', reason: 'too many cats' });
  });

  it('may be charged for where its service has dropped it: it may have been made before', async () => {
    const call = { job, budgets: [], conversationId: 'conversation', kind: 'video', model: 'm' } as const;
    await new Credits({ database, clock }).reserve({
      ...call,
      quantity: {},
      estimate: { low: 400, high: 400 },
    });
    service.statuses = [running(), { state: 'failed', results: [], isGone: true }];
    await begin();
    await until('failed');
    expect(await faultOnRecord()).toEqual({ code: 'task-gone' });
    const entry = await database.selectFrom('ledger').select(['state', 'high']).executeTakeFirstOrThrow();
    expect(entry).toEqual({ state: 'uncertain', high: 400_000_000 });
  });

  it('asks on when a status query fails, and again when fetching fails', async () => {
    const lost = away;
    service.statuses = [lost, lost, ready];
    let failures = 1;
    service.download_ = async () => {
      if (failures-- > 0) throw lost;
      return new Uint8Array([7]);
    };
    await begin();
    await until('delivered');
    expect(service).toMatchObject({ submits: 1, downloads: 2 });
  });

  it('says so in few lines of the log where the service is away for a day, and again once it’s back and gone', async () => {
    await renders.close();
    const lines: string[] = [];
    const log = { info: () => {}, warn: (_: object, message: string) => void lines.push(message) };
    renders = create({ log });
    service.statuses = [away];
    await begin();
    await until('waiting');
    const end = clock.now() + 24 * 3_600_000;
    while (clock.now() < end) if (!(await clock.runNext(soon))) await settle();
    expect(service.polls.length).toBeGreaterThan(1_000);
    expect(lines.length).toBeLessThan(40);
    const before = lines.length;
    service.statuses = [running(), away];
    const polls = service.polls.length;
    while (service.polls.length < polls + 3) if (!(await clock.runNext())) await settle();
    expect(lines.length).toBeGreaterThan(before);
  });

  it('gives up where the result is gone', async () => {
    isLost(new ResultGoneError('gone', refusal('download')));
    await begin();
    await until('failed');
    expect(place.posts.get('job1:ended')).toEqual({ text: 'failed result-gone' });
  });

  it('has failed where the answer to its question is that its content is refused', async () => {
    const about = { ...refusal('video-status', 400), serviceMessage: 'no cats' };
    service.statuses = [running(), new ContentRefusedError('400', about)];
    await begin();
    await until('failed');
    expect(await faultOnRecord()).toEqual({ code: 'failed', reason: 'no cats' });
    expect(service.polls).toHaveLength(2);
  });

  it('has failed where its question is answered by an error alone for as long as others take', async () => {
    const about = { ...unclear('video-status', 200), serviceMessage: 'no room for cats' };
    service.statuses = [running(), new ServerError('200', about)];
    await begin();
    await until('waiting');
    await clock.advance(50 * minute);
    expect(await state()).toBe('waiting');
    await clock.advance(15 * minute);
    await until('failed');
    expect(await faultOnRecord()).toEqual({ code: 'failed', reason: 'no room for cats' });
  });

  it.each([
    ['the service was away', away],
    ['it said nothing useful', new BadResponseError('a page', unclear('video-status', 200))],
  ])('goes on where an error alone comes once, after an hour in which %s', async (_, before) => {
    service.statuses = [running(), before];
    await begin();
    await until('waiting');
    await clock.advance(70 * minute);
    service.statuses = [new ServerError('200', unclear('video-status', 200)), ready];
    const isOver = async () => ['failed', 'delivered'].includes(await state());
    while (!(await isOver())) if (!(await clock.runNext(soon))) await settle();
    expect(await state()).toBe('delivered');
  });

  it.each([302, 403, 404, 405, 408, 409, 425])(
    'is asked about on where a refusal of the question, with %i, speaks of content',
    async (status) => {
      const refused = new ContentRefusedError(String(status), refusal('video-status', status));
      service.statuses = [running(), refused, refused, running()];
      await begin();
      const isOver = async () => ['failed', 'delivered'].includes(await state());
      while (service.polls.length < 4 && !(await isOver())) if (!(await clock.runNext(soon))) await settle();
      expect(service.polls).toHaveLength(4);
    },
  );

  it('is asked about on where the host of its result speaks of content', async () => {
    service.statuses = [ready];
    let failures = 3;
    service.download_ = async () => {
      if (failures-- > 0) throw new ContentRefusedError('403', refusal('download', 403));
      return new Uint8Array([7]);
    };
    await begin();
    await until('delivered');
    expect(service.downloads).toBe(4);
  });

  const notFound = new NotFoundError('404', refusal('video-status', 404));
  const notThere = new ResultGoneError('404', refusal('download', 404));
  /** Fails so often, then gives the file. */
  const there = (failures: number) => async () => {
    if (failures-- > 0) throw notThere;
    return new Uint8Array([7]);
  };

  it('takes a result that is not there yet in its first 30 seconds', async () => {
    service.statuses = [ready];
    service.download_ = there(4);
    await begin();
    await until('delivered');
    expect(service).toMatchObject({ submits: 1, downloads: 5 });
  });

  it.each([
    ['is there after 24 seconds', 4, 'delivered', 5],
    ['is there after some minutes', 9, 'delivered', 10],
    ['never is there', 99, 'failed', 12],
  ])(
    'made at once and named nothing, whose result %s, is asked for again',
    async (_, failures, end, tries) => {
      service.submit = async () => ({ id: undefined, status: ready, requestId: undefined });
      service.download_ = there(failures);
      await begin();
      await until(end);
      expect(service).toMatchObject({ submits: 1, polls: [], downloads: tries });
    },
  );

  it('is asked about again where the service does not know its task yet', async () => {
    service.statuses = [notFound, notFound, notFound, running(), ready];
    await begin();
    await until('delivered');
    expect(service.polls).toHaveLength(5);
  });

  it.each([
    ['says once that it does not know its task', [notFound]],
    ['forgets its task for minutes', Array.from({ length: 10 }, () => notFound)],
    [
      'forgets its task now and then',
      Array.from({ length: 40 }, (_, turn) => (turn % 3 === 2 ? running() : notFound)),
    ],
  ])('is not given up where a service that was at it %s', async (_, forgetful) => {
    service.statuses = [...Array.from({ length: 20 }, () => running()), ...forgetful, running(), ready];
    await begin();
    await until('delivered');
    expect(service.submits).toBe(1);
  });

  it('fails where the service goes on not to know its task, a few minutes later', async () => {
    service.statuses = [...Array.from({ length: 20 }, () => running()), notFound];
    await begin();
    await until('failed');
    expect(service.polls).toHaveLength(32);
    expect(place.posts.get('job1:ended')).toEqual({ text: 'failed task-gone' });
  });

  describe.each([
    ['doesn’t know its task', notFound],
    ['calls its task gone', { ...running(), state: 'failed', isGone: true } as const],
  ])('whose service %s for another account’s key', (_, unknown) => {
    const withKeyOf = async (account: string) => {
      await renders.close();
      service.account = account;
      renders = create();
      await renders.resume();
    };
    const askedFor = async (milliseconds: number) => {
      const end = clock.now() + milliseconds;
      while (clock.now() < end && (await state()) === 'waiting')
        if (!(await clock.runNext(soon))) await settle();
    };

    it('is delivered once the right key is back', async () => {
      await begin();
      await until('waiting');
      await askedFor(60_000);
      service.statuses = [unknown];
      await withKeyOf('theirs');
      await askedFor(4 * 3_600_000);
      expect(await state()).toBe('waiting');
      service.statuses = [running(), ready];
      await withKeyOf('ours');
      await until('delivered');
      expect(service.submits).toBe(1);
    });

    it('is given up after a day', async () => {
      await begin();
      await until('waiting');
      await askedFor(60_000);
      service.statuses = [unknown];
      await withKeyOf('theirs');
      await hasBeen('waited_ms', 24 * 3_600_000);
      await until('failed');
      expect(await faultOnRecord()).toEqual({ code: 'task-gone' });
    });
  });

  it('is looked for again where the name of its address leads to a private network for a while', async () => {
    service.statuses = [running(), ready];
    let failures = 6;
    service.download_ = async () => {
      if (failures-- > 0) throw new AddressRefusedError('private');
      return new Uint8Array([7]);
    };
    await begin();
    await until('delivered');
    expect(service.downloads).toBe(7);
  });

  it('is taken where an unknown state stays and has a result', async () => {
    const unclear = { word: 'served', status: ready };
    service.statuses = [running(), { ...running(), unclear }];
    await begin();
    await until('delivered');
    expect(service).toMatchObject({ submits: 1, downloads: 1 });
    expect(service.polls).toHaveLength(5);
  });

  it.each([
    ['gone', new ResultGoneError('404', refusal('download'))],
    ['refused', new AddressRefusedError('private')],
    ['forbidden', new PermissionError('403', refusal('download'))],
  ])('is taken from another address of its answer where the first is %s', async (_, error) => {
    const addresses = ['gone.mp4', 'cover.jpg', 'there.mp4'].map((name) => `https://results.example/${name}`);
    service.statuses = [{ state: 'ready', results: addresses.map((url) => ({ kind: 'url', url })) }];
    service.download_ = async (url) => {
      if (url.endsWith('gone.mp4')) throw error;
      return new Uint8Array([4, 5]);
    };
    await begin();
    await until('delivered');
    expect(service).toMatchObject({ submits: 1, downloads: 3 });
    expect(service.polls).toHaveLength(1);
    expect(place.files).toEqual([[4, 5]]);
  });

  const at = (...names: string[]) =>
    names.map((name) => ({ kind: 'url', url: `https://results.example/${name}` }) as const);
  const filmOnly = async (url: string) => new Uint8Array(url.endsWith('.jpg') ? [9, 9] : [4, 5]);

  it('is never the cover that comes first, though only its bytes say so', async () => {
    service.statuses = [{ state: 'ready', results: at('cover.jpg', 'there.mp4') }];
    service.download_ = filmOnly;
    await begin();
    await until('delivered');
    expect(place.files).toEqual([[4, 5]]);
  });

  it('is waited for where an unknown state stays and all there is proves to be a cover', async () => {
    const transcoding = {
      ...running(),
      unclear: { word: 'transcoding', status: { state: 'ready' as const, results: at('cover.jpg') } },
    };
    const film = { state: 'ready' as const, results: at('cover.jpg', 'there.mp4') };
    service.statuses = [...Array.from({ length: 60 }, () => transcoding), film];
    service.download_ = filmOnly;
    await begin();
    await until('delivered');
    expect(service.polls).toHaveLength(61);
    // Every fourth time it's looked at what there is.
    expect(service.downloads).toBe(17);
    expect(place.files).toEqual([[4, 5]]);
  });

  const served = { ...running(), unclear: { word: 'served', status: ready } };
  it.each([
    ['is not there', notThere],
    ['leads to a private network', new AddressRefusedError('private')],
    ['is forbidden', new PermissionError('403', refusal('download'))],
    ['breaks', new ServerError('502', unclear('download', 502))],
  ])('is waited for where an unknown state stays and the address of its result %s', async (_, error) => {
    service.statuses = [served];
    service.download_ = () => Promise.reject(error);
    await begin();
    await until('waiting');
    await hasBeen('waited_ms', 23 * hour);
    await clock.advance(4 * hour);
    expect(await state()).toBe('waiting');
    // Every fourth time that it's asked about.
    expect(service.downloads).toBeGreaterThan(10);
    expect(place.shown.at(-1)).toBe('late');
    service.statuses = [running(), ready];
    service.download_ = async () => new Uint8Array([7]);
    await until('delivered');
    expect(place.files).toEqual([[7]]);
    expect(service.submits).toBe(1);
  });

  it.each([
    ['with a result that is not there', served],
    [
      'with nothing',
      { ...running(), unclear: { word: 'simmering', status: { state: 'running' as const, results: [] } } },
    ],
  ])('is given up a week after its last known state where an unknown one stays, %s', async (_, status) => {
    service.statuses = [status];
    service.download_ = () => Promise.reject(notThere);
    await begin();
    await until('waiting');
    await hasBeen('unanswered_ms', 6 * 24 * hour);
    await clock.advance(0.9 * 24 * hour);
    expect(await state()).toBe('waiting');
    // Every five minutes since it was late.
    expect(service.polls.length).toBeLessThan(280);
    await until('failed');
    expect(place.posts.get('job1:ended')).toEqual({ text: 'failed unanswered' });
  });

  it('that fails once its state is known fails at once', async () => {
    service.statuses = [...Array.from({ length: 30 }, () => served), { state: 'failed', results: [] }];
    service.download_ = () => Promise.reject(notThere);
    await begin();
    await until('failed');
    expect(service.polls).toHaveLength(31);
    expect(place.posts.get('job1:ended')).toEqual({ text: 'failed failed' });
  });

  it.each([
    ['only its bytes say so', { results: at('cover.jpg') }],
    ['it says so', { results: [], others: at('cover.jpg') }],
    ['nothing else can be one', { results: [], others: [] }],
  ])(
    'fails, and says that it may be charged, where it is ready and of another kind: %s',
    async (_, holds) => {
      const credits = new Credits({ database, clock });
      const estimate = { low: 400, high: 400 };
      const call = { job, budgets: [], conversationId: 'conversation', kind: 'video', model: 'm' } as const;
      await credits.reserve({ ...call, quantity: {}, estimate });
      service.statuses = [{ state: 'ready', ...holds }];
      service.download_ = filmOnly;
      await begin();
      await until('failed');
      expect(service.polls).toHaveLength(12);
      expect(place.files).toEqual([]);
      expect(place.posts.get('job1:ended')).toEqual({ text: 'failed wrong-kind' });
      const entry = await database.selectFrom('ledger').select('state').executeTakeFirstOrThrow();
      expect(entry.state).toBe('uncertain');
    },
  );

  it('is what is called an image, where its bytes are those of a film', async () => {
    service.statuses = [{ state: 'ready', results: [], others: at('odd') }];
    await begin();
    await until('delivered');
    expect(place.files).toEqual([[1, 2, 3]]);
  });

  it('gives a service that is behind itself a few more looks, not for ever', async () => {
    service.statuses = [{ state: 'ready', results: [] }];
    await begin();
    await until('failed');
    expect(service.polls).toHaveLength(12);
  });

  it('waits for a platform that is away, and posts when it is back', async () => {
    service.statuses = [ready];
    place.refusals = [new PlatformError('unreachable'), new PlatformError('unreachable')];
    await begin();
    await until('delivered');
    expect(service.downloads).toBe(1);
    expect(place.posts.size).toBe(1);
  });

  it('keeps the result over a restart while the platform is away, though the service has dropped it', async () => {
    service.statuses = [ready];
    place.refusals = Array.from({ length: 1_000 }, () => new PlatformError('unreachable'));
    await begin();
    await until('ready');
    await renders.close();
    place.refusals = [];
    service.statuses = [new ResultGoneError('gone', refusal('video-status'))];
    renders = create();
    await renders.resume();
    await until('delivered');
    expect(place.files).toEqual([[1, 2, 3]]);
  });

  it('posts the address where the file is too large for the place', async () => {
    service.statuses = [ready];
    place.limit = 2;
    await begin();
    await until('delivered');
    expect(place.posts.get('job1:ready')).toMatchObject({ text: 'too large', link });
  });

  it('says directly that it is too large for direct messages, where its place is gone', async () => {
    service.statuses = [ready];
    place.refuses = ({ files = [] }, key) => {
      if (/:(ready|too-large|link|plain)$/.test(key)) return new PlatformError('gone');
      return files.length > 0 ? new PlatformError('too-large') : undefined;
    };
    await begin();
    await until('delivered');
    expect([...place.posts.values()]).toMatchObject([{ text: `${say.sentDirectly('gone')}\n\ntoo large` }]);
  });

  it('ends quietly where nobody can be reached any more', async () => {
    service.statuses = [ready];
    place.refuses = () => new PlatformError('gone');
    await begin();
    await until('failed');
    expect(await underWay()).toBe(0);
    expect(place.posts.size).toBe(0);
    await stateLike('failed');
    expect(await create().resume()).toBe(0);
  });
});

describe('the patience for a render', () => {
  const restarted = async (later: number) => {
    await renders.close();
    clock.step(later);
    renders = create();
    await renders.resume();
  };

  it.each([
    ['16 minutes', 16 * minute],
    ['3 days', 72 * hour],
  ])('does not run while the process is down for %s: what is finished then is delivered', async (_, down) => {
    await begin();
    await until('waiting');
    await restarted(down);
    service.statuses = [ready];
    await until('delivered');
    expect(place.files).toEqual([[1, 2, 3]]);
  });

  it('does not run while the process is down, nor for what is still being made then', async () => {
    service.statuses = [running()];
    await begin();
    await until('waiting');
    await restarted(72 * hour);
    await clock.advance(10 * minute);
    expect(await state()).toBe('waiting');
    expect(place.shown.at(-1)).not.toBe('late');
    service.statuses = [ready];
    await until('delivered');
  });

  it('does not run while the service cannot be reached', async () => {
    service.statuses = [away];
    await begin();
    await until('waiting');
    await hasBeen('waited_ms', 23 * hour);
    await clock.advance(3 * hour);
    expect(await state()).toBe('waiting');
    service.statuses = [ready];
    await until('delivered');
    expect(service.submits).toBe(1);
  });

  it.each([-1, 1])('takes no notice of a clock that is set by %i hours', async (hours) => {
    service.statuses = [running(0.1)];
    await begin();
    await until('waiting');
    await clock.advance(minute);
    clock.step(hours * hour);
    await clock.advance(minute);
    expect(await state()).toBe('waiting');
    // Progress goes on being shown, and nobody is told that it takes long.
    expect(place.shown.at(-1)).toMatch(/ 0\.1$/);
    const shown = place.shown.length;
    await clock.advance(minute);
    expect(place.shown.length).toBeGreaterThan(shown);
    service.statuses = [ready];
    await until('delivered');
  });

  it('tells people when it takes long, asks on rarely, and delivers what comes hours later', async () => {
    service.statuses = [running()];
    await begin();
    await until('waiting');
    await clock.advance(61 * minute);
    await clock.advance(6 * minute);
    expect(place.shown.at(-1)).toBe('late');
    const polls = service.polls.length;
    await clock.advance(5 * hour);
    expect(service.polls.length - polls).toBeLessThanOrEqual(60);
    service.statuses = [ready];
    await until('delivered');
    expect(place.files).toEqual([[1, 2, 3]]);
  });

  it('ends after a day of running time, asked about just before', async () => {
    service.statuses = [running()];
    await begin();
    await until('failed');
    expect(clock.now() - Date.UTC(2026, 0, 1)).toBeGreaterThanOrEqual(24 * hour);
    expect(place.posts.get('job1:ended')).toEqual({ text: 'failed deadline' });
    const { waited_ms: waited } = await database
      .selectFrom('renders')
      .select('waited_ms')
      .executeTakeFirstOrThrow();
    expect(waited).toBeGreaterThan(23 * hour);
  });
});

describe('a render that nothing more is told of', () => {
  const status = (error: Error) => () => (service.statuses = [error]);
  const refusals: [string, string, () => void][] = [
    [
      'whose address is refused, as expired ones are',
      'result-gone',
      () => isLost(new PermissionError('403', refusal('download', 403))),
    ],
    [
      'whose address asks for a login, as expired ones do elsewhere',
      'result-gone',
      () => isLost(new AuthenticationError('401', refusal('download', 401))),
    ],
    [
      'whose address leads to a private network',
      'result-gone',
      () => isLost(new AddressRefusedError('private')),
    ],
    [
      'whose address leads to a page',
      'result-gone',
      () => isLost(new BadResponseError('a page', { ...refusal('download'), outcome: 'unknown' })),
    ],
    [
      'about which the service answers no question',
      'deadline',
      status(new RejectedRequestError('400', refusal('video-status', 400))),
    ],
  ];

  it.each(refusals)('%s is asked about for a day, then ends', async (_, code, arrange) => {
    arrange();
    await begin();
    await until('waiting');
    await hasBeen('waited_ms', 20 * hour);
    await clock.advance(3 * hour);
    expect(await state()).toBe('waiting');
    await until('failed');
    expect(place.posts.get('job1:ended')).toEqual({ text: `failed ${code}` });
    expect(service.submits).toBe(1);
  });

  it.each(refusals)('%s is delivered when that is mended hours later', async (_, __, arrange) => {
    arrange();
    await begin();
    await until('waiting');
    await clock.advance(5 * hour);
    service.statuses = [ready];
    service.download_ = async () => new Uint8Array([7]);
    await until('delivered');
    expect(place.files).toEqual([[7]]);
  });

  const silences: [string, string, () => void][] = [
    [
      'whose status is always a failure of the service',
      'unanswered',
      status(new ServerError('500', unclear('video-status', 500))),
    ],
    [
      'whose status is always nonsense',
      'unanswered',
      status(new BadResponseError('a page', unclear('video-status'))),
    ],
    [
      'whose result breaks at every fetch',
      'result-gone',
      () => isLost(new ServerError('502', unclear('download', 502))),
    ],
    ['whose service has vanished', 'unanswered', status(away)],
  ];
  const [endless, mended] = [0, 1].map((half) => silences.filter((_, index) => isLong || index % 2 === half));
  const day = 24 * hour;

  it.each(endless ?? [])(
    '%s is asked about for a week, ever more rarely, then ends',
    async (_, code, arrange) => {
      arrange();
      await begin();
      await until('waiting');
      await hasBeen('unanswered_ms', 23 * hour);
      await clock.advance(day + hour);
      const begun = service.polls.length;
      await clock.advance(day);
      expect(service.polls.length - begun).toBeLessThanOrEqual(25);
      // People see that it takes long.
      expect(place.shown.at(-1)).toBe('late');
      // A restart counts on, and quick questions come first.
      await renders.close();
      renders = create();
      await renders.resume();
      await clock.advance(3.9 * day);
      expect(await state()).toBe('waiting');
      const asked = service.polls.length;
      await clock.advance(0.3 * day);
      await until('failed');
      expect(service.polls.length).toBeGreaterThan(asked);
      expect(place.posts.get('job1:ended')).toEqual({ text: `failed ${code}` });
      expect(service.submits).toBe(1);
    },
  );

  it.each(mended ?? [])('%s is delivered when that is mended after days', async (_, __, arrange) => {
    arrange();
    await begin();
    await until('waiting');
    await hasBeen('unanswered_ms', 23 * hour);
    await clock.advance(5.5 * day);
    service.statuses = [running(), ready];
    service.download_ = async () => new Uint8Array([7]);
    await clock.advance(2 * hour);
    await until('delivered');
    expect(place.files).toEqual([[7]]);
  });

  it('begins to count anew with every answer', async () => {
    const silence = new ServerError('500', unclear('video-status', 500));
    service.statuses = [silence];
    await begin();
    await until('waiting');
    await hasBeen('unanswered_ms', 6.9 * day);
    service.statuses = [running(), silence];
    await clock.advance(4 * hour);
    expect(await state()).toBe('waiting');
    await hasBeen('unanswered_ms', 6.9 * day);
    await clock.advance(4 * hour);
    await until('failed');
  });

  it('waits without end for a key that is refused: its operators are told', async () => {
    service.statuses = [away];
    await begin();
    await until('waiting');
    // So near the end of all patience it's asked about only once an hour.
    await hasBeen('unanswered_ms', 6.5 * day);
    await clock.advance(2 * hour);
    service.statuses = [new AuthenticationError('401', refusal('video-status', 401))];
    const asked = service.polls.length;
    await clock.advance(8 * day);
    expect(service.polls.length - asked).toBeGreaterThan(100);
    expect(await state()).toBe('waiting');
    service.statuses = [ready];
    await until('delivered');
  });
});

describe('a render whose process is told to stop while it is submitted', () => {
  it('is on record with its task, which the next process asks about', async () => {
    const send = service.holdSubmits();
    await begin();
    await until('submitting');
    const closing = renders.close();
    send();
    await closing;
    expect(await state()).toBe('waiting');
    service.statuses = [ready];
    renders = create();
    await renders.resume();
    await until('delivered');
    expect(service.submits).toBe(1);
  });
});

describe('a render whose message closes', () => {
  const direct = { ...address, channel: 'direct' };
  /** It's being made, and its message can be changed for another minute, or so much longer. */
  const begun = async (earlier = 0, options = {}) => {
    await database
      .updateTable('jobs')
      .set({ options: JSON.stringify(options) })
      .execute();
    const closesAt = clock.now() + 14 * minute;
    place.closesAt = ({ message }) => (message === progressMessage.message ? closesAt : undefined);
    place.directMessages = async () => direct;
    await begin();
    await until('waiting');
    // It's looked at every 15 seconds.
    await clock.advance(13 * minute + 20_000 - earlier);
  };
  const said = () => place.shown.filter((text) => !/^\d+ -$/.test(text));

  it.each([{ private: true }, {}])(
    'goes on in direct messages before that, and says so: %j',
    async (options) => {
      await begun(minute, options);
      expect([...place.posts.keys(), ...said()]).toEqual([]);
      await clock.advance(minute);
      expect([...place.posts]).toEqual([['job1:moved', { text: expect.stringMatching(/^\d+ -$/) }]]);
      expect(said()).toEqual([say.movesDirectly.goesOn]);
      const [{ message } = {}] = await renders.ofJob(job.id);
      expect(message).toEqual({ ...direct, message: 'job1:moved' });
      expect(place.edited.at(-1)).toEqual(message);
    },
  );

  it('does so too where the service is asked every few minutes', async () => {
    await begun(13 * minute);
    await hasBeen('waited_ms', hour);
    await clock.advance(12.5 * minute);
    expect(said()).not.toContain(say.movesDirectly.goesOn);
    await clock.advance(minute);
    expect(said()).toContain(say.movesDirectly.goesOn);
  });

  it('does so too where its process was killed while it had it in hand', async () => {
    await begun(2 * minute);
    await renders.close();
    await hasBeen('waited_ms', hour);
    await database.updateTable('renders').set({ process: 'this one', wakes_at: null }).execute();
    renders = create();
    await renders.resume();
    await clock.advance(2 * minute);
    expect(said()).toContain(say.movesDirectly.goesOn);
  });

  it('says once where the result can be fetched if direct messages are closed', async () => {
    place.refuses = () => new PlatformError('no-permission');
    await begun();
    // The look that couldn't move it still shows how it goes on.
    expect(place.shown.slice(-2)).toEqual([say.movesDirectly.isKept, expect.stringMatching(/^\d+ -$/)]);
    await clock.advance(minute / 2);
    expect([place.tried, said()]).toEqual([['job1:moved'], [say.movesDirectly.isKept]]);
    const [{ message } = {}] = await renders.ofJob(job.id);
    expect(message).toEqual(progressMessage);
  });

  it('tries again at the next look if the platform is away', async () => {
    place.refuses = () => new PlatformError('unreachable');
    await begun();
    expect(said()).toEqual([]);
    place.refuses = () => undefined;
    await clock.advance(20_000);
    expect(said()).toEqual([say.movesDirectly.goesOn]);
  });
});

describe('a render on a machine in trouble', () => {
  const writes = (how: 'refused' | 'taken') =>
    sql.raw(`pragma query_only = ${how === 'refused' ? 1 : 0}`).execute(database);

  it('waits for room on the disk, says so, and goes on by itself', async () => {
    service.statuses = [ready];
    const write = spool.write.bind(spool);
    spool.write = () => Promise.reject(full);
    await begin();
    await until('waiting');
    await clock.advance(3 * hour);
    expect(await state()).toBe('waiting');
    expect(troubles.notReady()).toBe('1 waiting: ENOSPC');
    expect(service.downloads).toBeLessThan(60);
    spool.write = write;
    await until('delivered');
    expect(troubles.notReady()).toBeUndefined();
    expect(service.submits).toBe(1);
  });

  it('remembers what it has paid for while the database takes nothing, and is submitted once', async () => {
    service.statuses = [ready];
    const { submit } = service;
    service.submit = async () => {
      await writes('refused');
      return submit();
    };
    await begin();
    await until('submitting');
    await clock.advance(2 * hour);
    expect(await state()).toBe('submitting');
    expect(troubles.notReady()).toMatch(/^1 waiting: attempt to write a readonly database$/);
    await writes('taken');
    await until('delivered');
    expect(service.submits).toBe(1);
    expect(troubles.notReady()).toBeUndefined();
  });

  it('that can’t be put to sleep says so once, until it can', async () => {
    const unslept = 'a render could not be put to sleep';
    let told = 0;
    await renders.close();
    renders = create({ log: { info: () => {}, warn: (_, text) => void (told += Number(text === unslept)) } });
    await begin();
    await until('waiting');
    for (let times = 1; times <= 2; times++) {
      service.answer = async () => {
        await writes('refused');
        return running();
      };
      await clock.advance(10 * minute);
      expect(told).toBe(times);
      service.answer = undefined;
      await writes('taken');
      await clock.advance(10 * minute);
    }
  });

  it('is posted once, though that could not be written down', async () => {
    service.statuses = [ready];
    place.refuses = () => {
      void writes('refused');
      return undefined;
    };
    await begin();
    await until('ready');
    while (place.files.length === 0) await settle();
    await clock.advance(hour);
    place.refuses = () => undefined;
    expect(place.tried).toEqual(['job1:ready']);
    await writes('taken');
    await until('delivered');
    expect(place.tried).toEqual(['job1:ready']);
  });

  it('is fetched again where its file on the disk is lost', async () => {
    service.statuses = [ready];
    place.refuses = () => new PlatformError('unreachable');
    await begin();
    await until('ready');
    await renders.close();
    await spool.remove('job1');
    place.refuses = () => undefined;
    renders = create();
    await renders.resume();
    await until('delivered');
    expect(service).toMatchObject({ submits: 1, downloads: 2 });
    expect(place.files).toEqual([[1, 2, 3]]);
  });
});

describe('a result that a place refuses', () => {
  it.each(['refused', 'no-permission', 'file-not-allowed'] as const)(
    'as a file (%s) comes as a link, at once and for good',
    async (kind) => {
      service.statuses = [ready];
      place.refuses = ({ files }) => (files ? new PlatformError(kind) : undefined);
      await begin();
      await until('delivered');
      expect(place.tried).toEqual(['job1:ready', 'job1:link']);
      expect(place.posts.get('job1:link')).toMatchObject({ text: 'elsewhere', link });
    },
  );

  it('with its buttons comes without', async () => {
    service.statuses = [ready];
    place.refuses = ({ buttons }) => (buttons ? new PlatformError('refused', '50035') : undefined);
    await begin();
    await until('delivered');
    expect(place.posts.get('job1:plain')).toEqual({ text: 'elsewhere', link });
  });

  it.each(['gone', 'not-a-member', 'expired'] as const)(
    'because it is lost (%s) goes to the requester, whole, and nothing plainer is tried there',
    async (kind) => {
      service.statuses = [ready];
      place.refuses = (_, key) => (key.endsWith(':direct') ? undefined : new PlatformError(kind));
      await begin();
      await until('delivered');
      expect(place.tried).toEqual(['job1:ready', 'job1:ready:direct']);
      expect(place.posts.get('job1:ready:direct')).toMatchObject({
        text: `${say.sentDirectly(kind)}\n\nhere`,
      });
      expect(place.files).toEqual([[1, 2, 3]]);
    },
  );

  it('in every form is told to people, and never tried again', async () => {
    service.statuses = [ready];
    place.refuses = (_, key) => (key.includes('ended') ? undefined : new PlatformError('no-permission'));
    await begin();
    await until('failed');
    expect(place.posts.get('job1:ended')).toEqual({ text: 'failed delivery' });
    const { length } = place.tried;
    await clock.advance(24 * hour);
    expect(place.tried).toHaveLength(length);
  });

  it('as direct messages do is said to be kept, tried every hour in its place, and comes there once that takes it', async () => {
    const asked = { ...job, id: 'held', createdAt: clock.now() };
    await createJobs(database).add(asked, 'event of held');
    service.statuses = [ready];
    place.refuses = () => new PlatformError('no-permission');
    await renders.begin({ ...order, job: asked });
    while (!place.shown.includes('elsewhere, for the nobody'))
      if (!(await clock.runNext(soon))) await settle();
    const fetchable = async (person: string) =>
      (await renders.underWayAt(address, person)).map(({ isHeld }) => isHeld);
    while ((await underWay()) > 1) await settle();
    expect([await fetchable(asked.requester.id), await fetchable('bob')]).toEqual([[true], []]);
    const since = clock.now();
    const tries = () => place.tried.filter((key) => key === 'held:ready').length;
    while (tries() < 4) if (!(await clock.runNext(hour))) await settle();
    expect(clock.now() - since).toBeGreaterThan(3 * hour - soon);
    place.refuses = () => undefined;
    while (place.posts.size === 0) if (!(await clock.runNext(hour))) await settle();
    await until('delivered');
    // The clock may run so far while it's posted that who asked is told.
    expect([...place.posts.keys()].filter((key) => key !== 'held:late-word')).toEqual(['held:ready']);
    expect(await renders.bringHeld(asked, 1_000, async () => progressMessage)).toBe(false);
  });

  it('as direct messages do is given up after a week, and told', async () => {
    const asked = { ...job, id: 'held', createdAt: clock.now() };
    await createJobs(database).add(asked, 'event of held');
    service.statuses = [ready];
    place.refuses = (_, key) => (key.includes('ended') ? undefined : new PlatformError('no-permission'));
    await renders.begin({ ...order, job: asked });
    await until('ready');
    const since = clock.now();
    while ((await state()) !== 'failed') if (!(await clock.runNext(hour))) await settle();
    expect(clock.now() - since).toBeGreaterThan(7 * 24 * hour - soon);
    await until('failed');
    expect([...place.posts.keys()]).toEqual(['held:ended']);
  });

  it('with an error that nobody expected is tried three times a form, not for ever', async () => {
    service.statuses = [ready];
    place.refuses = () => new TypeError('cannot read properties of undefined');
    await begin();
    await until('ready');
    while ((await underWay()) > 0) if (!(await clock.runNext(soon))) await settle();
    const tries = [...Map.groupBy(place.tried, (key) => key)].map(([key, { length }]) => [key, length]);
    // In their place are two ways for what ended, an edit and a new message.
    const isEdit = (key: unknown) => /:ended(-plain)?$/.test(String(key));
    expect(tries).toEqual(tries.map(([key]) => [key, isEdit(key) ? 6 : 3]));
    expect(await create().resume()).toBe(0);
  });

  it('for its size when it was fetched is told, with its address', async () => {
    isLost(new TooLargeError(512, 1_000, refusal('download')));
    await begin();
    await until('failed');
    expect(await faultOnRecord()).toEqual({ code: 'result-too-large', limit: 512, bytes: 1_000, link });
    expect(place.posts.get('job1:ended')).toEqual({ text: 'failed result-too-large' });
  });
});
