import { readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fileRoutes, maxUploadBytes, readRange } from '../../../../src/platforms/console/routes/files.ts';
import { Files } from '../../../../src/platforms/console/store/files.ts';
import { FolderFiles } from '../../../../src/store/index.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { patience } from '../../../patience.ts';
import { patternFile } from '../support/commands.ts';
import { type StageOptions, startStage } from '../support/stage.ts';

async function withFile(type: string, name = 'film.mp4', size = 1_000, options: StageOptions = {}) {
  const stage = await startStage(options);
  const visitor = await stage.visit();
  const address = await stage.address();
  const file = patternFile(size, { name, contentType: type, kind: 'file', description: name });
  await stage.platform.adapter.post(address, { files: [file] }, 'k');
  const [message] = await visitor.messages(address.channel);
  const { id } = message!.files[0]!;
  const get = (headers: Record<string, string> = {}, query = '') =>
    visitor.fetch(`files/${id}/${encodeURIComponent(name)}${query}`, { headers });
  return { stage, visitor, get };
}

describe('a file of the console', () => {
  it('is served whole, and by range', async () => {
    const { get } = await withFile('video/mp4');
    const whole = await get();
    expect([whole.status, whole.headers.get('accept-ranges')]).toEqual([200, 'bytes']);
    expect((await whole.bytes()).length).toBe(1_000);
    const part = await get({ range: 'bytes=250-252' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 250-252/1000']);
    expect([...(await part.bytes())]).toEqual([250, 0, 1]);
    const end = await get({ range: 'bytes=-2' });
    expect(end.headers.get('content-range')).toBe('bytes 998-999/1000');
    expect((await end.bytes()).length).toBe(2);
    const outside = await get({ range: 'bytes=1000-' });
    expect([outside.status, outside.headers.get('content-range')]).toEqual([416, 'bytes */1000']);
  });

  it('in the database is served as one in a folder is: whole, by range, cut off, and not at all if it is gone', async () => {
    const { stage, get } = await withFile('video/mp4', 'film.mp4', 600_000, { filesInDatabase: true });
    const whole = await (await get()).bytes();
    expect(whole.length).toBe(600_000);
    const part = await get({ range: 'bytes=262140-524300' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 262140-524300/600000']);
    expect(Buffer.compare(await part.bytes(), whole.subarray(262_140, 524_301))).toBe(0);
    const reader = (await get()).body!.getReader();
    await reader.read();
    await reader.cancel();
    await stage.database.deleteFrom('file_chunks').where('start', '>', 0).execute();
    await expect((await get()).bytes()).rejects.toThrow();
    await stage.database.deleteFrom('files').execute();
    expect((await get({ range: 'bytes=0-1' })).status).toBe(404);
  });

  it('is known by its tag', async () => {
    const { get } = await withFile('video/mp4');
    const tag = (await get()).headers.get('etag')!;
    expect((await get({ 'if-none-match': tag })).status).toBe(304);
  });

  it('is shown inline only if it can’t run scripts', async () => {
    const shown = await (await withFile('image/png', 'a.png')).get();
    expect(shown.headers.get('content-disposition')).toMatch(/^inline/);
    expect(shown.headers.get('content-security-policy')).toContain('sandbox');
    expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
    for (const type of [
      'text/html',
      'image/svg+xml',
      'application/xhtml+xml',
      'text/javascript',
      'application/pdf',
    ]) {
      const saved = await (await withFile(type, 'a')).get();
      expect(saved.headers.get('content-disposition'), type).toMatch(/^attachment/);
      expect(saved.headers.get('content-security-policy')).toContain('sandbox');
    }
  });

  it('is saved under its own name, whatever that is', async () => {
    const { get } = await withFile('audio/ogg', `语音 "1" (a)';\r\nx.ogg`);
    const saved = await get({}, '?download');
    expect(saved.headers.get('content-disposition')).toBe(
      `attachment; filename*=UTF-8''%E8%AF%AD%E9%9F%B3%20%221%22%20%28a%29%27%3B%0D%0Ax.ogg`,
    );
  });

  it('that is not there is answered 404', async () => {
    const { visitor } = await withFile('image/png');
    expect((await visitor.fetch('files/none/x.png')).status).toBe(404);
    expect((await visitor.fetch('files/..%2f..%2ftroupe.db/x')).status).toBe(404);
  });
});

describe('an upload', () => {
  it('whose content is gone is answered 404', async () => {
    const { stage, get } = await withFile('video/mp4');
    const said = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => said.mockRestore());
    for (const name of await readdir(stage.filesFolder)) await rm(join(stage.filesFolder, name));
    expect((await get()).status).toBe(404);
    expect((await get({ range: 'bytes=0-1' })).status).toBe(404);
    expect(said).not.toHaveBeenCalled();
  });

  it('whose download is cancelled or fails in the middle causes at most one log line', async () => {
    const { stage, get } = await withFile('video/mp4', 'film.mp4', 20_000_000);
    const said = [vi.spyOn(console, 'error').mockReturnValue(), vi.spyOn(console, 'info').mockReturnValue()];
    onTestFinished(() => said.forEach((spy) => void spy.mockRestore()));
    const { body } = await get();
    const reader = body!.getReader();
    await reader.read();
    await reader.cancel();
    const [name] = await readdir(stage.filesFolder);
    const whole = await get();
    await truncate(join(stage.filesFolder, name!), 1_000_000);
    await expect(whole.bytes()).rejects.toThrow();
    // Its connection is closed; what follows comes on another one.
    expect((await get({ range: 'bytes=0-1' })).status).toBe(206);
    expect(said.flatMap((spy) => spy.mock.calls)).toEqual([]);
  });

  it('whose reader goes away while it is read on is no fault', async () => {
    const { stage } = await withFile('video/mp4');
    const readOn = Promise.withResolvers<void>();
    class SlowFiles extends FolderFiles {
      override async *read(...asked: Parameters<FolderFiles['read']>) {
        yield* super.read(...asked);
        await readOn.promise;
      }
    }
    const faults: object[] = [];
    const files = new Files(stage.database, new SlowFiles(stage.filesFolder), new FakeClock());
    const [row] = await stage.database.selectFrom('console_files').selectAll().execute();
    const routes = fileRoutes(files, { error: (fault: object) => void faults.push(fault) });
    const { body } = await routes.request(`/files/${row?.id}/film.mp4`);
    const reader = body!.getReader();
    expect((await reader.read()).value).toHaveLength(1_000);
    await nextTurn();
    const cancelled = reader.cancel();
    readOn.resolve();
    await cancelled;
    await nextTurn();
    expect(faults).toEqual([]);
  });

  it('is accepted up to the limit, and leaves nothing behind beyond it', async () => {
    const stage = await startStage();
    const visitor = await stage.visit();
    const upload = (body: Uint8Array<ArrayBuffer> | ReadableStream, more: RequestInit = {}) =>
      visitor.fetch('files?name=a.png&type=image/png', { method: 'POST', body, ...more });
    expect((await upload(new Uint8Array(maxUploadBytes))).status).toBe(201);
    const stored = await readdir(stage.filesFolder);
    const tooLarge = await upload(new Uint8Array(maxUploadBytes + 1));
    expect([tooLarge.status, await tooLarge.json()]).toEqual([413, { error: 'too-large' }]);
    const unknownLength = ReadableStream.from([new Uint8Array(maxUploadBytes), new Uint8Array(1)]);
    const streamed = await upload(unknownLength, { duplex: 'half' } as RequestInit);
    expect(streamed.status).toBe(413);
    expect(await readdir(stage.filesFolder)).toEqual(stored);
    expect((await visitor.fetch('files?type=image/png', { method: 'POST', body: 'x' })).status).toBe(400);
  });

  it('gets a type that is one, whatever its sender says', async () => {
    const stage = await startStage();
    const visitor = await stage.visit();
    expect(await visitor.upload('a', 'Image/PNG; x=y', Uint8Array.of(1))).toMatchObject({
      contentType: 'image/png',
      kind: 'image',
    });
    expect(await visitor.upload('a', 'nonsense\r\nx: y', Uint8Array.of(1))).toMatchObject({
      contentType: 'application/octet-stream',
      kind: 'file',
    });
  });

  it('that is never sent is deleted within an hour of its day, and never while it still comes', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ clock });
    const visitor = await stage.visit();
    const sent = () => readdir(stage.filesFolder);
    await visitor.upload('a', 'text/plain', Buffer.from('abc'));
    await clock.advance(23.5 * 3_600_000);
    expect(await sent()).toHaveLength(1);
    const coming = Promise.withResolvers<void>();
    const upload = visitor.fetch('files?name=b&type=text/plain', {
      method: 'POST',
      body: Readable.toWeb(
        Readable.from(
          (async function* () {
            yield Buffer.from('ab');
            await coming.promise;
            yield Buffer.from('c');
          })(),
        ),
      ) as ReadableStream,
      duplex: 'half',
    } as RequestInit);
    await vi.waitUntil(async () => (await sent()).length === 2, patience);
    await clock.advance(2 * 3_600_000);
    await vi.waitUntil(async () => (await sent()).length === 1, patience);
    coming.resolve();
    expect((await upload).status).toBe(201);
    expect(await sent()).toHaveLength(1);
  });

  it('that is never sent is deleted after a day, with what a crash left', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ clock });
    const visitor = await stage.visit();
    const kept = await stage.platform.adapter.post(
      await stage.address(),
      { files: [patternFile(3, { name: 'a', contentType: 'a/b', kind: 'file', description: 'a' })] },
      'k',
    );
    await visitor.upload('old.png', 'image/png', Uint8Array.of(1));
    await clock.advance(20 * 3_600_000);
    await visitor.upload('new.png', 'image/png', Uint8Array.of(1));
    const left = join(stage.filesFolder, 'left-by-a-crash');
    await writeFile(left, 'x');
    await utimes(left, 0, 0);
    await clock.advance(5 * 3_600_000);
    await stage.restart();
    await vi.waitUntil(async () => (await readdir(stage.filesFolder)).length === 2, patience);
    expect((await stage.platform.adapter.attachments(kept)).length).toBe(1);
  });
});

describe('a range', () => {
  it.each([
    [undefined, 'whole'],
    ['bytes=0-9', { start: 0, end: 9 }],
    ['bytes=5-', { start: 5, end: 99 }],
    ['bytes=-5', { start: 95, end: 99 }],
    ['bytes=-500', { start: 0, end: 99 }],
    ['bytes=90-500', { start: 90, end: 99 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=9-5', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=0-1,5-6', 'whole'],
    ['lines=0-1', 'whole'],
  ] as const)('%s of a hundred bytes is %o', (header, expected) => {
    expect(readRange(header, 100)).toEqual(expected);
  });
});
