import { afterEach, beforeEach, expect, it } from 'vitest';
import { alone } from '../../src/coordination/index.ts';
import { Credits } from '../../src/credits/index.ts';
import { LocalFaults } from '../../src/lib/local-faults.ts';
import {
  bytesOf,
  type Message,
  type MessageAddress,
  type PlatformAdapter,
  PlatformError,
} from '../../src/port/index.ts';
import {
  hasEnded,
  isMade,
  type Render,
  renderId,
  type RenderPresenter,
  Renders,
  type RendersDependencies,
} from '../../src/renders/index.ts';
import { type CallOptions, RejectedRequestError, type TaskStatus } from '../../src/service/index.ts';
import { createJobs, type Database, type FileStore, FolderFiles } from '../../src/store/index.ts';
import { words } from '../../src/words/index.ts';
import { adapterWith } from '../fakes/adapter.ts';
import { FakeClock, settle } from '../fakes/clock.ts';
import { openMigrated } from '../fakes/database.ts';
import { here as address, jobCalled } from '../fakes/records.ts';
import { unwatched } from '../fakes/unwatched.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const message: MessageAddress = { ...address, message: 'progress' };
const job = jobCalled('job1', { command: 'imagine', options: { prompt: 'a cat', count: 3 } });
const ready: TaskStatus = {
  state: 'ready',
  results: [{ kind: 'url', url: 'https://results.example/1.png' }],
};
const running: TaskStatus = { state: 'running', results: [] };

/** What people see, and how often it was posted. */
let posts: Map<string, Message>;
let shown: Message[];
let posted: number[][];
/** The service, by task: what it says of each, and how often it was asked to make something. */
let submits: number;
let statuses: Map<string, TaskStatus>;
let submit: (number: number, options: CallOptions) => Promise<void>;
let refuse: (key: string) => boolean;

let database: Database;
let folder: string;
let spool: FileStore;
let clock: FakeClock;
let credits: Credits;
let renders: Renders;

const plain = adapterWith({
  platform: 'console',
  complete: async (_: MessageAddress, content: Message, key: string) => {
    if (refuse(key)) throw new PlatformError('unreachable');
    posts.set(key, content);
    for (const file of content.files ?? []) posted.push([...(await bytesOf(file))]);
    return message;
  },
  edit: async (_: MessageAddress, content: Message) => void shown.push(content),
  doors: () => [],
  maxFileBytes: async () => 1_000,
});
let adapter: PlatformAdapter;

const service = {
  images: {
    async submit(_: object, options: CallOptions) {
      const number = ++submits;
      await submit(number, options);
      await options.beforeSending?.();
      return { id: `task${number}`, status: { state: 'waiting', results: [] }, requestId: undefined };
    },
    status: async (id: string) => statuses.get(id) ?? running,
  },
  download: async () => ({
    contentType: 'image/png',
    cancel: () => {},
    stream: (async function* () {
      yield new Uint8Array([7]);
    })(),
  }),
} as unknown as RendersDependencies['service'];

const presenter: RenderPresenter<Render> = (all) => ({
  fileName: (_, number) => `image-${number}.png`,
  isShownBy: (files) => files.length > 0,
  before: () => undefined,
  progress: ({ made, isQueued, position }) => ({
    text: `${made} made${isQueued ? `, waiting at ${position}` : ''}`,
  }),
  ready: (rendered) => ({
    as: 'complete',
    message: {
      text: all.map(({ state, fault }) => fault?.code ?? state).join(),
      ...('files' in rendered && { files: rendered.files }),
    },
  }),
  elsewhere: () => ({}),
  ended: () => ({
    as: 'complete',
    message: { text: all.map(({ state, fault }) => fault?.code ?? state).join() },
  }),
});

const create = () =>
  new Renders({
    database,
    jobs: createJobs(database),
    service,
    credits,
    adapters: () => adapter,
    presenters: { image: presenter, video: presenter },
    spool,
    troubles: new LocalFaults(),
    watch: unwatched(),
    clock,
    coordination: alone(),
    random: () => 0.5,
    log: { info: () => {}, warn: () => {} },
  });

beforeEach(async () => {
  adapter = { ...plain };
  [posts, shown, posted, submits] = [new Map(), [], [], 0];
  statuses = new Map();
  submit = async () => {};
  refuse = () => false;
  folder = await temporaryFolder();
  database = await openMigrated();
  await createJobs(database).add(job, 'event');
  clock = new FakeClock();
  credits = new Credits({ database, clock });
  spool = new FolderFiles(folder);
  renders = create();
});
afterEach(async () => {
  await renders.close();
  await database.destroy();
});

const call = (part: number) =>
  ({
    job: { ...job, id: renderId(job.id, part) },
    budgets: [],
    conversationId: 'c',
    kind: 'image',
    model: 'image 2k',
    quantity: { images: 1 },
    estimate: { low: 22, high: 22 },
  }) as const;

const begin = () =>
  credits.hold([call(1), call(2), call(3)], () =>
    renders.begin({
      job,
      kind: 'image',
      request: { prompt: 'a cat' },
      conversationId: 'c',
      message,
      count: 3,
    }),
  );

const rows = () => renders.ofJob(job.id);
const spent = async () =>
  (await database.selectFrom('ledger').select(['job', 'state', 'high']).orderBy('job').execute()).map(
    ({ job, state, high }) => `${job} ${state} ${Number(high) / 1e6}`,
  );

async function until(what: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await what())) if (!(await clock.runNext(60_000))) await settle();
}
const isOver = async () => (await rows()).every(({ delivered }) => delivered !== undefined);
const areReady = (...tasks: readonly string[]) => {
  for (const task of tasks) statuses.set(task, ready);
};
/** The next process goes on to the end. */
const goOn = async () => {
  renders = create();
  await renders.resume();
  await until(isOver);
};

const refused = () =>
  new RejectedRequestError('no', {
    operation: 'image',
    status: 400,
    outcome: 'rejected',
    retryable: false,
    serviceMessage: 'no cats',
  } as ConstructorParameters<typeof RejectedRequestError>[1]);

it('several images are a request each and one message, posted when the last of them has ended', async () => {
  statuses.set('task1', ready).set('task2', ready);
  await begin();
  await until(async () => (await rows()).filter(isMade).length === 2);
  await settle();
  expect(posts.size).toBe(0);
  statuses.set('task3', ready);
  await until(isOver);
  expect(submits).toBe(3);
  expect([...posts.keys()]).toEqual(['job1:ready']);
  expect(posts.get('job1:ready')?.files?.map(({ name }) => name)).toEqual([
    'image-1.png',
    'image-2.png',
    'image-3.png',
  ]);
  expect(posted).toHaveLength(3);
  expect(await spent()).toEqual(['job1 spent 22', 'job1.2 spent 22', 'job1.3 spent 22']);
  expect(await renders.open()).toEqual([]);
});

it('where some fail, the message has the others, and only those are paid for', async () => {
  statuses.set('task1', ready).set('task3', { state: 'failed', results: [], error: 'no paint' });
  submit = async (number) => {
    if (number === 2) throw refused();
  };
  await begin();
  await until(isOver);
  expect(posts.get('job1:ready')).toMatchObject({ text: 'ready,refused,failed' });
  expect(posts.get('job1:ready')?.files).toHaveLength(1);
  expect(await spent()).toEqual(['job1 spent 22', 'job1.2 failed 0', 'job1.3 failed 0']);
});

it('where all fail, one message says so', async () => {
  submit = async () => {
    throw refused();
  };
  await begin();
  await until(isOver);
  expect([...posts]).toEqual([['job1:ended', { text: 'refused,refused,refused' }]]);
});

it.each([0, 1, 2, 3])(
  'after a crash with %i of them ready, the next process makes the rest and posts them once',
  async (made) => {
    for (let task = 1; task <= made; task++) statuses.set(`task${task}`, ready);
    refuse = () => true;
    await begin();
    await until(async () => {
      const all = await rows();
      return all.every(({ state }) => state !== 'reserved') && all.filter(isMade).length === made;
    });
    await renders.close();
    refuse = () => false;
    areReady('task1', 'task2', 'task3');
    await goOn();
    expect(submits).toBe(3);
    expect([...posts.keys()]).toEqual(['job1:ready']);
    expect(posts.get('job1:ready')?.files).toHaveLength(3);
    expect(await spent()).toEqual(['job1 spent 22', 'job1.2 spent 22', 'job1.3 spent 22']);
  },
);

it('one whose process died while it was being sent is never sent again, and the others are posted', async () => {
  areReady('task1', 'task2', 'task3');
  refuse = () => true;
  await begin();
  await until(async () => (await rows()).every(hasEnded));
  await renders.close();
  await database
    .updateTable('renders')
    .set({ state: 'submitting', task_id: null })
    .where('part', '=', 2)
    .execute();
  await database.updateTable('ledger').set({ state: 'reserved' }).where('job', '=', 'job1.2').execute();
  refuse = () => false;
  await goOn();
  expect(submits).toBe(3);
  expect(posts.get('job1:ready')).toMatchObject({ text: 'ready,uncertain,ready' });
  expect(posts.get('job1:ready')?.files).toHaveLength(2);
  expect(await spent()).toEqual(['job1 spent 22', 'job1.2 uncertain 22', 'job1.3 spent 22']);
});

it('private ones are posted where the slower of them went before their message closed', async () => {
  const direct = { platform: 'console', workspace: 'd', channel: 'd', message: 'direct' } as const;
  const completed: string[] = [];
  const closesAt = clock.now() + 180_000;
  const isHere = ({ channel }: { channel: string }) => channel === address.channel;
  Object.assign(adapter, {
    closesAt: (at: MessageAddress) => (isHere(at) ? closesAt : undefined),
    directMessages: async () => direct,
    post: async () => direct,
    complete: async (at: MessageAddress) => {
      completed.push(at.message);
      return at;
    },
  });
  await database
    .updateTable('jobs')
    .set({ options: JSON.stringify({ ...job.options, private: true }) })
    .execute();
  statuses.set('task1', ready);
  await begin();
  await until(() => shown.some(({ text }) => text === words('en').movesDirectly.goesOn));
  statuses.set('task2', ready).set('task3', ready);
  await until(isOver);
  expect(completed).toEqual(['direct']);
});

it('a result that is gone from the disk is fetched again before the message is posted', async () => {
  areReady('task1', 'task2');
  await begin();
  await until(async () => (await rows()).filter(isMade).length === 2);
  await settle();
  await spool.remove('job1');
  statuses.set('task3', ready);
  await until(isOver);
  expect(posts.get('job1:ready')?.files).toHaveLength(3);
  expect(posted).toEqual([[7], [7], [7]]);
});

/** The key's limits let nobody through; a call that's cancelled there rejects. */
const closed = (through: readonly number[] = []) => {
  submit = (number, { signal, onWait }) => {
    if (through.includes(number)) return Promise.resolve();
    onWait?.(number);
    return new Promise((_, reject) => {
      const stop = () => reject(signal?.reason);
      if (signal?.aborted) stop();
      signal?.addEventListener('abort', stop);
    });
  };
};

it('what waits in the queue can be canceled: nothing is sent and nothing is spent', async () => {
  closed();
  await begin();
  await until(() => shown.length > 0);
  expect(shown[0]?.text).toMatch(/^0 made, waiting at/);
  expect((await rows()).map(({ state }) => state)).toEqual(['reserved', 'reserved', 'reserved']);
  expect(await renders.cancel(job.id)).toBe(true);
  await until(isOver);
  expect([...posts]).toEqual([['job1:ended', { text: 'canceled,canceled,canceled' }]]);
  expect(await spent()).toEqual(['job1 failed 0', 'job1.2 failed 0', 'job1.3 failed 0']);
  expect(await renders.cancel(job.id)).toBe(false);
});

it('what was sent goes on where the rest is canceled', async () => {
  closed([1]);
  statuses.set('task1', ready);
  await begin();
  await until(async () => (await rows()).filter(isMade).length === 1);
  expect(await renders.cancel(job.id)).toBe(true);
  await until(isOver);
  expect(posts.get('job1:ready')).toMatchObject({ text: 'ready,canceled,canceled' });
});

it('a cancellation that comes when the turn has come is decided by the row: sent or canceled, never both', async () => {
  let turn = () => {};
  submit = () =>
    new Promise((resolve) => {
      turn = resolve;
    });
  await renders.begin({ job, kind: 'image', request: { prompt: 'a cat' }, conversationId: 'c', message });
  await until(() => submits === 1);
  // Canceled, but the call that waits hasn't heard of it yet.
  await database.updateTable('renders').set({ state: 'failed', fault: '{"code":"canceled"}' }).execute();
  turn();
  await until(isOver);
  expect(posts.get('job1:ended')).toEqual({ text: 'canceled' });
  // The request that was about to leave did not: there's no task.
  expect((await rows()).map(({ taskId }) => taskId)).toEqual([undefined]);
});

/** The service refuses everybody for now: the calls that it has seen wait for their next turn. */
const refusing = () => {
  submit = async (_, { signal, beforeSending, onNotProcessed }) => {
    await beforeSending?.();
    await onNotProcessed?.();
    await new Promise((_, reject) => {
      const stop = () => reject(signal?.reason);
      if (signal?.aborted) stop();
      signal?.addEventListener('abort', stop);
    });
  };
};

it.each([
  ['waits in the queue', () => closed()],
  ['the service refuses for now', refusing],
])('a shutdown leaves what %s to the next process, which sends it', async (_, arrange) => {
  arrange();
  await begin();
  await until(() => submits === 3);
  await until(async () => (await rows()).every(({ state }) => state === 'reserved'));
  await renders.close();
  expect((await rows()).map(({ state }) => state)).toEqual(['reserved', 'reserved', 'reserved']);
  submit = async () => {};
  areReady('task4', 'task5', 'task6');
  await goOn();
  expect(posts.get('job1:ready')?.files).toHaveLength(3);
});

it('what the service refuses for now can be canceled until it’s sent again', async () => {
  refusing();
  await begin();
  await until(() => submits === 3);
  await until(async () => (await rows()).every(({ state }) => state === 'reserved'));
  expect(await renders.cancel(job.id)).toBe(true);
  await until(isOver);
  expect(await spent()).toEqual(['job1 failed 0', 'job1.2 failed 0', 'job1.3 failed 0']);
});
