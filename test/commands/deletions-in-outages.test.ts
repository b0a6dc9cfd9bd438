import type { KyselyPlugin } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { PlatformError } from '../../src/port/index.ts';
import { deletionsOn, jobOf, stalling } from './support/deletions.ts';
import { Stage, type Standing } from './support/stage.ts';

let isAway: boolean;
/** How many queries work before one fails. */
let failsAfter: number;
const plugin: KyselyPlugin = {
  transformQuery: ({ node }) => {
    failsAfter -= 1;
    if (isAway || failsAfter === -1) throw Object.assign(new Error('away'), { code: 'ERR_SQLITE_ERROR' });
    return node;
  },
  transformResult: async ({ result }) => result,
};

let stage: Stage;
beforeEach(async () => {
  isAway = false;
  failsAfter = Number.POSITIVE_INFINITY;
  stage = await Stage.open({ plugin });
});

const { deletes, deletesQuestions, deletesPlace, readable, directly, canBeDeleted, remembered, answered } =
  deletionsOn(() => stage);

describe('what somebody deletes while the database is away', () => {
  it.each(['message', 'channel'])(
    'stops at once with its %s, and goes to its requester alone when that’s back',
    async (what) => {
      await stage.control({ pace: 'human' });
      const given = stage.give('ask', { prompt: 'Write 5000 characters about green' });
      await stage.untilWritten();
      const [answer] = stage.standing as [Standing];
      isAway = true;
      await (what === 'message' ? deletes([answer.id]) : deletesPlace({ workspace: 'w', channel: 'c' }));
      await stage.clock.advance(120_000);
      expect(stage.standing).toEqual([answer]);
      isAway = false;
      await given;
      await stage.until(() => directly().length > 0);
      expect(directly()[0]?.message.text).toMatch(/^.*it was deleted there.*\n\n/);
      expect(directly()[0]?.message.text?.length).toBeLessThan(1_000);
      expect(readable()).toEqual([]);
      expect(await stage.ledgerStates()).toEqual(['spent']);
      expect(await remembered()).toEqual([]);
    },
  );

  it('is stopped when that’s back, if it’s a question', async () => {
    const given = stage.give('ask', { prompt: stalling });
    await stage.untilWritten();
    isAway = true;
    await deletesQuestions(1);
    await stage.clock.advance(5_000);
    isAway = false;
    await stage.until(() => readable().length === 0);
    await given;
    expect(directly()).toEqual([]);
    expect(await remembered()).toEqual([]);
  });

  it('doesn’t keep the process from ending', async () => {
    const given = stage.give('ask', { prompt: stalling });
    given.catch(() => {});
    await stage.untilWritten();
    isAway = true;
    await deletes([stage.latest.id]);
    await stage.until(() => false, stage.bot.close());
    isAway = false;
  });

  it.each(['answer', 'question'])('is forgotten whichever query fails, if it’s the %s', async (what) => {
    for (let event = 1, works = 0; ; event++, works++) {
      const own = await answered();
      failsAfter = works;
      await (what === 'answer' ? deletes([own.id]) : deletesQuestions(event));
      const hasFailed = failsAfter < 0;
      failsAfter = Number.POSITIVE_INFINITY;
      const isDeleted = () =>
        stage.database
          .selectFrom('jobs')
          .select('deleted')
          .where('id', '=', jobOf(own))
          .executeTakeFirstOrThrow();
      await stage.until(async () => (await isDeleted()).deleted === what);
      expect(await remembered()).toEqual([]);
      if (!hasFailed) break;
      expect(works).toBeLessThan(40);
    }
  });
});

describe('what somebody deletes while its answer waits for the platform', () => {
  /** The platform is away until an answer has been made. */
  const awayUntilMade = async (given: Promise<unknown>) => {
    stage.refuses = () => new PlatformError('unreachable');
    await stage.until(() => false, given);
    expect(stage.bot.deliveries.outstanding).toBe(1);
  };
  const isBack = async () => {
    stage.refuses = () => undefined;
    await stage.deliveriesEnded();
  };

  it('isn’t answered, if it’s a question', async () => {
    await awayUntilMade(stage.give('ask', { prompt: 'Tides' }));
    await deletesQuestions(1);
    await isBack();
    expect(stage.standing).toEqual([]);
    expect(await remembered()).toEqual([]);
    expect(stage.ended).toEqual(['ask canceled']);
  });

  it('is spoken for its requester alone, if it’s a question for /speak', async () => {
    await awayUntilMade(stage.give('speak', { text: 'Hello' }));
    await deletesQuestions(1);
    await isBack();
    expect(readable()).toEqual([]);
    expect(directly()).toHaveLength(1);
    expect(directly()[0]?.message.files).toHaveLength(1);
    await canBeDeleted(directly());
  });

  it.each([
    ['video', 'announcement'],
    ['video', 'question'],
    ['speak', 'question'],
  ] as const)(
    'has no word more about its file, if that’s a /%s whose %s is deleted',
    async (command, what) => {
      stage.refuses = ({ files }) => (files?.length ? new PlatformError('unreachable') : undefined);
      const given = stage.give(command, command === 'speak' ? { text: 'Hello' } : { prompt: 'x' });
      const isMade = async () =>
        (await stage.bot.deliveries.pendingIds()).length > 0 ||
        (await stage.renderStates()).includes('ready');
      await stage.until(isMade);
      const announced = readable().map(({ id }) => id);
      if (what === 'announcement') for (const id of announced) stage.deleted.add(id);
      await (what === 'announcement' ? deletes(announced) : deletesQuestions(1));
      await stage.clock.advance(1_000);
      expect(readable()).toEqual([]);
      await stage.clock.advance(20 * 60_000);
      expect([...readable(), ...directly()]).toEqual([]);
      stage.refuses = () => undefined;
      await stage.until(() => directly().length > 0);
      await given;
      expect(readable()).toEqual([]);
      expect(directly()[0]?.message.files).toHaveLength(1);
    },
  );

  it('goes to its requester alone, if a part of the answer is there', async () => {
    await stage.control({ pace: 'human' });
    const ended = stage.give('ask', { prompt: 'Write 900 characters about green' });
    await stage.untilWritten();
    await awayUntilMade(ended);
    await deletes([stage.standing[0]!.id]);
    await isBack();
    expect(readable()).toEqual([]);
    expect(
      directly()
        .map(({ message }) => message.text ?? '')
        .join('\n'),
    ).toMatch(/^.*it was deleted there/);
    await canBeDeleted(directly());
    expect(await remembered()).toEqual([]);
  });
});
