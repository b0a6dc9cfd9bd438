import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Budget } from '../../src/credits/index.ts';
import { freshPostgres } from '../fakes/postgres/index.ts';
import { here } from '../fakes/records.ts';
import { patience } from '../patience.ts';
import { LedgerStage } from './ledger-stage.ts';

/** Processes of one bot, each with its own connections and clock. */
let processes: readonly LedgerStage[];

beforeEach(async () => {
  const url = await freshPostgres();
  processes = await Promise.all(['a', 'b', 'c'].map((prefix) => LedgerStage.open(url, prefix)));
  onTestFinished(async () => {
    for (const { database } of processes) await database.destroy();
  });
});

const daily = (of: Budget['of'], credits: number): Budget => ({
  of,
  within: of === 'bot' ? 'everywhere' : 'platform',
  credits,
  timeZone: 'UTC',
});

/** Everything that counts against the whole bot's budget. */
async function counted({ credits }: LedgerStage): Promise<number | undefined> {
  const caller = { address: here, requester: { id: 'x' } as never };
  const [standing] = await credits.standings(caller, [daily('bot', 1)]);
  return standing?.used;
}

/** How many of so many reservations of one credit, made by all processes at once, were allowed. */
async function reserveAtOnce(count: number): Promise<number> {
  const attempts = Array.from({ length: count }, async (_, index) => {
    const stage = processes[index % processes.length] as LedgerStage;
    return stage.credits.reserve(await stage.call(1, {}, `person${index % 5}`));
  });
  const outcomes = await Promise.allSettled(attempts);
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
}

describe('several processes on one database', () => {
  it('never exceed a budget together', async () => {
    for (const stage of processes) stage.budgets = [daily('bot', 10)];
    expect(await reserveAtOnce(45)).toBe(10);
    expect(await counted(processes[0] as LedgerStage)).toBe(10);
  });

  it('nor where one counts into another quarter of an hour than the others', async () => {
    for (const stage of processes) stage.budgets = [daily('user', 1)];
    const [one, other] = processes as [LedgerStage, LedgerStage];
    await one.clock.advance(15 * 60_000 - 1);
    await other.clock.advance(15 * 60_000);
    for (let round = 1; round <= 20; round += 1) {
      const calls = await Promise.all([
        one.call(1, {}, `person${round}`),
        other.call(1, {}, `person${round}`),
      ]);
      const outcomes = await Promise.allSettled([
        one.credits.reserve(calls[0]),
        other.credits.reserve(calls[1]),
      ]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    }
  });

  it('count a call that two of them end at the same time once', async () => {
    const [one, other] = processes as [LedgerStage, LedgerStage];
    for (let round = 1; round <= 10; round += 1) {
      const call = await one.call(10);
      await one.credits.reserve(call);
      const spent = { credits: { low: 4, high: 4 } };
      await Promise.all([
        one.credits.ofJob(call.job.id).settle(spent),
        other.credits.ofJob(call.job.id).release(),
      ]);
      const rows = await one.rows();
      expect(await counted(one)).toBe(rows.reduce((sum, { high }) => sum + high / 1e6, 0));
    }
  });

  it('reserve, raise and settle calls of the same people without a deadlock', async () => {
    const calls = async (stage: LedgerStage, lane: number) => {
      for (let count = 0; count < 5; count++) {
        const person = `person${(lane + count) % 3}`;
        const reservation = await stage.credits.reserve(await stage.call(2, {}, person));
        await reservation.raise({ low: 3, high: 3 });
        await reservation.settle({ credits: { low: 1, high: 1 } });
      }
    };
    await Promise.all(processes.flatMap((stage) => [1, 2].map((lane) => calls(stage, lane))));
    // An end that waited too long for its turn is recorded later.
    await vi.waitFor(async () => {
      for (const { clock } of processes) await clock.advance(1_000);
      expect(await counted(processes[0] as LedgerStage)).toBe(30);
    }, patience);
  });
});
