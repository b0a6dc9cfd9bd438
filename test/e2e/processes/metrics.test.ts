import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BotProcess } from '../../crash/bot-process.ts';
import { OtlpReceiver } from '../../fakes/otlp/receiver.ts';
import { Scrape } from '../support/scrape.ts';
import { Bots } from './support/bots.ts';
import { answering, Scene } from './support/scene.ts';

/** Resolved when the service may finish what it makes. */
const made = Promise.withResolvers<void>();
let collector: OtlpReceiver;
let bots: Bots;

beforeAll(async () => {
  collector = await OtlpReceiver.start();
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
  bots = await Bots.start({
    count: 2,
    platforms: ['discord'],
    settings,
    making: made.promise,
    pace: 3,
    noticeSoon: true,
  });
});
afterAll(async () => {
  await bots?.close();
  await collector?.close();
});

/** How often each command was counted, by what several processes told. */
function counted(scrapes: readonly Scrape[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const scrape of scrapes)
    for (const [command, count] of Object.entries(scrape.by('troupe_commands_total', 'command')))
      counts[command] = (counts[command] ?? 0) + count;
  return counts;
}

it('a command that’s taken over is counted once, and its later steps are linked to its trace', async () => {
  for (const { url } of bots.living) expect((await Scrape.of(url)).sum('troupe_processes')).toBe(2);
  const scene = new Scene(bots);
  const given = await scene.everything();
  const former = await bots.holder(answering);
  const before = await Scrape.of(former.url);
  await bots.kill(former);
  made.resolve();
  const [other] = bots.living as [BotProcess];
  await bots.until('everything is over', () => scene.isOver(given));
  scene.judge(given);

  await expect.poll(async () => (await Scrape.of(other.url)).sum('troupe_processes')).toBe(1);
  const [interrupted] = await bots.query<{ count: number }>(
    `select count(*)::int as count from jobs where state = 'failed' and command = 'ask'`,
  );
  expect(interrupted?.count).toBeGreaterThan(0);
  // A command is counted a moment after its row says that it has ended.
  const ended = async () => (await Scrape.of(other.url)).by('troupe_commands_total', 'command', 'outcome');
  await expect.poll(async () => (await ended())['ask interrupted']).toBe(interrupted?.count);
  const after = await Scrape.of(other.url);
  const wishes = Map.groupBy(given, ({ wish }) => wish.command);
  for (const [command, count] of Object.entries(counted([before, after])))
    expect({ command, twice: count > (wishes.get(command as 'ask')?.length ?? 0) }).toEqual({
      command,
      twice: false,
    });
  for (const metric of ['troupe_renders', 'troupe_deliveries', 'troupe_credits_reserved'])
    expect(after.sum(metric)).toBe(0);

  expect(await bots.stop(other)).toBe(0);
  const links = collector.named('render end').flatMap((one) => one.links);
  expect(links.length).toBeGreaterThan(0);
  // The commands' own spans may have died with the process that was to send them.
  for (const { traceId } of links)
    expect(await bots.query('select key from keyv where value like $1', `%${traceId}%`)).toHaveLength(1);
});
