import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Database,
  databaseFiles,
  type FileStore,
  type FileStores,
  folderFiles,
} from '../../src/store/index.ts';
import { databaseOfTest } from '../fakes/database.ts';
import { databases } from '../fakes/postgres/index.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const hour = 3_600_000;

interface Opened {
  readonly stores: FileStores;
  /** Makes what is there so much older. */
  age(milliseconds: number): Promise<void>;
}

async function inFolder(): Promise<Opened> {
  const folder = await temporaryFolder();
  const { readdir, stat, utimes } = await import('node:fs/promises');
  const age = async (milliseconds: number) => {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = join(entry.parentPath, entry.name);
      const at = ((await stat(file)).mtimeMs - milliseconds) / 1000;
      await utimes(file, at, at);
    }
  };
  return { stores: folderFiles(folder), age };
}

async function inDatabase(url: string): Promise<Opened & { database: Database }> {
  const database = await databaseOfTest(url);
  const age = async (milliseconds: number) => {
    await database
      .updateTable('files')
      .set(({ eb }) => ({ written_at: eb('written_at', '-', milliseconds) }))
      .execute();
  };
  return { stores: databaseFiles(database), age, database };
}

const kinds = [
  { name: 'a folder', make: inFolder },
  ...databases.map(({ name, fresh }) => ({ name, make: async () => inDatabase(await fresh()) })),
];

/** Bytes that tell where they are from. */
function pattern(size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  for (let index = 0; index < size; index++) bytes[index] = (index * 31 + (index >> 8)) & 0xff;
  return bytes;
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

async function all(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(content));
}

describe.each(kinds)('files in $name', ({ make }) => {
  let opened: Opened;
  let store: FileStore;

  beforeEach(async () => {
    opened = await make();
    store = opened.stores('spool');
  });

  it.each([
    [0, 1],
    [1, 1],
    [1_000, 7],
    [262_144, 262_144],
    [262_145, 65_536],
    [1_500_000, 400_000],
    [600_000, 600_000],
  ])('come back as they were: %d bytes in pieces of %d', async (size, piece) => {
    const bytes = pattern(size);
    expect(await store.write('a', pieces(bytes, piece))).toBe(size);
    expect(await store.has('a')).toBe(true);
    expect((await all(store.read('a'))).equals(bytes)).toBe(true);
  });

  it('are read in part, across any border', async () => {
    const bytes = pattern(700_000);
    await store.write('a', pieces(bytes, 100_000));
    for (const [start, end] of [
      [0, 0],
      [262_143, 262_144],
      [5, 699_999],
      [262_144, 524_287],
      [699_999, 699_999],
    ] as const) {
      const part = await all(store.read('a', { start, end }));
      expect(part.equals(bytes.subarray(start, end + 1))).toBe(true);
    }
  });

  it('are one thing in each kind of file', async () => {
    await store.write('a', pieces(pattern(10), 10));
    const versions = opened.stores('versions');
    expect(await versions.has('a')).toBe(false);
    await versions.write('a', pieces(pattern(3), 3));
    await versions.remove('a');
    expect((await all(store.read('a'))).byteLength).toBe(10);
  });

  it('are replaced as a whole', async () => {
    await store.write('a', pieces(pattern(600_000), 50_000));
    const shorter = pattern(300_000).reverse();
    await store.write('a', pieces(shorter, 50_000));
    expect((await all(store.read('a'))).equals(shorter)).toBe(true);
  });

  it("aren't there before they're complete, and leave nothing if they break off", async () => {
    const half = Promise.withResolvers<void>();
    async function* breaks() {
      yield pattern(600_000);
      await half.promise;
      throw new Error('cut off');
    }
    const writing = store.write('a', breaks());
    expect(await store.has('a')).toBe(false);
    half.resolve();
    await expect(writing).rejects.toThrow('cut off');
    expect(await store.has('a')).toBe(false);
    await expect(all(store.read('a'))).rejects.toThrow();
  });

  it('stay as they were when their replacement breaks off', async () => {
    const bytes = pattern(300_000);
    await store.write('a', pieces(bytes, 300_000));
    async function* breaks() {
      yield pattern(600_000);
      throw new Error('cut off');
    }
    await expect(store.write('a', breaks())).rejects.toThrow('cut off');
    expect((await all(store.read('a'))).equals(bytes)).toBe(true);
  });

  it('go when they are removed, and removing what is not there is nothing', async () => {
    await store.write('a', pieces(pattern(300_000), 300_000));
    await store.remove('a');
    await store.remove('a');
    expect(await store.has('a')).toBe(false);
    await expect(all(store.read('a'))).rejects.toThrow();
  });

  it('are swept if nobody needs them and they are not young', async () => {
    await store.write('needed', pieces(pattern(10), 10));
    await store.write('left', pieces(pattern(10), 10));
    await store.sweep(new Set(['needed']), hour);
    expect(await store.has('left')).toBe(true);
    await opened.age(2 * hour);
    await store.write('young', pieces(pattern(10), 10));
    await store.sweep(new Set(['needed']), hour);
    const there = ['needed', 'left', 'young'].map((id) => store.has(id));
    expect(await Promise.all(there)).toEqual([true, false, true]);
  });
});

describe.each(databases)('files in the database, on $name', ({ fresh }) => {
  let database: Database;
  let age: Opened['age'];
  let store: FileStore;
  const rows = async () => [
    (await database.selectFrom('files').select('key').execute()).length,
    (await database.selectFrom('file_chunks').select('start').execute()).length,
  ];

  beforeEach(async () => {
    const opened = await inDatabase(await fresh());
    ({ database, age } = opened);
    store = opened.stores('spool');
  });

  it('free their rows', async () => {
    await store.write('a', pieces(pattern(600_000), 100_000));
    await store.write('a', pieces(pattern(300_000), 100_000));
    expect(await rows()).toEqual([1, 2]);
    await store.remove('a');
    expect(await rows()).toEqual([0, 0]);
  });

  it('that a process left half-written when it died are swept, whoever is said to need them', async () => {
    const file = { key: 'k', kind: 'spool', id: 'a', size: null, written_at: Date.now() } as const;
    await database.insertInto('files').values(file).execute();
    await database
      .insertInto('file_chunks')
      .values({ file: 'k', start: 0, content: pattern(9) })
      .execute();
    await store.sweep(new Set(['a']), hour);
    expect(await rows()).toEqual([1, 1]);
    await age(2 * hour);
    await store.sweep(new Set(['a']), hour);
    expect(await rows()).toEqual([0, 0]);
  });

  it('are written and read a chunk at a time', async () => {
    async function* content() {
      for (let taken = 0; taken < 8; taken++) {
        // Each piece is taken only when the one before it is in the database.
        expect(await rows()).toEqual([1, taken]);
        yield pattern(262_144);
      }
    }
    expect(await store.write('a', content())).toBe(8 * 262_144);
    for await (const piece of store.read('a')) expect(piece.byteLength).toBeLessThanOrEqual(2 ** 20);
  });

  it('end with an error where a part is missing or the file goes while it is read', async () => {
    await store.write('a', pieces(pattern(600_000), 100_000));
    await database.deleteFrom('file_chunks').where('start', '=', 262_144).execute();
    await expect(all(store.read('a'))).rejects.toThrow('part of a file');
    await store.write('a', pieces(pattern(600_000), 100_000));
    const reader = store.read('a')[Symbol.asyncIterator]();
    await reader.next();
    await store.remove('a');
    await expect(reader.next()).rejects.toThrow('part of a file');
  });

  it('are not mixed up when one is written anew while it is read', async () => {
    await store.write('a', pieces(pattern(600_000), 100_000));
    const reader = store.read('a')[Symbol.asyncIterator]();
    await reader.next();
    await store.write('a', pieces(pattern(600_000).reverse(), 100_000));
    await expect(reader.next()).rejects.toThrow('part of a file');
  });

  it('that are swept while they are written are not finished', async () => {
    async function* content() {
      yield pattern(262_144);
      yield pattern(262_144);
      await age(2 * hour);
      await store.sweep(new Set(), hour);
      yield pattern(262_144);
    }
    await expect(store.write('a', content())).rejects.toThrow('deleted while');
    expect(await store.has('a')).toBe(false);
  });
});

describe('a folder whose names the system brings to the disk by itself, as Windows and some network drives do', () => {
  it('keeps files', async () => {
    const { stores } = await inFolder();
    const store = stores('spool');
    await withoutFolderFlush(() => store.write('a', pieces(pattern(10), 10)));
    expect((await all(store.read('a'))).equals(pattern(10))).toBe(true);
  });
});

/** Where folders can't be flushed. */
async function withoutFolderFlush<T>(work: () => Promise<T>): Promise<T> {
  await using opened = await open(await temporaryFolder());
  const handles = Object.getPrototypeOf(opened) as FileHandle;
  const { sync } = handles;
  handles.sync = async function () {
    if ((await this.stat()).isDirectory())
      throw Object.assign(new Error('EPERM: operation not permitted, fsync'), { code: 'EPERM' });
    return sync.call(this);
  };
  try {
    return await work();
  } finally {
    handles.sync = sync;
  }
}
