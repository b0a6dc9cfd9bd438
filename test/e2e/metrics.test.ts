import { describe, expect, it } from 'vitest';
import { meterOf } from '../fakes/sandbox.ts';
import { labelsOf as discordLabels, startDiscordScene } from './support/discord-scene.ts';
import { Scrape } from './support/scrape.ts';
import { labelsOf, startSlackScene } from './support/slack-scene.ts';

/** How many of some requests there were, by what they were for. */
function countBy<T>(all: readonly T[], keyOf: (one: T) => string | undefined): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of all) {
    const key = keyOf(one);
    if (key !== undefined) counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

describe('what a bot tells Prometheus is what the test servers saw', () => {
  it('on Discord: every command once, posts, edits, acknowledgements, 429s, calls and credits', async () => {
    const logged: string[] = [];
    const scene = await startDiscordScene({}, { logged });
    const { ada, bob, channel, discord } = scene;
    const isDone = (index: number) => discordLabels(scene.said()[index]).includes('Regenerate');
    ada.types(channel, { name: 'ask', options: { prompt: 'A secret word: xyzzy' } });
    await discord.until('the answer', () => isDone(0));
    discord.faults.next('*', { kind: 'rate-limit', seconds: 0.05, scope: 'user' }, 1, '/messages/');
    bob.types(channel, { name: 'ask', options: { prompt: 'Write 5000 characters' } });
    await discord.until(
      'the long answer',
      () => scene.said().filter((m) => discordLabels(m).includes('Regenerate')).length > 1,
    );
    ada.types(channel, { name: 'ask', options: { prompt: 'No [[fail 400]]' } });
    ada.types(channel, {
      name: 'video',
      options: { prompt: 'a cat', duration: 4, image_urls: 'no address' },
    });
    ada.types(channel, { name: 'imagine', options: { prompt: 'a lighthouse' } });
    await scene.withFile();
    bob.mentions(channel, 'speak Good morning');
    await discord.until('the clip', () => scene.said().some(({ flags }) => flags & (1 << 13)));
    await scrapedUntil(scene, (scrape) => scrape.sum('troupe_commands_running') === 0);
    const scrape = await Scrape.of(scene.url());

    expect(scrape.by('troupe_commands_total', 'command', 'outcome', 'reason')).toEqual({
      'ask done': 2,
      'ask failed service': 1,
      'video refused options': 1,
      'imagine done': 1,
      'speak done': 1,
    });
    const { requests } = discord.journal;
    // A loading message's asks for its id.
    const isCallback = (path: string) => path.split('?')[0]?.endsWith('/callback') === true;
    const kindOf = ({ method, path }: (typeof requests)[number]) => {
      if (isCallback(path)) return 'acknowledgement';
      if (!/\/messages(?:\/[^/]+)?$|\/webhooks\/\d+\/[^/]+$/.test(path)) return undefined;
      return { POST: 'post', PATCH: 'edit', DELETE: 'delete' }[method];
    };
    const {
      read: _,
      typing: __,
      other: ___,
      ...written
    } = scrape.by('troupe_platform_requests_total', 'kind');
    expect(written).toEqual(countBy(requests, kindOf));
    expect(written.edit).toBeGreaterThan(2);
    const refused = requests.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(scrape.sum('troupe_platform_requests_total', { status: '429' })).toBe(refused.length);
    const callbacks = requests.filter(({ path, status }) => isCallback(path) && status < 300);
    expect(scrape.sum('troupe_acknowledgement_seconds_count')).toBe(callbacks.length);
    expect(scrape.sum('troupe_first_words_seconds_count')).toBeGreaterThanOrEqual(4);

    await expectService(scrape, scene);
    expect(scrape.by('troupe_renders_ended_total', 'kind', 'outcome')).toEqual({ 'image delivered': 1 });
    expect(scrape.sum('troupe_platform_ready', { platform: 'discord' })).toBe(1);
    expect(scrape.by('troupe_platform_connections', 'state')).toEqual({ ready: 1, wanted: 1 });
    expect(scrape.sum('troupe_processes')).toBe(1);
    expect(scrape.sum('troupe_database_up')).toBe(1);
    expect(scrape.sum('troupe_database_size_bytes')).toBeGreaterThan(10_000);
    expect(
      scrape.sum('troupe_database_query_duration_seconds_count', { kind: 'transaction' }),
    ).toBeGreaterThan(3);
    expect(scrape.by('troupe_build_info', 'database')).toEqual({ sqlite: 1 });
    for (const value of scrape.labelValues) expect(value).not.toMatch(/xyzzy|lighthouse|\d{15,}|ada|bob/);
  });

  it('on Slack: every command once, calls by method, 429s, acknowledgements, calls and credits', async () => {
    const scene = await startSlackScene('socket', {
      limits: { chat: 120, voice: 60, images: 30, videos: 10, status: 120 },
    });
    const { slack, ada, general } = scene;
    slack.api.faults.plan('chat.update', { kind: 'too-many', seconds: 1 });
    void ada.types('/ask Tell me of tides', general);
    const answered = (count: number) =>
      scene.said().filter((message) => labelsOf(message).includes('Regenerate')).length >= count;
    await scene.until('the answer', () => answered(1));
    void ada.types('/imagine a lighthouse --size 99k', general);
    void ada.types('/ask No [[fail 500]]', general);
    void ada.types('/troupe nosuchcommand', general);
    await scrapedUntil(scene, (scrape) => scrape.sum('troupe_commands_total') >= 4);
    const scrape = await Scrape.of(scene.url());
    expect(scrape.by('troupe_commands_total', 'command', 'outcome', 'reason')).toEqual({
      'ask done': 1,
      'ask failed service': 1,
      'imagine refused options': 1,
      'unknown refused options': 1,
    });
    const { response_url: _, ...byMethod } = scrape.by('troupe_platform_requests_total', 'route');
    // Bolt itself opens the sockets.
    const { 'apps.connections.open': ____, ...called } = countBy(slack.api.calls, ({ method }) => method);
    expect(byMethod).toEqual(called);
    expect(scrape.sum('troupe_platform_requests_total', { status: '429' })).toBe(1);
    expect(scrape.sum('troupe_acknowledgement_seconds_count', { platform: 'slack' })).toBe(4);
    expect(scrape.sum('troupe_pacer_wait_seconds_count', { platform: 'slack' })).toBeGreaterThan(1);
    expect(scrape.sum('troupe_platform_connections', { state: 'wanted' })).toBe(2);
    await expectService(scrape, scene);
  });
});

interface Scene {
  readonly url: () => string;
  readonly until: (what: string, isSo: () => Promise<boolean>) => Promise<unknown>;
  readonly sandbox: { readonly url: string; readonly key: string };
}

async function scrapedUntil(scene: Scene, isSo: (scrape: Scrape) => boolean): Promise<void> {
  // Time passes: a message waits for its turn in the channel.
  await scene.until('the metrics', async () => isSo(await Scrape.of(scene.url())));
}

/** The service's own meter counts answered calls; what failed, it doesn't. */
async function expectService(scrape: Scrape, scene: Scene): Promise<void> {
  const { operations } = await meterOf(scene.sandbox);
  const answered = scrape.by('troupe_service_call_duration_seconds_count', 'operation', 'outcome');
  for (const operation of ['chat', 'speech'])
    expect(answered[`${operation} ok`] ?? 0).toBe(operations[operation]?.calls ?? 0);
  const spent = (kind: string) => scrape.sum('troupe_credits_spent_total', { kind });
  for (const kind of ['speech', 'image']) expect(spent(kind)).toBe(operations[kind]?.credits ?? 0);
  // The price of a token is a range, of which budgets count the upper bound.
  expect(spent('chat')).toBeGreaterThanOrEqual(operations.chat?.credits ?? 0);
  expect(spent('chat')).toBeLessThan(3 * (operations.chat?.credits ?? 0));
  expect(scrape.sum('troupe_credits_reserved')).toBe(0);
}
