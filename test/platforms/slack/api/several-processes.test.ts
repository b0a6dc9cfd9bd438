import { expect, it, onTestFinished } from 'vitest';
import { RateLimits } from '../../../../src/platforms/slack/api/rate-limits.ts';
import type { SlackApi } from '../../../../src/platforms/slack/api/slack-api.ts';
import { slackAddress } from '../../../../src/platforms/slack/post/address.ts';
import { ChannelRefusals, Channels } from '../../../../src/platforms/slack/post/channels/channels.ts';
import { ResponseUrls } from '../../../../src/platforms/slack/post/response-urls.ts';
import type { PlatformError } from '../../../../src/port/index.ts';
import { openKeyv } from '../../../../src/store/index.ts';
import { FakeClock, settle } from '../../../fakes/clock.ts';
import { processesSharing } from '../../../fakes/coordination.ts';
import { openMigrated } from '../../../fakes/database.ts';

/** Two processes that pace a channel's messages. */
function pacings() {
  const clock = new FakeClock();
  const next = processesSharing(clock);
  const processes = [new RateLimits(clock, next()), new RateLimits(clock, next())];
  const [one, other] = processes.map((limits) => limits.of('chat.postMessage', 'T1', 'C1'));
  if (!one || !other) throw new Error('two of them');
  return { clock, one, other };
}

it('two processes post in a channel once a second', async () => {
  const { clock, one, other } = pacings();
  const posted: number[] = [];
  const post = (pacing: typeof one) => pacing.slot().then(() => posted.push(clock.now()));
  const all = Promise.all([post(one), post(other), post(one), post(other)]);
  for (let step = 0; step < 60 && posted.length < 4; step++) await clock.advance(100);
  await all;
  const gaps = posted.slice(1).map((at, index) => at - (posted[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
});

it('two processes leave edits for the ends of answers, however long others grow', async () => {
  const clock = new FakeClock();
  const next = processesSharing(clock);
  const edits = [next(), next()].map((one) => new RateLimits(clock, one).of('chat.update', 'T1', 'C1'));
  const grow = async (pacing: (typeof edits)[number]) => {
    for (;;) await pacing.slot({ urgency: 'growth' });
  };
  for (const pacing of edits) void grow(pacing);
  for (let step = 0; step < 240; step++) await clock.advance(500);
  let ended = 0;
  for (let count = 0; count < 20; count++)
    void edits[count % 2]?.slot({ urgency: 'final' }).then(() => (ended += 1));
  await clock.advance(1_000);
  expect(ended).toBe(20);
});

it('what one process is told to wait, the other waits, too', async () => {
  const { clock, one, other } = pacings();
  one.pause(30_000);
  let isPosted = false;
  const posted = other.slot().then(() => {
    isPosted = true;
  });
  await clock.advance(29_000);
  await settle();
  expect(isPosted).toBe(false);
  await clock.advance(1_100);
  await posted;
});

it('uses of a response_url are counted across processes', async () => {
  const database = await openMigrated();
  onTestFinished(() => database.destroy());
  const urls = [0, 1].map(() => new ResponseUrls(openKeyv(database, 'slack')));
  const url = 'http://127.0.0.1:9/commands/T1/1/abcdefghijklmnopqrstuvwx';
  const uses = await Promise.allSettled(
    [0, 1, 0, 1, 0, 1].map((index) => urls[index]?.say(url, { text: 'hello' }, 'channel')),
  );
  // Nobody answers at the address: what counts is which were let through.
  const kinds = uses.map((use) => use.status === 'rejected' && (use.reason as PlatformError).kind);
  expect(kinds.filter((kind) => kind === 'unreachable')).toHaveLength(5);
  expect(kinds.filter((kind) => kind === 'expired')).toHaveLength(1);
});

it('a change of a channel that Slack tells one process of counts for the other at once', async () => {
  const clock = new FakeClock();
  const next = processesSharing(clock);
  let info = {};
  const api = { delay: () => 0, ask: async () => ({ channel: info }) } as unknown as SlackApi;
  const store = { get: async () => undefined, set: async () => true, delete: async () => true };
  const refusals = new ChannelRefusals(store);
  const [one, other] = [next(), next()].map(
    ({ signals }) => new Channels({ api, refusals, store, signals, clock }),
  ) as [Channels, Channels];
  const refusal = () => other.refusalAt(slackAddress('T1', 'C1'), { fresh: false });
  expect(await refusal()).toBeUndefined();
  info = { is_archived: true };
  expect(await refusal()).toBeUndefined();
  await one.changed('T1', 'C1');
  expect((await refusal())?.detail).toBe('is_archived');
});
