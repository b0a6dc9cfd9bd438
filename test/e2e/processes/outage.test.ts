import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ledgerFaults, type LedgerRow } from '../../chaos/ledger.ts';
import type { CrashPlace, Wish } from '../../crash/place.ts';
import { Bots } from './support/bots.ts';
import { Newcomers } from './support/newcomers.ts';
import { Scene } from './support/scene.ts';

/** How much longer the database stays away, in milliseconds; `OUTAGE_SECONDS=60` to try it by hand. */
const longer = Number(process.env.OUTAGE_SECONDS ?? 0) * 1_000;

let bots: Bots;
let scene: Scene;

beforeAll(async () => {
  bots = await Bots.start({ count: 2, making: 1_500, tellSoon: true });
  scene = new Scene(bots);
});
afterAll(() => bots?.close());

const statuses = (path: 'healthz' | 'readyz') =>
  Promise.all(bots.living.map(async ({ url }) => (await fetch(`${url}/${path}`)).status));

/** Both processes are ready, or neither is. */
const areReady = async (ready: boolean) =>
  (await statuses('readyz')).every((status) => status === (ready ? 200 : 503));

/** Long enough to be written still when the database goes. */
const longAnswer = ({ name }: CrashPlace): Wish => ({
  command: 'ask',
  prompt: `question ${name}: tell me a story of 400 words`,
});

/** Where the ledger and the service differ about what was paid for. */
async function differences(): Promise<readonly string[]> {
  const rows = await bots.query<LedgerRow>(
    'select kind, state, low::float8 as low, high::float8 as high, request_id from ledger',
  );
  return ledgerFaults(rows, await bots.service.meter());
}

it(
  'while the database swallows everything, and then is gone, people are told so; then what was under way arrives, once',
  { timeout: 180_000 + longer },
  async () => {
    const newcomers = new Newcomers(bots);
    const processes = bots.living.map(({ process }) => process);
    const given = [...(await scene.everything()), ...(await scene.give((place) => [longAnswer(place)]))];
    // What waits for its turn still would fail without the database.
    await scene.underWay(given);
    const before = newcomers.told();
    /** Two more on each platform come and are told. */
    const come = async (more: number) => {
      newcomers.ask();
      const areTold = () => newcomers.told().every((count, at) => count >= (before[at] ?? 0) + more);
      await bots.until('they are told', areTold);
    };
    bots.database.freeze();
    await come(2);
    await bots.database.kill();
    await come(4);
    await bots.until('no process is ready', () => areReady(false));
    expect(await statuses('healthz')).toEqual([200, 200]);
    await setTimeout(longer);
    await bots.database.start();
    await bots.until('both are ready', () => areReady(true));
    await bots.until('everything is over', () => scene.isOver(given));
    scene.judge(given);
    scene.judgeUninterrupted(given);
    // Everybody who came meanwhile was told once, and nothing was made for them.
    expect(newcomers.told()).toEqual(before.map((count) => count + 4));
    expect(newcomers.answers()).toEqual([]);
    expect(bots.living.map((bot) => [bot.process, bot.ended])).toEqual(
      processes.map((id) => [id, undefined]),
    );
    expect(await differences()).toEqual([]);
    for (const { wholeLog } of bots.living) {
      expect(wholeLog).not.toContain('story of');
      expect(wholeLog).not.toContain(bots.service.key);
    }
  },
);
