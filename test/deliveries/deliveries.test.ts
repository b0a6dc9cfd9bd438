import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Deliveries } from '../../src/deliveries/index.ts';
import { LocalFaults } from '../../src/lib/local-faults.ts';
import {
  type Address,
  askedIn,
  bytesOf,
  type ClipFormat,
  fileOf,
  type Job,
  type Message,
  type MessageAddress,
  type PlatformAdapter,
  PlatformError,
} from '../../src/port/index.ts';
import { smallestMaxLength } from '../../src/reply/index.ts';
import {
  createJobs,
  createLiveAnswers,
  type Database,
  type FileStore,
  FolderFiles,
} from '../../src/store/index.ts';
import { words } from '../../src/words/index.ts';
import { adapterWith } from '../fakes/adapter.ts';
import { FakeClock, settle } from '../fakes/clock.ts';
import { openMigrated } from '../fakes/database.ts';
import { doorsBy } from '../fakes/doors.ts';
import { jobCalled } from '../fakes/records.ts';
import { unwatched } from '../fakes/unwatched.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const address = { platform: 'discord', workspace: 'w', channel: 'c' } as const;
const job = jobCalled('job1', { command: 'speak', options: { text: 'hi' }, address });
const clip: Message = {
  text: '> hi',
  files: [
    fileOf(new Uint8Array([1, 2, 3]), {
      name: 'speech.ogg',
      contentType: 'audio/ogg',
      kind: 'voice',
      description: 'hi',
      seconds: 1,
    }),
  ],
};
const answered = { ...job, acknowledgement: { token: 't' } };
const hidden = { ...answered, options: { private: true } };
const whose = { requester: job.requester, command: 'speak', options: job.options, text: 'hi' };
const buttons = [{ id: 'ask.regenerate:job1', label: 'Regenerate' }];
const hour = 3_600_000;
/** What is tried again is due within so long; what watches over a whole delivery isn't. */
const soon = 600_000;

let folder: string;
let database: Database;
let clock: FakeClock;
let spool: FileStore;
let troubles: LocalFaults;
let deliveries: Deliveries;
/** What the platform took, and what it was asked. */
let done: [what: string, key: string, message: Message][];
let bytes: number[][];
let tried: string[];
let refuses: (message: Message, what: string) => Error | undefined;
let settled: Message[];
let settling: () => Promise<void>;
/** The channel of the newest post. */
let at: string;
const hasPlace = () => at === address.channel;
let convertible: boolean;
/** Bytes of a file the place says that it takes. */
let limit: number;
/** Bytes of a clip in each format. */
let sizes: Record<ClipFormat, number>;

const adapter: PlatformAdapter = adapterWith({
  platform: 'discord',
  doors: (job: Job) => doorsBy(adapter, job),
  maxFileBytes: async () => limit,
  messageLimits: async () => ({ maxLength: smallestMaxLength }),
  directMessages: async () => ({ ...address, channel: 'direct' }),
  async post({ channel }: MessageAddress, message: Message, key: string) {
    at = channel;
    await take('post', key, message);
    return { ...address, channel, message: key };
  },
  edit: ({ message: id }: MessageAddress, message: Message) => take('edit', id, message),
  answerInterrupted: async (_: unknown, message: Message) => {
    const refusal = refuses(message, 'settle');
    if (refusal) throw refusal;
    await settling();
    settled.push(message);
  },
});

async function take(what: string, key: string, message: Message) {
  tried.push(`${what} ${key} at ${at}`);
  const refusal = refuses(message, what);
  if (refusal) throw refusal;
  for (const file of message.files ?? []) bytes.push([...(await bytesOf(file))]);
  done.push([what, key, message]);
}

/** Whether what's deleted is heard; rejects where that isn't known. */
let hears: (at: Address) => Promise<boolean>;

const create = () =>
  new Deliveries({
    database,
    jobs: createJobs(database),
    answers: createLiveAnswers(database),
    adapters: () => adapter,
    files: spool,
    convert: async (_, to) =>
      convertible ? { bytes: new Uint8Array(sizes[to]).fill(9), contentType: `audio/${to}` } : undefined,
    hears: (at) => hears(at),
    asked: (job) => askedIn(job, { textOption: 'text' }),
    troubles,
    watch: unwatched(),
    clock,
    log: { info: () => {}, warn: () => {} },
  });

beforeEach(async () => {
  folder = await temporaryFolder();
  database = await openMigrated();
  await createJobs(database).add(job, 'event');
  clock = new FakeClock();
  spool = new FolderFiles(join(folder, 'spool'));
  troubles = new LocalFaults();
  [done, bytes, tried, settled] = [[], [], [], []];
  refuses = () => undefined;
  hears = async () => true;
  settling = async () => {};
  convertible = true;
  limit = 1_000;
  sizes = { mp3: 1, opus: 1, wav: 1 };
  deliveries = create();
});
afterEach(async () => {
  await deliveries.close();
  await database.destroy();
});

const away = () => new PlatformError('unreachable');
const failing = (error: Error) => () => Promise.reject(error);
const ended = async () => {
  while (deliveries.outstanding > 0) if (!(await clock.runNext(soon))) await settle();
};
/** It's said, which the platform doesn't take. */
const inVain = (kind: PlatformError['kind'] = 'unreachable', of: Job = job, what: Message = clip) =>
  deliveries.deliver(of, what, failing(new PlatformError(kind)));
const brought = async (...how: Parameters<typeof inVain>) => {
  await inVain(...how);
  await ended();
};
const left = async () => ({
  rows: (await database.selectFrom('deliveries').select('job_id').execute()).length,
  files: await readdir(join(folder, 'spool')).catch(() => []),
});
const nothing = { rows: 0, files: [] };
const restart = async () => {
  await deliveries.close();
  deliveries = create();
  const pending = await deliveries.pendingIds();
  await deliveries.resume(pending);
  return pending.length;
};

describe('what a dead process left', () => {
  const count = 200;
  const idsOf = (index: number) => ({ id: `left${index}`, eventId: `left${index}` });
  const ids = Array.from({ length: count }, (_, index) => idsOf(index).id);
  /** So many, as rows, perhaps held already. */
  const leave = async (held: { readonly isHeld?: true } = {}) => {
    for (let index = 0; index < count; index++) {
      const each = { ...job, ...idsOf(index) };
      await createJobs(database).add(each, each.eventId);
      const message = JSON.stringify({ message: { text: 'hi' }, ...held });
      const row = { job_id: each.id, message, created_at: index, held: held.isHeld ? 1 : 0 };
      await database.insertInto('deliveries').values(row).execute();
    }
  };
  /** Rows read from now on. */
  const counted = () => {
    const read = { rows: 0 };
    database = database.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        read.rows += result.rows.length;
        return result;
      },
    });
    deliveries = create();
    return read;
  };

  it('is read once, however much of it is held', async () => {
    await leave({ isHeld: true });
    refuses = away;
    const read = counted();
    await deliveries.resume(ids);
    while (deliveries.outstanding > 0 && (await clock.runNext(1_000))) await settle();
    expect(read.rows).toBeLessThan(30 * count);
  });

  it('isn’t read any more once it is to stop', async () => {
    await leave();
    const read = counted();
    const resumed = deliveries.resume(ids);
    deliveries.stop();
    await resumed;
    expect(read.rows).toBeLessThan(10);
  });

  it('goes on where one of it can’t be read', async () => {
    await leave();
    await database.updateTable('deliveries').set({ message: '{' }).where('job_id', '=', 'left7').execute();
    await deliveries.resume(ids);
    await ended();
    expect(done).toHaveLength(count - 1);
  });

  it('is looked for once, however often a start tries while the database is away', async () => {
    await leave();
    await sql`alter table jobs rename to away`.execute(database);
    const resumed = Array.from({ length: 5 }, () => deliveries.resume(ids));
    while (clock.pending === 0) await settle();
    await settle();
    expect(clock.pending).toBe(1);
    await sql`alter table away rename to jobs`.execute(database);
    await ended();
    await Promise.all(resumed);
    expect(done).toHaveLength(count);
  });

  it('is gone on with again where another process had it in between, and died, too', async () => {
    // The other one has it by then.
    await deliveries.resume(ids);
    await leave();
    await deliveries.resume(ids);
    await ended();
    expect(done).toHaveLength(count);
  });

  it('is told as waiting while its file can’t be looked at', async () => {
    await leave();
    const file = { name: 'speech.ogg', contentType: 'audio/ogg', kind: 'voice', description: 'hi' };
    const message = JSON.stringify({ message: { text: 'hi' }, file });
    await database.updateTable('deliveries').set({ message }).where('job_id', '=', 'left7').execute();
    const refused = Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'stat' });
    const has = vi.spyOn(spool, 'has').mockRejectedValue(refused);
    const resumed = deliveries.resume(ids);
    while (clock.pending === 0) await settle();
    expect(troubles.notReady()).toBe('1 waiting: EACCES');
    has.mockRestore();
    await ended();
    await resumed;
    expect(troubles.notReady()).toBeUndefined();
    expect(done).toHaveLength(count);
  });

  it('goes on when the database is back', async () => {
    await leave();
    await sql`alter table jobs rename to away`.execute(database);
    const resumed = deliveries.resume(ids);
    let failure: unknown;
    resumed.catch((error: unknown) => {
      failure = error;
    });
    while (clock.pending === 0 && failure === undefined) await settle();
    expect(failure).toBeUndefined();
    await sql`alter table away rename to jobs`.execute(database);
    await ended();
    await resumed;
    expect(done).toHaveLength(count);
    expect((await left()).rows).toBe(0);
  });
});

describe('a clip', () => {
  it('is on the disk before it is said, and forgotten when it is', async () => {
    let before: unknown;
    await deliveries.deliver(job, clip, async () => {
      before = await left();
      return [];
    });
    expect(before).toEqual({ rows: 1, files: ['job1'] });
    await ended();
    expect(await left()).toEqual(nothing);
    expect(tried).toEqual([]);
  });

  it('that the platform does not take now is posted when it is back, once', async () => {
    refuses = away;
    await inVain();
    await clock.advance(hour);
    expect(done).toEqual([]);
    refuses = () => undefined;
    await ended();
    expect(bytes).toEqual([[1, 2, 3]]);
    expect(done.map(([what, key]) => `${what} ${key}`)).toEqual(['post job1:late']);
    expect(await left()).toEqual(nothing);
    await clock.advance(hour);
    expect(done).toHaveLength(1);
  });

  it('that is posted is not called late while this machine does not take down that it is', async () => {
    refuses = away;
    await inVain();
    refuses = () => undefined;
    while (done.length === 0) if (!(await clock.runNext(soon))) await settle();
    await sql`pragma query_only = 1`.execute(database);
    await clock.advance(hour);
    expect(done.map(([what, key]) => `${what} ${key}`)).toEqual(['post job1:late']);
    await sql`pragma query_only = 0`.execute(database);
    await ended();
  });

  it('that can’t be recorded keeps its command open until it can', async () => {
    refuses = away;
    await sql`pragma query_only = 1`.execute(database);
    let end: unknown;
    const bringing = inVain().then((how) => {
      end = how;
    });
    // What can't be recorded is tried first, and that takes real time.
    await expect.poll(() => tried).not.toEqual([]);
    await clock.advance(hour);
    expect(end).toBeUndefined();
    await sql`pragma query_only = 0`.execute(database);
    await clock.advance(20_000);
    await bringing;
    expect(end).toBe('goes-on');
    expect(await left()).toEqual({ rows: 1, files: ['job1'] });
    // The process dies, and another has it.
    deliveries.stop();
    refuses = () => undefined;
    expect(await restart()).toBe(1);
    await ended();
    expect(bytes).toEqual([[1, 2, 3]]);
    expect(await left()).toEqual(nothing);
  });

  it('that people have before it can be recorded leaves nothing behind', async () => {
    refuses = away;
    await sql`pragma query_only = 1`.execute(database);
    const bringing = inVain();
    refuses = () => undefined;
    while (done.length === 0) if (!(await clock.runNext(soon))) await settle();
    expect(await bringing).toBe('goes-on');
    await sql`pragma query_only = 0`.execute(database);
    await ended();
    await clock.advance(hour);
    expect(bytes).toEqual([[1, 2, 3]]);
    expect(await left()).toEqual(nothing);
  });

  it('outlives the process, for days', async () => {
    refuses = away;
    await inVain();
    await clock.advance(hour);
    clock.step(72 * hour);
    refuses = () => undefined;
    expect(await restart()).toBe(1);
    await ended();
    expect(bytes).toEqual([[1, 2, 3]]);
    expect(await restart()).toBe(0);
  });

  it('is not posted again where the process died right after it was said', async () => {
    refuses = away;
    await inVain();
    await deliveries.close();
    const said = { ...address, message: 'm' };
    await createLiveAnswers(database).save(job.id, { messages: [said], lastText: '> hi' }, 'said');
    refuses = () => undefined;
    tried = [];
    await restart();
    await ended();
    expect(tried).toEqual([]);
    expect(await left()).toEqual(nothing);
    // The recovery asks later: nobody may be told that it was interrupted.
    expect(await deliveries.isPending(job.id)).toBe(true);
  });

  it.each([
    ['with its words comes without', (m: Message) => m.text !== undefined, 'job1:late-bare'],
    ['in its place in every form goes to the requester alone', hasPlace, 'job1:direct', 'direct'],
  ])('that is refused %s', async (_, refused, key, channel = address.channel) => {
    refuses = (message) => (refused(message) ? new PlatformError('refused') : undefined);
    await brought('refused');
    expect(done.map(([, posted]) => posted)).toEqual([key]);
    expect(at).toBe(channel);
    expect(bytes).toEqual([[1, 2, 3]]);
  });

  it.each([
    [['.ogg'], 'speech.mp3', 'job1:late-mp3'],
    [['.ogg', '.mp3'], 'speech.wav', 'job1:late-wav'],
  ])('of a kind that is forbidden (%j) comes as %s', async (forbidden, name, key) => {
    const refused = ({ files }: Message) =>
      files?.some((file) => forbidden.some((end) => file.name.endsWith(end)));
    refuses = (message) => (refused(message) ? new PlatformError('file-not-allowed') : undefined);
    await brought('file-not-allowed');
    expect(done.map(([, posted, { text, files }]) => [posted, text, files?.[0]?.name])).toEqual([
      [key, '> hi', name],
    ]);
    expect(bytes).toEqual([[9]]);
  });

  describe('too large for its place', () => {
    const about = { contentType: 'audio/wav', kind: 'audio', description: 'hi' } as const;
    const wav: Message = {
      text: '> hi',
      files: [fileOf(new Uint8Array(40), { ...about, name: 'speech.wav' })],
    };
    const tooLarge = () => new PlatformError('too-large');
    const over = (bytes: number) => {
      refuses = ({ files }) => ((files?.[0]?.size ?? 0) > bytes ? tooLarge() : undefined);
    };
    const said = () => done.map(([, key, { text, files }]) => [key, text, files?.[0]?.name]);

    it.each([
      [{ mp3: 10, opus: 5, wav: 40 }, 'mp3', 'MP3', 'speech.mp3'],
      [{ mp3: 30, opus: 5, wav: 40 }, 'opus', 'OGG', 'speech.ogg'],
      // What isn't smaller isn't tried.
      [{ mp3: 50, opus: 5, wav: 40 }, 'opus', 'OGG', 'speech.ogg'],
    ])('comes smaller, and says so: %j', async (bytes, format, given, name) => {
      sizes = bytes;
      over(20);
      await brought('too-large', job, wav);
      expect(said()).toEqual([
        [`job1:late-${format}`, `> hi\n\n${words('en').tooLargeAs('WAV', given)}`, name],
      ]);
      expect(tried).toHaveLength(bytes.mp3 === 30 ? 3 : 2);
    });

    it('comes in the format that is small enough and not forbidden', async () => {
      sizes = { mp3: 10, opus: 5, wav: 40 };
      refuses = ({ files }) => {
        if (files?.[0]?.name.endsWith('.mp3')) return new PlatformError('file-not-allowed');
        return files?.[0]?.name.endsWith('.wav') ? tooLarge() : undefined;
      };
      await brought('too-large', job, wav);
      expect(done.map(([, key]) => key)).toEqual(['job1:late-opus']);
    });

    it.each([
      [20, 'with its limit', words('en').tooLargeAnywhere(40, 20)],
      [1_000, 'without the limit that it told beforehand', words('en').tooLargeAnywhere(40, undefined)],
    ])('in every format is told by its size, %s bytes: %s', async (told, _, sentence) => {
      limit = told;
      sizes = { mp3: 10, opus: 5, wav: 40 };
      over(2);
      await brought('too-large', job, wav);
      expect(done).toEqual([['post', 'job1:nowhere', { text: sentence, whose }]]);
      expect(await left()).toEqual(nothing);
    });

    it('and for one person alone comes to them smaller', async () => {
      over(20);
      const hidden = { ...job, options: { private: true } };
      await brought('too-large', hidden, wav);
      expect(done.map(([, key]) => key)).toEqual(['job1:private-mp3']);
    });
  });

  it.each([
    ['cannot be converted', false],
    ['no place takes in any format', true],
  ])('that %s is told where it was asked for, and kept no longer', async (_, can) => {
    convertible = can;
    refuses = ({ files }) => (files ? new PlatformError('file-not-allowed') : undefined);
    await brought('file-not-allowed');
    expect(done).toEqual([['post', 'job1:nowhere', { text: words('en').postedNowhere, whose }]]);
    expect(await left()).toEqual(nothing);
  });

  it('that neither its place nor its requester can be sent is told once, tried every hour, and comes once', async () => {
    refuses = ({ files }) => (files ? new PlatformError('no-permission') : undefined);
    const asked = { ...job, id: 'job2', createdAt: clock.now() };
    await createJobs(database).add(asked, 'event2');
    await brought('no-permission', asked);
    await clock.advance(2 * hour);
    await ended();
    expect(done).toEqual([['post', 'job2:held', { text: words('en').keptForYou, whose }]]);
    expect((await deliveries.heldOf(address, asked.requester.id)).map(({ id }) => id)).toEqual(['job2']);
    // Others see what came of it, so it goes with its question or place.
    expect([await deliveries.isOnItsWay(asked), await deliveries.isAlone(asked)]).toEqual([true, false]);
    refuses = () => undefined;
    await clock.advance(hour);
    await ended();
    expect(bytes).toEqual([[1, 2, 3]]);
    expect(await deliveries.bringHeld(asked, async () => ({ ...address, message: '1' }))).toBe(false);
    expect(await left()).toEqual(nothing);
  });

  it('that nobody takes is not tried for ever', async () => {
    refuses = () => new PlatformError('no-permission');
    await brought('no-permission');
    expect(new Set(tried).size).toBe(tried.length);
    expect(await left()).toEqual(nothing);
  });

  it('reaches people though neither disk nor database takes anything', async () => {
    spool.write = () =>
      Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' }));
    const other = { ...job, id: 'job2' };
    await createJobs(database).add(other, 'event2');
    await sql`pragma query_only = 1`.execute(database);
    const said: Message[] = [];
    await deliveries.deliver(job, clip, async () => {
      said.push(clip);
      return [];
    });
    expect(said).toHaveLength(1);
    expect(deliveries.outstanding).toBe(1);
    refuses = away;
    const bringing = inVain('unreachable', other);
    await clock.advance(hour);
    refuses = () => undefined;
    await clock.advance(hour);
    await bringing;
    expect(bytes).toEqual([[1, 2, 3]]);
    // What is to be written down is waited for, and shown.
    expect(troubles.notReady()).toMatch(/readonly database/);
    await sql`pragma query_only = 0`.execute(database);
    await ended();
    expect(troubles.notReady()).toBeUndefined();
  });

  it('ends the sign that its command is at work', async () => {
    await brought('unreachable', answered);
    expect(settled).toEqual([{ text: words('en').postedBelow }]);
  });

  it('ends that sign also where the process died before it could', async () => {
    const other = { ...job, id: 'job2', eventId: 'event2', acknowledgement: { token: 't' } };
    await createJobs(database).add(other, 'event2');
    const reached = Promise.withResolvers<void>();
    settling = () => {
      reached.resolve();
      return new Promise(() => {});
    };
    await inVain('unreachable', other);
    while (done.length === 0) if (!(await clock.runNext(soon))) await settle();
    await reached.promise;
    settling = async () => {};
    deliveries = create();
    await deliveries.resume(await deliveries.pendingIds());
    await ended();
    expect(settled).toEqual([{ text: words('en').postedBelow }]);
    expect(new Set(done.map(([, key]) => key)).size).toBe(1);
  });

  it('that came directly is not said to stand below', async () => {
    refuses = () => (hasPlace() ? new PlatformError('refused') : undefined);
    await brought('refused', answered);
    expect(settled).toEqual([{ text: words('en').postedDirectly('refused') }]);
  });

  it.each([
    ['no-permission', 'I’m not allowed to'],
    ['refused', 'it wasn’t accepted'],
    ['file-not-allowed', 'files like this aren’t allowed'],
    ['too-large', 'the file is too large'],
  ] as const)(
    'that its place refuses (%s) says in the direct messages why it is there',
    async (kind, reason) => {
      convertible = false;
      refuses = () => (hasPlace() ? new PlatformError(kind) : undefined);
      await brought(kind);
      const note = `I couldn’t post this where you asked for it because ${reason}, so I’m sending it here.`;
      expect(done.map(([, , { text }]) => text)).toEqual([`${note}\n\n> hi`]);
    },
  );

  it('says why by the first refusal, in the language of who asked', async () => {
    const kinds = ['file-not-allowed', 'refused', 'refused', 'refused', 'refused', 'refused'] as const;
    let refusals = 0;
    convertible = false;
    refuses = () => (hasPlace() ? new PlatformError(kinds[refusals++] ?? 'refused') : undefined);
    const requester = { ...job.requester, locale: 'zh-CN' } as const;
    await brought('refused', { ...job, requester });
    expect(done.map(([, , { text }]) => text)).toEqual([
      '不允许发送这类文件，无法发到你提问的地方，所以发到这里。\n\n> hi',
    ]);
  });

  it('that no place takes is not said to be posted: who asked is told, once', async () => {
    refuses = ({ files }, what) =>
      what === 'settle' && !files ? undefined : new PlatformError('file-not-allowed');
    await brought('file-not-allowed', answered);
    expect(done).toEqual([]);
    expect(settled).toEqual([{ text: words('en').postedNowhere, whose }]);
  });

  it('that the bot may not post comes by what the acknowledgement left, and nothing is said below', async () => {
    refuses = (_, what) => (what === 'settle' ? undefined : new PlatformError('no-permission'));
    await brought('no-permission', answered);
    expect(done).toEqual([]);
    expect(settled).toMatchObject([{ text: '> hi', files: [{ kind: 'voice' }] }]);
  });

  it('that only its requester may see is shown to nobody else', async () => {
    await brought('unreachable', hidden);
    expect(tried).toEqual([]);
    expect(settled).toMatchObject([{ text: '> hi' }]);
  });
});

describe('an answer for one person alone', () => {
  it('goes to them directly where the place shows them nothing any more', async () => {
    refuses = (_, what) => (what === 'settle' ? new PlatformError('expired') : undefined);
    await brought('expired', hidden, { text: 'The tides' });
    expect(done).toMatchObject([['post', 'job1:direct', { text: 'The tides' }]]);
    expect(hasPlace()).toBe(false);
  });
});

describe('a clip for one person alone', () => {
  const noFiles = (what: string) => (what === 'settle' ? new PlatformError('refused') : undefined);

  it('goes to them directly where its place shows no file to one person', async () => {
    refuses = (_, what) => noFiles(what);
    await brought('refused', hidden);
    expect(hasPlace()).toBe(false);
    expect(done.map(([, key]) => key)).toEqual(['job1:direct']);
    expect(bytes).toEqual([[1, 2, 3]]);
  });

  it('goes to them directly in another format where its kind is forbidden', async () => {
    refuses = ({ files }, what) =>
      noFiles(what) ??
      (files?.[0]?.name.endsWith('.ogg') ? new PlatformError('file-not-allowed') : undefined);
    await brought('file-not-allowed', hidden);
    expect(hasPlace()).toBe(false);
    expect(done.map(([, key]) => key)).toEqual(['job1:private-mp3']);
  });
});

describe('a finished answer', () => {
  const text = `${'word '.repeat(smallestMaxLength / 2)}\n\nend`;
  const shown = [{ ...address, message: 'm1' }];
  const growing = () =>
    createLiveAnswers(database).save(job.id, { messages: shown, lastText: 'word word' }, 'growing');

  it('costs no record where it is said', async () => {
    await deliveries.deliver(job, { text }, async () => {
      expect(await left()).toEqual(nothing);
      return [];
    });
    expect(await left()).toEqual(nothing);
  });

  it.each([
    ['refused', ['One **two', '**three** four.']],
    ['gone', ['One **two three** four.']],
  ] as const)('whose beginning cannot be changed (%s) is not read twice', async (kind, said) => {
    const beginning = { messages: shown, lastText: 'One **two' };
    await createLiveAnswers(database).save(job.id, beginning, 'growing');
    refuses = (_, what) => (what === 'edit' ? new PlatformError(kind) : undefined);
    await brought('unreachable', job, { text: 'One **two three** four.', buttons });
    const posted = done.map(([, , message]) => message);
    expect([...(kind === 'refused' ? [beginning.lastText] : []), ...posted.map(({ text }) => text)]).toEqual(
      said,
    );
    expect(posted.at(-1)?.buttons).toEqual(buttons);
  });

  it('whose last words were not taken goes on below what is shown, whole', async () => {
    await growing();
    refuses = away;
    await inVain('unreachable', job, { text, buttons });
    await clock.advance(hour);
    refuses = () => undefined;
    await ended();
    const [[what, key, first] = [], ...rest] = done;
    expect([what, key]).toEqual(['edit', 'm1']);
    expect(rest.every(([posted]) => posted === 'post')).toBe(true);
    const all = [first, ...rest.map(([, , message]) => message)];
    expect(
      all
        .map((message) => message?.text)
        .join(' ')
        .replace(/\s+/g, ' '),
    ).toBe(text.replace(/\s+/g, ' ').trim());
    expect(all.at(-1)?.buttons).toEqual(buttons);
    expect(all.slice(0, -1).every((message) => message?.buttons === undefined)).toBe(true);
  });

  it('is left to the next process where the bot stops while the platform is away', async () => {
    await growing();
    const bringing = deliveries.deliver(job, { text, buttons }, () => new Promise(() => {}));
    await settle();
    deliveries.stop();
    await bringing;
    expect((await left()).rows).toBe(1);
    expect(await restart()).toBe(1);
    await ended();
    expect(done[0]?.slice(0, 2)).toEqual(['edit', 'm1']);
    expect(await left()).toEqual(nothing);
  });

  it('that is refused as a message comes as a file', async () => {
    refuses = (message) => (message.text === undefined ? undefined : new PlatformError('refused'));
    await brought('refused', job, { text, buttons });
    expect(done.map(([, key]) => key)).toEqual(['job1:late-file']);
    expect(Buffer.from(bytes[0] ?? []).toString()).toBe(text);
  });
});

describe('where nobody hears what is deleted for now', () => {
  /** A clip that an earlier process left isn't posted. */
  async function leftInVain(): Promise<void> {
    refuses = away;
    await inVain();
    await deliveries.close();
    refuses = () => undefined;
    tried = [];
    hears = async (at) => {
      expect(at).toEqual(address);
      return false;
    };
    await restart();
    await clock.advance(60_000);
    expect(tried).toEqual([]);
  }

  it('a clip is posted once somebody does', async () => {
    await leftInVain();
    hears = async () => true;
    await ended();
    expect(tried).toEqual([`post event:0 at ${address.channel}`]);
  });

  it('one that was deleted meanwhile comes to its requester alone', async () => {
    await leftInVain();
    await createJobs(database).markDeleted(job.id, 'answer');
    hears = async () => true;
    await ended();
    expect(tried).toEqual(['post event:direct:0 at direct']);
  });

  it('one that goes to its requester alone waits for nobody', async () => {
    hears = async () => false;
    await deliveries.deliverAlone(job, clip, { outcome: 'done' });
    await ended();
    expect(tried).toEqual(['post job1:direct at direct']);
  });

  it('one is posted where that can’t be known, since the database is away', async () => {
    hears = failing(away());
    refuses = away;
    await inVain();
    refuses = () => undefined;
    await ended();
    expect(done.map(([what, key]) => `${what} ${key}`)).toEqual(['post job1:late']);
  });
});
