import { afterEach, describe, expect, test, vi } from 'vitest';
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
  ])('and never at %s, where the Web API is at %s', async (address, apiUrl) => {
    const seen = sentTo();
    await expect(download(address, 'xoxb-1', apiUrl, 100)).rejects.toMatchObject({ kind: 'unreachable' });
    expect(seen).toEqual([]);
  });
});
