import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SharedTurns } from '../../src/conversation/index.ts';
import { FakeClock } from '../fakes/clock.ts';
import { processesSharing } from '../fakes/coordination.ts';
import { openMigrated } from '../fakes/database.ts';
import { databases } from '../fakes/postgres/index.ts';
import { patience } from '../patience.ts';

describe.each(databases)('turns of several processes on $name', ({ fresh }) => {
  /** A bot of so many processes. */
  async function bot(count: number) {
    const opened = await openMigrated(await fresh());
    onTestFinished(() => opened.destroy());
    let reads = 0;
    const database = opened.withPlugin({
      transformQuery: ({ node }) => {
        if (node.kind === 'SelectQueryNode') reads++;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const clock = new FakeClock();
    const share = processesSharing(clock);
    const sent: string[] = [];
    let isDeaf = false;
    const processes = await Promise.all(
      Array.from({ length: count }, async () => {
        const { process, signals } = share();
        const times = { started_at: 0, seen_at: 0, ended_at: null };
        await database
          .insertInto('processes')
          .values({ id: process, platforms: '[]', ...times })
          .execute();
        const send = async (topic: string, text: string) => {
          sent.push(text);
          if (!isDeaf) await signals.send(topic, text);
        };
        const coordination = { process, signals: { ...signals, send } };
        return { process, turns: new SharedTurns({ database, coordination, clock }) };
      }),
    );
    const running: string[] = [];
    const waiting: string[] = [];
    const stopped: string[] = [];
    const ends = new Map<string, () => void>();
    const turnsOf = (process: number) => {
      const found = processes[process];
      if (!found) throw new Error('no such process');
      return found.turns;
    };
    return {
      database,
      clock,
      running,
      waiting,
      stopped,
      sent,
      reads: () => reads,
      loseSignals: () => {
        isDeaf = true;
      },
      turnsOf,
      record: (process: number, job: string) =>
        turnsOf(process).enter({ job, person: job.split(' ')[0] ?? '', place: 'place' }),
      recordArrived: (process: number, job: string, arrival: number) =>
        turnsOf(process).enter({ job, person: job.split(' ')[0] ?? '', place: 'place', arrival }),
      take(process: number, job: string, { atOnce = 2, conversation = 'talk', signal }: Taking = {}) {
        const person = job.split(' ')[0] ?? '';
        const order = {
          job,
          person,
          atOnce,
          onWait: () => void waiting.push(job),
          onStop: () => void stopped.push(job),
          ...(signal && { signal }),
        };
        return turnsOf(process).take(conversation, order, async () => {
          running.push(job);
          await new Promise<void>((resolve) => ends.set(job, resolve));
          running.splice(running.indexOf(job), 1);
        });
      },
      /** A command that takes no turn of its own, but has to keep the order. */
      between: (process: number, job: string) => {
        const turns = turnsOf(process);
        return turns.earlierHaveBegun(job).then(() => void running.push(job));
      },
      end: (job: string) => ends.get(job)?.(),
      die: (process: number) =>
        database
          .updateTable('processes')
          .set({ ended_at: 1 })
          .where('id', '=', processes[process]?.process ?? '')
          .execute(),
      left: () => database.selectFrom('turns').selectAll().execute(),
    };
  }

  interface Taking {
    readonly atOnce?: number;
    readonly conversation?: string;
    readonly signal?: AbortSignal;
  }

  const soon = (check: () => void) => vi.waitFor(check, patience);

  it('come in the order in which their commands were recorded, however quick the second’s process is', async () => {
    const { record, take, end, running, waiting, left } = await bot(2);
    await record(0, 'ann 1');
    await record(1, 'ann 2');
    const second = take(1, 'ann 2');
    await soon(() => expect(waiting).toEqual(['ann 2']));
    const first = take(0, 'ann 1');
    await soon(() => expect(running).toEqual(['ann 1']));
    end('ann 1');
    await first;
    await soon(() => expect(running).toEqual(['ann 2']));
    end('ann 2');
    await second;
    expect(await left()).toEqual([]);
  });

  it('of one process come in the order in which they arrived, however late the first was recorded', async () => {
    const { recordArrived, take, end, running, left } = await bot(2);
    await recordArrived(0, 'ann 3', 3);
    await Promise.all([recordArrived(0, 'ann 2', 2), recordArrived(0, 'ann 1', 1)]);
    const names = ['ann 3', 'ann 2', 'ann 1'];
    const turns = names.map((name) => take(0, name));
    for (const name of names.toReversed()) {
      await soon(() => expect(running).toEqual([name]));
      end(name);
    }
    await Promise.all(turns);
    expect(await left()).toEqual([]);
  });

  it('begin where the write that began them got through and its response was lost', async () => {
    const { database, take, end, running, waiting, clock } = await bot(1);
    const first = take(0, 'ann 1');
    await soon(() => expect(running).toEqual(['ann 1']));
    const second = take(0, 'ann 2');
    await soon(() => expect(waiting).toEqual(['ann 2']));
    const update = database.updateTable.bind(database);
    const updates = vi.spyOn(database, 'updateTable').mockImplementationOnce((table) => {
      const query = update(table as 'turns')
        .set({ slot: 1 })
        .where('job', '=', 'ann 2');
      const execute = async () => {
        await query.execute();
        throw Object.assign(new Error('cut off'), { code: 'ERR_POSTGRES_AWAY' });
      };
      const lost = { set: () => lost, where: () => lost, executeTakeFirst: execute };
      return lost as never;
    });
    end('ann 1');
    await first;
    await soon(() => expect(updates).toHaveBeenCalledOnce());
    await soon(async () => {
      await clock.advance(1_000);
      expect(running).toEqual(['ann 2']);
    });
    end('ann 2');
    await second;
  });

  it('are as many at once as the place allows, and nobody is held up by who waits for their own', async () => {
    const { take, end, running, waiting } = await bot(3);
    const turns = [take(0, 'ann 1')];
    await soon(() => expect(running).toEqual(['ann 1']));
    turns.push(take(1, 'ann 2'));
    await soon(() => expect(waiting).toEqual(['ann 2']));
    turns.push(take(2, 'bob 1'));
    await soon(() => expect(running).toEqual(['ann 1', 'bob 1']));
    turns.push(take(0, 'cid 1'));
    await soon(() => expect(waiting).toEqual(['ann 2', 'cid 1']));
    end('bob 1');
    await soon(() => expect(running).toEqual(['ann 1', 'cid 1']));
    end('ann 1');
    await soon(() => expect(running).toEqual(['cid 1', 'ann 2']));
    end('cid 1');
    end('ann 2');
    await Promise.all(turns);
  });

  it('are never more than allowed, nor two of one person, whatever comes at once', async () => {
    const { take, end, running } = await bot(3);
    const jobs = Array.from(
      { length: 18 },
      (_, index) => `${['ann', 'bob', 'cid', 'dan'][index % 4]} ${index}`,
    );
    const turns = jobs.map((job, index) => take(index % 3, job, { atOnce: 3 }));
    for (let left = jobs.length; left > 0; left--) {
      await soon(() => expect(running.length).toBeGreaterThan(0));
      expect(running.length).toBeLessThanOrEqual(3);
      expect(new Set(running.map((job) => job.split(' ')[0])).size).toBe(running.length);
      const [next = ''] = running;
      end(next);
      await soon(() => expect(running).not.toContain(next));
    }
    await Promise.all(turns);
  });

  it('can be given up while they wait', async () => {
    const { take, end, running, waiting, left } = await bot(2);
    const stop = new AbortController();
    const first = take(0, 'ann 1');
    await soon(() => expect(running).toEqual(['ann 1']));
    const second = take(1, 'ann 2', { signal: stop.signal });
    const third = take(0, 'ann 3');
    await soon(() => expect(waiting.toSorted()).toEqual(['ann 2', 'ann 3']));
    stop.abort(new Error('given up'));
    await expect(second).rejects.toThrow('given up');
    end('ann 1');
    await soon(() => expect(running).toEqual(['ann 3']));
    end('ann 3');
    await Promise.all([first, third]);
    expect(await left()).toEqual([]);
  });

  it('of a process that has ended count no longer', async () => {
    const { take, end, die, record, running, waiting, clock } = await bot(2);
    void take(0, 'bob 1', { atOnce: 1 });
    await soon(() => expect(running).toEqual(['bob 1']));
    await record(0, 'ann 1');
    const next = take(1, 'ann 2', { atOnce: 1 });
    await soon(() => expect(waiting).toEqual(['ann 2']));
    await die(0);
    await clock.advance(1_000);
    await soon(() => expect(running).toEqual(['bob 1', 'ann 2']));
    end('ann 2');
    await next;
  });

  it('begin within a second where the signal is lost', async () => {
    const { take, end, running, waiting, loseSignals, sent, clock } = await bot(2);
    const first = take(0, 'ann 1');
    await soon(() => expect(running).toEqual(['ann 1']));
    const second = take(1, 'ann 2');
    await soon(() => expect(waiting).toEqual(['ann 2']));
    loseSignals();
    end('ann 1');
    await first;
    expect(sent).toContain('talk');
    expect(running).toEqual([]);
    await clock.advance(1_000);
    await soon(() => expect(running).toEqual(['ann 2']));
    end('ann 2');
    await second;
  });

  it('wait for a recorded one that doesn’t come for five seconds, and not at all for one that failed', async () => {
    const { record, take, turnsOf, end, running, waiting, clock } = await bot(2);
    await record(0, 'ann 1');
    await record(0, 'ann 2');
    const third = take(1, 'ann 3', { conversation: 'place' });
    await soon(() => expect(waiting).toEqual(['ann 3']));
    await turnsOf(0).leave('ann 1');
    expect(running).toEqual([]);
    for (let second = 0; second < 4; second++) await clock.advance(1_000);
    expect(running).toEqual([]);
    await soon(async () => {
      await clock.advance(1_000);
      expect(running).toEqual(['ann 3']);
    });
    end('ann 3');
    await third;
  });

  it('wait for a command between them that was recorded before, until it has done its work', async () => {
    const { record, take, between, end, running, waiting, turnsOf } = await bot(2);
    await record(0, 'ann reset');
    await record(1, 'ann 1');
    const turn = take(1, 'ann 1');
    await soon(() => expect(waiting).toEqual(['ann 1']));
    await between(0, 'ann reset');
    expect(running).toEqual(['ann reset']);
    await turnsOf(0).leave('ann reset');
    await soon(() => expect(running).toEqual(['ann reset', 'ann 1']));
    end('ann 1');
    await turn;
  });

  it('look at their queue together: many that wait in one cost a query when something changes', async () => {
    const { record, take, end, running, waiting, clock, reads } = await bot(1);
    const people = Array.from({ length: 50 }, (_, at) => `person${at} 1`);
    for (const job of people) await record(0, job);
    const [first = '', ...others] = people;
    const turns = [take(0, first, { atOnce: 1 })];
    // Several connections may bring them in any order: which of different people begins in an empty queue is open.
    await soon(() => expect(running).toEqual([first]));
    turns.push(...others.map((job) => take(0, job, { atOnce: 1 })));
    await soon(() => expect(waiting).toHaveLength(49));
    const before = reads();
    for (const job of people) {
      await soon(async () => {
        await clock.advance(100);
        expect(running).toEqual([job]);
      });
      end(job);
    }
    await Promise.all(turns);
    // Each look of each of them would be 49 + 48 + 47 + …
    expect(reads() - before).toBeLessThan(6 * people.length);
  });

  it('begin before a command between them that was recorded later, unless that takes five seconds', async () => {
    const { record, take, between, end, running, clock, turnsOf } = await bot(2);
    await record(0, 'ann 1');
    await record(1, 'ann reset');
    await record(0, 'bob 1');
    const reset = between(1, 'ann reset');
    // It has looked, and looks again a while later.
    await soon(() => expect(clock.pending).toBe(1));
    const turn = take(0, 'ann 1');
    await soon(() => expect(running).toEqual(['ann 1']));
    await soon(async () => {
      await clock.advance(100);
      expect(running).toEqual(['ann 1', 'ann reset']);
    });
    await reset;
    await turnsOf(1).leave('ann reset');
    end('ann 1');
    await turn;
    await record(1, 'bob reset');
    const late = between(1, 'bob reset');
    await soon(async () => {
      await clock.advance(5_000);
      expect(running).toEqual(['ann reset', 'bob reset']);
    });
    await late;
  });

  it('are stopped from another process, at once or within two seconds where the signal is lost', async () => {
    const { turnsOf, take, end, stopped, running, loseSignals, clock } = await bot(2);
    const turns = [take(0, 'ann 1'), take(0, 'bob 1')];
    await soon(() => expect(running).toHaveLength(2));
    expect(await turnsOf(1).stop('ann 1')).toBe('stops');
    expect(stopped).toEqual(['ann 1']);
    loseSignals();
    const outcome = turnsOf(1).stop('bob 1');
    await soon(async () => {
      await clock.advance(500);
      expect(stopped).toContain('bob 1');
    });
    const told = vi.fn();
    void outcome.then(told);
    await soon(async () => {
      await clock.advance(3_000);
      expect(told).toHaveBeenCalledWith('no-response');
    });
    end('ann 1');
    end('bob 1');
    await Promise.all(turns);
    expect(await turnsOf(1).stop('ann 1')).toBe('not-found');
  });

  it('of a process that doesn’t respond can’t be stopped, which is told', async () => {
    const { database, turnsOf, stopped, clock } = await bot(1);
    const row = { job: 'ann 1', number: 1, process: 'gone', person: 'ann', place: 'place', slot: 1 };
    await database
      .insertInto('turns')
      .values({ ...row, conversation: 'talk' })
      .execute();
    const outcome = turnsOf(0).stop('ann 1');
    const told = vi.fn();
    void outcome.then(told);
    await soon(async () => {
      await clock.advance(3_000);
      expect(told).toHaveBeenCalledWith('no-response');
    });
    expect(stopped).toEqual([]);
  });

  it('count in all processes against what a person may have waiting', async () => {
    const { record, turnsOf, die } = await bot(3);
    await record(0, 'ann 1');
    await record(1, 'ann 2');
    await record(1, 'bob 1');
    expect(await turnsOf(0).elsewhere('ann', 'place')).toBe(1);
    expect(await turnsOf(2).elsewhere('ann', 'place')).toBe(2);
    expect(await turnsOf(2).elsewhere('ann', 'other')).toBe(0);
    await die(1);
    expect(await turnsOf(2).elsewhere('ann', 'place')).toBe(1);
  });
});
