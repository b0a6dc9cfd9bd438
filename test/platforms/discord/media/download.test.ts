import { expect, it, onTestFinished, vi } from 'vitest';
import { download } from '../../../../src/platforms/discord/media/attached-files.ts';

it('an attached file whose connection breaks may be read later', async () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  const pieces = [new Uint8Array(5)];
  const broken = new ReadableStream({
    pull(controller) {
      const piece = pieces.pop();
      if (piece) controller.enqueue(piece);
      else controller.error(new TypeError('terminated'));
    },
  });
  vi.stubGlobal('fetch', async () => new Response(broken));
  const file = download('https://cdn.discordapp.com/attachments/1/2/a.png', 100);
  await expect(file).rejects.toMatchObject({ kind: 'unreachable' });
});

it.each([
  [403, 'gone'],
  [404, 'gone'],
  [429, 'unreachable'],
  [503, 'unreachable'],
])('an attached file that’s answered with %d is %s', async (status, kind) => {
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal('fetch', async () => new Response('no', { status }));
  const file = download('https://cdn.discordapp.com/attachments/1/2/a.png', 100);
  await expect(file).rejects.toMatchObject({ kind });
});
