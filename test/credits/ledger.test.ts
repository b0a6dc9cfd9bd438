import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Budget, BudgetExceededError } from '../../src/credits/index.ts';
import { ConnectionError, RejectedRequestError } from '../../src/service/index.ts';
import { sweep } from '../../src/store/index.ts';
import { databases } from '../fakes/postgres/index.ts';
import { here, renderRow } from '../fakes/records.ts';
import { LedgerStage } from './ledger-stage.ts';

let stage: LedgerStage;

const budget = (of: Budget['of'], credits: number, within: Budget['within'] = 'platform'): Budget => ({
  of,
  within: of === 'user' ? within : of === 'bot' ? 'everywhere' : of,
  credits,
  timeZone: 'UTC',
});

/** How many of these are reserved, and why the others are not. */
async function race(attempts: readonly (() => Promise<unknown>)[]) {
  const outcomes = await Promise.allSettled(attempts.map((attempt) => attempt()));
  return {
    reserved: outcomes.filter(({ status }) => status === 'fulfilled').length,
    refusals: outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : [])),
  };
}

describe.each(databases)('on $name', ({ name, fresh }) => {
  beforeEach(async () => {
    stage = await LedgerStage.open(await fresh());
  });
  afterEach(() => stage.database.destroy());

  describe('the ledger', () => {
    it('has a row of every call before it is made, with who, where, for what and how much', async () => {
      const job = await stage.job('ann', { ...here, thread: 't' });
      const estimate = { low: 0.125, high: 0.5 };
      await stage.credits.reserve(
        await stage.call(0, { job, kind: 'speech', model: 'svc-tts-1', quantity: {}, estimate }),
      );
      expect(await stage.rows()).toMatchObject([
        {
          job: job.id,
          platform: 'console',
          workspace: 'w',
          channel: 'c',
          thread: 't',
          person: 'ann',
          person_name: 'ANN',
          conversation_id: 'conversation',
          kind: 'speech',
          model: 'svc-tts-1',
          quantity: '{}',
          state: 'reserved',
          estimated: 1,
          low: 125_000,
          high: 500_000,
          request_id: null,
          created_at: stage.clock.now(),
          settled_at: null,
        },
      ]);
    });

    it('says what a call came to, with the request', async () => {
      const reservation = await stage.credits.reserve(await stage.call(5));
      await stage.clock.advance(3_000);
      const credits = { low: 0.000_123, high: 0.004_567 };
      await reservation.settle({
        credits,
        quantity: { inputTokens: 3, outputTokens: 4 },
        requestId: 'req_1',
      });
      expect(await stage.rows()).toMatchObject([
        {
          state: 'spent',
          estimated: 0,
          low: 123,
          high: 4_567,
          quantity: '{"inputTokens":3,"outputTokens":4}',
          request_id: 'req_1',
          settled_at: stage.clock.now(),
        },
      ]);
    });

    it('charges nothing for what was refused, and marks what nobody knows about', async () => {
      const facts = { operation: 'image', retryable: false } as const;
      const refused = new RejectedRequestError('no', { ...facts, outcome: 'rejected', requestId: 'req_2' });
      const lost = new ConnectionError('gone', { ...facts, outcome: 'unknown' });
      const never = new ConnectionError('refused', { ...facts, outcome: 'not-processed' });
      for (const error of [refused, lost, never]) {
        const charged = stage.credits.charge(await stage.call(22), () => Promise.reject(error));
        await expect(charged).rejects.toBe(error);
      }
      expect(await stage.rows()).toMatchObject([
        { state: 'failed', low: 0, high: 0, request_id: 'req_2' },
        { state: 'uncertain', low: 22_000_000, high: 22_000_000, estimated: 1 },
        { state: 'failed', low: 0, high: 0 },
      ]);
    });

    it('counts the first end of a call and no other', async () => {
      const reservation = await stage.credits.reserve(await stage.call(22));
      const { job } = (await stage.rows())[0]!;
      await stage.credits.ofJob(job).settle();
      await reservation.release();
      await stage.credits.ofJob(job).uncertain();
      expect(await stage.rows()).toMatchObject([{ state: 'spent', high: 22_000_000 }]);
    });

    it('has a call that a database has lost meanwhile, having come back without its last commits', async () => {
      const reservation = await stage.credits.reserve(await stage.call(30));
      await reservation.sending.beforeSending();
      await stage.database.deleteFrom('ledger').execute();
      await stage.database.deleteFrom('budget_use').execute();
      await reservation.settle({ credits: { low: 22, high: 22 }, requestId: 'req_1' });
      expect(await stage.rows()).toMatchObject([{ state: 'spent', high: 22_000_000, request_id: 'req_1' }]);
      const budget = { of: 'bot', within: 'everywhere', credits: 30, timeZone: 'UTC' } as const;
      const { address, requester } = await stage.job();
      const [standing] = await stage.credits.standings({ address, requester }, [budget]);
      expect(standing?.used).toBe(22);
    });

    it('gives back what was held for something that never began', async () => {
      const held = stage.credits.hold([await stage.call(22)], () => Promise.reject(new Error('no place')));
      await expect(held).rejects.toThrow('no place');
      expect(await stage.rows()).toMatchObject([{ state: 'failed', high: 0 }]);
    });
  });

  describe('a budget', () => {
    it('holds though 50 ask at the same moment', async () => {
      stage.budgets = [budget('user', 100)];
      const calls = await Promise.all(Array.from({ length: 50 }, () => stage.call(9)));
      const { reserved, refusals } = await race(calls.map((call) => () => stage.credits.reserve(call)));
      expect(reserved).toBe(11);
      expect(refusals.every((error) => error instanceof BudgetExceededError)).toBe(true);
      expect(refusals[0]).toMatchObject({ left: 1, needed: 9 });
      expect(await stage.rows()).toHaveLength(11);
    });

    it('of all three kinds holds at once, each for its own', async () => {
      stage.budgets = [budget('user', 30), budget('channel', 50), budget('workspace', 80)];
      const give = async (person: string, channel: string) =>
        race([
          async () =>
            stage.credits.reserve(
              await stage.call(10, { job: await stage.job(person, { ...here, channel }) }),
            ),
        ]);
      const outcomes: string[] = [];
      for (const [person, channel] of [
        ...Array.from({ length: 4 }, () => ['ann', 'one']),
        ...Array.from({ length: 4 }, () => ['bob', 'one']),
        ...Array.from({ length: 4 }, () => ['cid', 'two']),
      ] as [string, string][]) {
        const { refusals } = await give(person, channel);
        outcomes.push(refusals[0]?.standing.budget.of ?? 'reserved');
      }
      expect(outcomes).toEqual([
        ...['reserved', 'reserved', 'reserved', 'user'],
        ...['reserved', 'reserved', 'channel', 'channel'],
        ...['reserved', 'reserved', 'reserved', 'workspace'],
      ]);
    });

    it('counts with the dearest a call may become, and with what it came to once that is known', async () => {
      stage.budgets = [budget('user', 10)];
      const first = await stage.credits.reserve(await stage.call(0, { estimate: { low: 1, high: 8 } }));
      await expect(stage.credits.reserve(await stage.call(3))).rejects.toThrow(BudgetExceededError);
      await first.settle({ credits: { low: 1, high: 2 } });
      await stage.credits.reserve(await stage.call(8));
      await expect(stage.credits.reserve(await stage.call(0.001))).rejects.toThrow(BudgetExceededError);
    });

    it('can be spent to the last credit, in parts that are no round numbers', async () => {
      stage.budgets = [budget('user', 0.3)];
      for (const part of [0.1, 0.1, 0.1]) await stage.credits.reserve(await stage.call(part));
      await expect(stage.credits.reserve(await stage.call(0.000_001))).rejects.toThrow(BudgetExceededError);
    });

    it('is checked again where a call grows, and keeps what it had where it may not', async () => {
      stage.budgets = [budget('user', 10)];
      const growing = await stage.credits.reserve(await stage.call(2));
      await stage.credits.reserve(await stage.call(4));
      await growing.raise({ low: 2, high: 6 });
      await expect(growing.raise({ low: 2, high: 7 })).rejects.toMatchObject({ needed: 7, left: 6 });
      expect((await stage.rows()).map(({ high }) => high)).toEqual([6_000_000, 4_000_000]);
    });

    it('of the day when a call began is checked where it grows after midnight', async () => {
      stage.budgets = [budget('user', 10)];
      const beforeMidnight = Date.UTC(2026, 10, 20, 23, 59) - stage.clock.now();
      await stage.clock.advance(beforeMidnight);
      const growing = await stage.credits.reserve(await stage.call(2));
      await stage.credits.reserve(await stage.call(4));
      await stage.clock.advance(2 * 60_000);
      await growing.raise({ low: 2, high: 6 });
      const refusal = await growing.raise({ low: 2, high: 7 }).catch((error) => error);
      expect(refusal).toMatchObject({ needed: 7, left: 6, standing: { renewsIn: -60_000 } });
      await stage.credits.reserve(await stage.call(10));
      expect((await stage.rows()).map(({ high }) => high / 1e6)).toEqual([6, 4, 10]);
    });

    it('counts the same as the ledger, whatever becomes of calls', async () => {
      const reserve = async (credits: number, person: string, channel: string) =>
        stage.credits.reserve(
          await stage.call(credits, { job: await stage.job(person, { ...here, channel }) }),
        );
      const settled = await reserve(5, 'ann', 'one');
      const released = await reserve(7, 'ann', 'two');
      const raised = await reserve(1, 'bob', 'one');
      await settled.settle({ credits: { low: 1, high: 3 } });
      await settled.release();
      await released.release();
      await raised.raise({ low: 1, high: 4 });
      await reserve(22, 'cid', 'two');
      await stage.credits.settleAbandoned();
      const caller = { address: { ...here, channel: 'one' }, requester: (await stage.job()).requester };
      stage.budgets = [
        budget('bot', 100),
        budget('workspace', 100),
        budget('channel', 100),
        budget('user', 100),
        budget('user', 100, 'channel'),
      ];
      const used = (await stage.credits.standings(caller, stage.budgets)).map((standing) => standing.used);
      const rows = await stage.rows();
      const sum = rows.reduce((total, { high }) => total + high / 1e6, 0);
      expect(sum).toBe(3);
      expect(used).toEqual([3, 3, 3, 3, 3]);
    });

    it.runIf(name === 'SQLite')(
      'is looked up, not added up: a check reads a day of quarters at most, whatever the ledger holds',
      async () => {
        stage.budgets = [budget('bot', 1_000_000)];
        for (let calls = 0; calls < 50; calls++) await stage.credits.reserve(await stage.call(1));
        await stage.clock.advance(15 * 60_000);
        await stage.credits.reserve(await stage.call(1));
        const rows = await stage.database.selectFrom('budget_use').selectAll().execute();
        expect(rows).toHaveLength(2 * 6);
        const plan = await sql<{ detail: string }>`explain query plan
      select sum(high) from budget_use where platform = '' and workspace = '' and channel = '' and person = ''
      and quarter >= 1 and quarter < 97`.execute(stage.database);
        expect(plan.rows.map(({ detail }) => detail)).toEqual([
          expect.stringMatching(/^SEARCH budget_use USING INDEX .*person=\? AND quarter>\? AND quarter<\?/),
        ]);
        await sweep(stage.database, stage.clock.now() + 4 * 86_400_000);
        expect(await stage.database.selectFrom('budget_use').selectAll().execute()).toEqual([]);
      },
    );

    it('begins anew at midnight, and says when that is', async () => {
      stage.budgets = [{ ...budget('user', 10), timeZone: 'Asia/Shanghai' }];
      await stage.credits.reserve(await stage.call(10));
      const refusal = await stage.credits.reserve(await stage.call(1)).catch((error) => error);
      const midnight = Date.UTC(2026, 10, 20, 16);
      expect(refusal.standing).toMatchObject({ used: 10, renewsAt: midnight, renewsIn: 4 * 3_600_000 });
      await stage.clock.advance(midnight - stage.clock.now() - 1);
      await expect(stage.credits.reserve(await stage.call(1))).rejects.toThrow(BudgetExceededError);
      await stage.clock.advance(1);
      await stage.credits.reserve(await stage.call(1));
    });

    it('counts where it was set', async () => {
      const spend = async (channel: string, workspace = 'w') =>
        stage.credits.reserve(
          await stage.call(6, { job: await stage.job('ann', { ...here, channel, workspace }) }),
        );
      stage.budgets = [budget('user', 10, 'channel')];
      await spend('one');
      await spend('two');
      await expect(spend('one')).rejects.toThrow(BudgetExceededError);
      stage.budgets = [budget('user', 20, 'workspace')];
      await spend('three');
      await spend('one', 'another');
      await expect(spend('four')).rejects.toThrow(BudgetExceededError);
      stage.budgets = [budget('user', 29, 'platform')];
      await expect(spend('one', 'a third')).rejects.toMatchObject({ standing: { used: 24 } });
    });

    it('can be looked at before anything is reserved', async () => {
      stage.budgets = [budget('user', 10)];
      const caller = { address: here, requester: (await stage.job()).requester };
      await stage.credits.reserve(await stage.call(7));
      await stage.credits.requireRoom(caller, stage, 3, 'chat');
      await expect(stage.credits.requireRoom(caller, stage, 3.5, 'chat')).rejects.toMatchObject({ left: 3 });
      expect(await stage.credits.standings(caller, stage.budgets)).toMatchObject([
        { used: 7, budget: { credits: 10 } },
      ]);
      expect(await stage.rows()).toHaveLength(1);
    });
  });

  describe('after a crash', () => {
    it('renders that go on keep what is reserved, what was never sent cost nothing, of the rest nobody knows', async () => {
      const rendering = await stage.job();
      await stage.database.insertInto('renders').values(renderRow(rendering.id)).execute();
      await stage.credits.reserve(await stage.call(22, { job: rendering }));
      await stage.credits.reserve(await stage.call(22));
      await stage.credits.reserve(await stage.call(400, { kind: 'video' }));
      for (const [credits, kind] of [
        [3, 'chat'],
        [1, 'speech'],
      ] as const) {
        await stage.credits.reserve(await stage.call(credits, { kind }));
        const sent = await stage.credits.reserve(await stage.call(credits, { kind }));
        await sent.sending.beforeSending();
      }
      expect(await stage.credits.settleAbandoned()).toBe(6);
      expect((await stage.rows()).map(({ kind, state, high }) => [kind, state, high / 1e6])).toEqual([
        ['image', 'reserved', 22],
        ['image', 'failed', 0],
        ['video', 'failed', 0],
        ['chat', 'failed', 0],
        ['chat', 'uncertain', 3],
        ['speech', 'failed', 0],
        ['speech', 'uncertain', 1],
      ]);
      // As it is in rows of the version before.
      await stage.credits.reserve(await stage.call(3, { kind: 'chat' }));
      await stage.database.updateTable('ledger').set({ sent_at: null }).execute();
      await stage.credits.settleAbandoned();
      expect((await stage.rows()).at(-1)).toMatchObject({ state: 'uncertain' });
      expect(await stage.credits.settleAbandoned()).toBe(0);
    });
  });
});
