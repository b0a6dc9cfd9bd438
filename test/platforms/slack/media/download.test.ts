import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { download } from '../../../../src/platforms/slack/media/files.ts';

afterEach(() => vi.unstubAllGlobals());

/** Where the token went. */
function sentTo(): string[] {
  const seen: string[] = [];
  vi.stubGlobal('fetch', async (address: string, { headers }: { headers: Record<string, string> }) => {
    seen.push(`${address} ${headers.authorization}`);
    return new Response(new Uint8Array([1, 2, 3]), { headers: { 'content-type': 'image/png' } });
  });
  return seen;
}

describe('a private file is read with the token', () => {
  test.each([
    ['https://files.slack.com/files-pri/T1-F1/a.png', 'https://slack.com/api/'],
    ['https://files.slack-gov.com/files-pri/T1-F1/a.png', 'https://slack-gov.com/api/'],
    ['https://slack-gov.com/files-pri/T1-F1/a.png', 'https://slack-gov.com/api/'],
    ['http://127.0.0.1:4000/files-pri/a.png', 'http://127.0.0.1:4000/api/'],
  ])('at %s, where the Web API is at %s', async (address, apiUrl) => {
    const seen = sentTo();
    expect(await download(address, 'xoxb-1', apiUrl, 100)).toHaveLength(3);
    expect(seen).toEqual([`${address} Bearer xoxb-1`]);
  });

  test.each([
    ['http://files.slack-gov.com/a.png', 'https://slack-gov.com/api/'],
    ['https://files.slack-gov.com.evil.example/a.png', 'https://slack-gov.com/api/'],
    ['https://evilslack-gov.com/a.png', 'https://slack-gov.com/api/'],
    ['https://files.slack-gov.com/a.png', 'https://slack.com/api/'],
    ['https://127.0.0.1:4001/a.png', 'http://127.0.0.1:4000/api/'],
    ['nothing', 'https://slack.com/api/'],
    // There the token would do what somebody else wants.
    ['https://slack.com/api/conversations.history?channel=C1', 'https://slack.com/api/'],
    ['https://acme.slack.com/api/chat.postMessage?channel=C1&text=x', 'https://slack.com/api/'],
    ['https://files.slack.com/files-pri/%2e%2e/api/auth.test', 'https://slack.com/api/'],
    ['http://127.0.0.1:4000/api/auth.test', 'http://127.0.0.1:4000/api/'],
  ])('and never at %s, where the Web API is at %s', async (address, apiUrl) => {
    const seen = sentTo();
    await expect(download(address, 'xoxb-1', apiUrl, 100)).rejects.toMatchObject({ kind: 'gone' });
    expect(seen).toEqual([]);
  });
});

/** Where a file is that's served like this, and the Web API beside it. */
async function servedBy(serve: RequestListener): Promise<readonly [address: string, apiUrl: string]> {
  const server = createServer(serve).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return [`http://127.0.0.1:${port}/files-pri/T1-F1/a.png`, `http://127.0.0.1:${port}/api/`];
}

describe('a private file that can’t be read', () => {
  test.each([
    [404, { kind: 'gone' }],
    [403, { kind: 'no-permission', detail: 'files:read' }],
    // The page to log in.
    [200, { kind: 'no-permission', detail: 'files:read' }],
    [429, { kind: 'unreachable' }],
    [503, { kind: 'unreachable' }],
  ])('is told by Slack’s status: %d', async (status, fault) => {
    const [address, apiUrl] = await servedBy((_, response) =>
      response.writeHead(status, { 'content-type': 'text/html' }).end('<html>'),
    );
    await expect(download(address, 'xoxb-1', apiUrl, 100)).rejects.toMatchObject(fault);
  });

  test('may be there later where its connection breaks', async () => {
    const [address, apiUrl] = await servedBy((_, response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': '100' }).write('begun');
      setImmediate(() => response.destroy());
    });
    await expect(download(address, 'xoxb-1', apiUrl, 100)).rejects.toMatchObject({ kind: 'unreachable' });
  });

  test('is too large, which says what’s allowed', async () => {
    const [address, apiUrl] = await servedBy((_, response) =>
      response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.alloc(3_000)),
    );
    const fault = { kind: 'too-large', detail: '2.0 KiB' };
    await expect(download(address, 'xoxb-1', apiUrl, 2_048)).rejects.toMatchObject(fault);
  });
});
