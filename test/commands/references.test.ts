import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createCanvas } from '@napi-rs/canvas';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { referencesOf } from '../../src/renders/lifecycle/submit.ts';
import type { ImageRequest } from '../../src/service/index.ts';
import { Images } from '../../src/service/operations/images.ts';
import { en } from '../../src/words/en.ts';
import { ann, here, Stage } from './support/stage.ts';

/** Two images without a public address, as Slack's and the console's are. */
const images = [4, 5].map((size) => createCanvas(size, size).toBuffer('image/png'));
const given = Object.fromEntries(
  images.map((bytes, index) => [
    `reference_${index + 1}`,
    { name: 'x.png', contentType: 'image/png', size: bytes.length, source: String(index) },
  ]),
);
const dataUrls = images.map((bytes) => `data:image/png;base64,${bytes.toString('base64')}`);
const link = 'https://example.com/a.png';

let stage: Stage;
/** The images of each request that was sent. */
let sent: string[][];
/** Told of each image that's read from the platform. */
let reading: (source: unknown) => Promise<void>;

beforeEach(async () => {
  [sent, reading] = [[], async () => {}];
  const { submit } = Images.prototype;
  vi.spyOn(Images.prototype, 'submit').mockImplementation(async function (this: Images, request, options) {
    const task = await submit.call(this, request, options);
    sent.push(await Promise.all((request.reference_images ?? []).map(whole)));
    return task;
  });
  const { adapter } = Stage.prototype;
  vi.spyOn(Stage.prototype, 'adapter').mockImplementation(function (this: Stage, ...args) {
    const readFile = async ({ source }: { readonly source?: unknown }) => {
      await reading(source);
      return images[Number(source)] ?? new Uint8Array();
    };
    return { ...adapter.apply(this, args), readFile };
  });
  stage = await Stage.open({ crashes: true });
});
afterEach(() => void vi.restoreAllMocks());

async function whole(reference: NonNullable<ImageRequest['reference_images']>[number]): Promise<string> {
  return typeof reference === 'string' ? reference : text(reference.read());
}

const imagine = (prompt: string, more: object = {}, address = here) =>
  stage.give('imagine', { prompt, ...given, ...more }, ann, address);
const rows = () => stage.database.selectFrom('renders').selectAll().orderBy('part').execute();
const stored = async () => {
  const jobs = new Set((await rows()).map(({ job }) => job));
  const kept = await Promise.all([...jobs].map((job) => stage.files('spool').has(referencesOf(job))));
  return kept.filter(Boolean).length;
};
/** The service takes its request only later. */
const later = 'a cat [[rate limit 40 once]]';
/** An image is ordered, and waits until the service takes it. */
const waits = async () => {
  await imagine(later);
  await stage.until(() => stage.buttons.includes('Cancel'));
};

it('images that others are drawn from are in one file until all requests of their command are sent', async () => {
  await imagine(later, { reference_urls: link, count: 3 });
  expect(await stored()).toBe(1);
  for (const { request } of await rows()) expect(request.length).toBeLessThan(500);
  await stage.until(() => sent.length === 3);
  expect(sent).toEqual(Array(3).fill([...dataUrls, link]));
  await stage.until(async () => (await stored()) === 0);
  await stage.rendersEnded();
  expect(stage.latest.message.files).toHaveLength(3);
});

it('they’re sent after a crash, too, and swept only once nothing needs them', async () => {
  await waits();
  const sweep = async () =>
    // As if it had been written long ago.
    stage.files('spool').sweep(new Set(await stage.bot.renders.neededFiles()), -60_000);
  await sweep();
  await stage.crash();
  await stage.until(() => sent.length === 1);
  expect(sent).toEqual([dataUrls]);
  await stage.rendersEnded();
  const files = stage.files('spool');
  await files.write(referencesOf('left'), Readable.from([Buffer.from('x')]));
  await sweep();
  expect(await files.has(referencesOf('left'))).toBe(false);
});

it('they’re forgotten with what is canceled', async () => {
  await waits();
  await stage.press('Cancel');
  await stage.rendersEnded();
  expect([sent, await stored()]).toEqual([[], 0]);
});

it('nothing is sent or charged without them', async () => {
  await waits();
  const [{ job } = { job: '' }] = await rows();
  await stage.files('spool').remove(referencesOf(job));
  await stage.crash();
  await stage.rendersEnded();
  expect(sent).toEqual([]);
  expect(await stage.ledgerStates()).toEqual(['failed']);
});

it('where they’re lost, their person is told so, and can try again', async () => {
  await waits();
  const [{ job } = { job: '' }] = await rows();
  await stage.files('spool').remove(referencesOf(job));
  await stage.crash();
  await stage.rendersEnded();
  expect(stage.latest.message.text).toContain(en.errors.imagesLost);
  await stage.press('Try again');
  await stage.rendersEnded();
  expect(sent).toEqual([dataUrls]);
});

it('nothing is lost where reading them fails while they’re sent: they’re sent again', async () => {
  const { prototype } = stage.files('spool').constructor;
  const read = vi.spyOn(prototype, 'read').mockImplementationOnce(async function* () {
    yield Buffer.from('data:');
    throw Object.assign(new Error('the database is away'), { code: 'ERR_POSTGRES_AWAY' });
  });
  await imagine('a cat');
  await stage.until(() => sent.length === 1);
  await stage.rendersEnded();
  expect(sent).toEqual([dataUrls]);
  expect(read.mock.calls.length).toBeGreaterThan(1);
  expect((await rows()).map(({ state }) => state)).toEqual(['delivered']);
});

it('those that a former version has on record in their renders’ rows are sent', async () => {
  await waits();
  const request = JSON.stringify({ prompt: 'a cat', response_format: 'url', reference_images: dataUrls });
  await stage.database.updateTable('renders').set({ request }).execute();
  await stage.crash();
  await stage.until(() => sent.length === 1);
  expect(sent).toEqual([dataUrls]);
  await stage.rendersEnded();
});

it('only one at a time of a person’s commands has its images in memory', async () => {
  const [first, read] = [Promise.withResolvers<void>(), [] as unknown[]];
  reading = async (source) => {
    read.push(source);
    await first.promise;
  };
  const both = Promise.all([imagine('a cat'), imagine('a dog', {}, { ...here, channel: 'other' })]);
  await stage.until(() => read.length > 0);
  await stage.clock.advance(1_000);
  expect(read).toHaveLength(1);
  first.resolve();
  await both;
  await stage.rendersEnded();
  expect(sent).toEqual([dataUrls, dataUrls]);
});
