import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BotProcess } from '../../crash/bot-process.ts';
import type { Wish } from '../../crash/place.ts';
import { Bots } from './support/bots.ts';
import { Scene } from './support/scene.ts';

const token = 'of-the-metrics';

let bots: Bots;

beforeAll(async () => {
  bots = await Bots.start({
    count: 2,
    platforms: ['discord'],
    overHttp: true,
    noticeSoon: true,
    pace: 6,
    settings: { METRICS_TOKEN: token },
  });
});
afterAll(() => bots?.close());

const status = async ({ url }: BotProcess, path: string) => {
  const answer = await fetch(`${url}${path}`, {
    headers: { connection: 'close', authorization: `Bearer ${token}` },
  }).catch(() => undefined);
  return answer && `${answer.status} ${(await answer.text()).trim()}`;
};

it('one that is stopped loses no request, and Discord’s checks go on well', async () => {
  const { discord, proxy } = bots;
  const [former] = bots.living as [BotProcess];
  const place = bots.place('discord');
  const urls = bots.living.map(({ url }) => url);
  const wishes: Wish[] = [];
  const seen = new Set<string | undefined>();
  let isStopped = false;
  proxy.took.length = 0;
  const status0 = bots.stop(former).finally(() => {
    isStopped = true;
  });
  await former.said('shutting down');
  while (!isStopped) {
    const wish: Wish = {
      command: 'ask',
      prompt: `question ${wishes.length}: hello`,
      about: `sam${wishes.length}`,
    };
    wishes.push(wish);
    place.give(wish);
    await discord.endpoint.check();
    seen.add(await status(former, '/readyz')).add(await status(former, '/healthz'));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(await status0).toBe(0);
  const took = [...proxy.took];
  expect(proxy.failed).toEqual([]);
  expect(discord.endpoint.removedFor).toBeUndefined();
  // Nobody answers any more in its very last moment.
  seen.delete(undefined);
  expect(seen).toEqual(new Set(['503 process: stopping', '200 ok']));
  const answered = () => wishes.every(({ prompt }) => place.texts().some((text) => text.includes(prompt)));
  await bots.until('all are answered', answered);
  await bots.until('all is over', () => bots.isQuiet());
  expect(new Set(discord.endpoint.deliveries.map(({ status }) => status))).toEqual(new Set([202]));
  // Half of them came to the one that stopped.
  expect(new Set(took)).toEqual(new Set(urls));
  expect(place.texts().join('\n')).not.toMatch(/⚠️|try again/i);
  expect(discord.journal.violations).toEqual([]);
});

it('one that is killed is taken over: what was answered over HTTP is finished there', async () => {
  await bots.add();
  const { discord } = bots;
  // What a killed process had just received of them is lost: this proxy repeats nothing.
  discord.endpoint.betweenChecks = Number.POSITIVE_INFINITY;
  const scene = new Scene(bots);
  const given = await scene.everything();
  await bots.killHolder("select process from jobs where state = 'running' and command = 'ask'");
  await bots.until('everything is over', () => scene.isOver(given));
  scene.judge(given);
  expect(discord.journal.violations).toEqual([]);
});
