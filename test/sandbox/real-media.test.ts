import { describe, expect, it, onTestFinished } from 'vitest';
import type { Clock } from '../../src/lib/clock.ts';
import { createSandbox, type Studio } from '../../src/sandbox/index.ts';
import { MediaStudio } from '../../src/sandbox/media/studio.ts';
import { checks, run } from '../conformance/run.ts';
import type { Answered } from './support/service.ts';

const key = 'sk-svc-real';

/** Waits for no more than the media itself, which takes its time on a busy machine. */
const hasty: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  jitter: () => 1,
  after(milliseconds, task) {
    const timer = setTimeout(task, Math.min(milliseconds, 250));
    return () => clearTimeout(timer);
  },
};

/** The real studio, whose pictures and films have an eighth of the width and height. */
function smallMedia(): Studio {
  const studio = new MediaStudio();
  const small = <Order extends { width: number; height: number }>(order: Order): Order => ({
    ...order,
    width: 2 * Math.ceil(order.width / 16),
    height: 2 * Math.ceil(order.height / 16),
  });
  return {
    speak: (...order) => studio.speak(...order),
    draw: (order, signal) => studio.draw(small(order), signal),
    film: (order, onProgress, signal) => studio.film(small(order), onProgress, signal),
    close: () => studio.close(),
  };
}

async function start(media?: Studio) {
  const sandbox = createSandbox({ pace: 'instant', renderTime: 0, limits: 'off', ...(media && { media }) });
  const { url, close } = await sandbox.listen();
  onTestFinished(close);
  const headers = { authorization: `Bearer ${key}` };
  const request = async (path: string, body?: object) => {
    const post = body && { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(url + path, { headers, ...post });
    return { status: response.status, body: (await response.json()) as Answered['body'] };
  };
  return { url, request };
}

describe('the sandbox with its real media', () => {
  it('keeps the whole description, and meters what conformance says it costs', async () => {
    const { url, request } = await start(smallMedia());
    const lines: string[] = [];
    const counts = await run({ url, key }, ['free', 'paid'], (line) => lines.push(line), hasty);
    expect(lines.filter((line) => /^(?:fail|differs)/.test(line))).toEqual([]);
    expect(counts.pass).toBe(checks.length - 1);
    const { operations } = (await request('/sandbox/meter')).body;
    expect(operations).toMatchObject({
      image: { calls: 3, credits: 66 },
      video: { calls: 1, credits: 148 },
      speech: { calls: 8 },
    });
    expect(operations.speech.credits).toBeGreaterThanOrEqual(1);
    expect(operations.speech.credits).toBeLessThan(5);
  }, 240_000);

  it('draws over reference images, and refuses those that cannot be read', async () => {
    const { request } = await start();
    const draw = (references: string[], more: object = {}) =>
      request('/images/generations', {
        prompt: 'a cat',
        size: '320x240',
        reference_images: references,
        ...more,
      });
    const plain = (await draw([])).body.data[0].b64_json;
    const drawn = (await draw([`data:image/png;base64,${plain}`])).body.data[0].b64_json;
    expect(drawn).not.toBe(plain);
    for (const image of [plain, drawn]) {
      const png = Buffer.from(image, 'base64');
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([320, 240]);
    }
    const broken = 'data:image/png;base64,aGVsbG8=';
    const refused = await draw([broken]);
    expect(refused).toMatchObject({ status: 400, body: { error: { param: 'reference_images[0]' } } });
    const { id } = (await draw([broken], { async: true })).body;
    let { body } = await request(`/images/generations/${id}`);
    while (body.status !== 'failed') ({ body } = await request(`/images/generations/${id}`));
    expect(body.error).toMatchObject({ code: 'invalid_parameter', param: 'reference_images[0]' });
    expect((await request('/sandbox/meter')).body.credits).toBe(44);
  });
});
