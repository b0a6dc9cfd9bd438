import { expect, test } from 'vitest';
import { LocalFaults } from '../../../src/lib/local-faults.ts';
import {
  type MessageAddress,
  PlatformError,
  type PostVariant,
  type PostVariantsOptions,
  postFirstAccepted,
} from '../../../src/port/index.ts';
import { FakeClock } from '../../fakes/clock.ts';

const clock = new FakeClock();
const how: PostVariantsOptions = {
  work: 'a clip',
  clock,
  signal: new AbortController().signal,
  troubles: new LocalFaults(),
  log: { warn: () => {} },
};
const at = (message: string): MessageAddress => ({
  platform: 'slack',
  workspace: 'T',
  channel: 'C',
  message,
});

/** Ways to bring something, and which of them were taken. */
function ways(refused: readonly string[], begun: readonly string[]) {
  const sent: string[] = [];
  const way = (name: string, over: Partial<PostVariant> = {}): PostVariant => ({
    name,
    send: async () => {
      sent.push(name);
      if (refused.includes(name)) throw new PlatformError('refused');
      return at(name);
    },
    isBegun: async () => begun.includes(name),
    ...over,
  });
  return { sent, way };
}

test('what was begun before comes first, whatever its place takes by now', async () => {
  const { sent, way } = ways([], ['away']);
  const variants = [way('here'), way('away', { onlyAfter: ['refused'] })];
  expect(await postFirstAccepted(variants, how)).toEqual(at('away'));
  expect(sent).toEqual(['away']);
});

test('where several were begun, the one that is taken', async () => {
  const { sent, way } = ways(['file away'], ['file away', 'link away']);
  expect(await postFirstAccepted([way('here'), way('file away'), way('link away')], how)).toEqual(
    at('link away'),
  );
  expect(sent).toEqual(['file away', 'link away']);
});

test('where what was begun is refused, the others in their order', async () => {
  const { sent, way } = ways(['away'], ['away']);
  expect(await postFirstAccepted([way('here'), way('away')], how)).toEqual(at('here'));
  expect(sent).toEqual(['away', 'here']);
});

test('a platform that does not run yet is waited for before anything is posted', async () => {
  const { sent, way } = ways([], []);
  let isRunning = false;
  const away = way('away', {
    isBegun: async () => {
      if (!isRunning) throw new PlatformError('unreachable');
      return true;
    },
  });
  const brought = postFirstAccepted([way('here'), away], how);
  await clock.advance(60_000);
  expect(sent).toEqual([]);
  isRunning = true;
  await clock.advance(300_000);
  expect(await brought).toEqual(at('away'));
  expect(sent).toEqual(['away']);
});

test('soon after the database is back, however long it was away; a platform is left in peace', async () => {
  const takes = async (error: Error) => {
    let isAway = true;
    let posted: number | undefined;
    const send = async () => {
      if (isAway) throw error;
      posted = clock.now();
      return at('here');
    };
    const posting = postFirstAccepted([{ name: 'here', send }], how);
    await clock.advance(1_000_000);
    isAway = false;
    const back = clock.now();
    await clock.advance(300_000);
    await posting;
    return (posted ?? 0) - back;
  };
  const away = Object.assign(new Error('the database'), { code: 'ERR_POSTGRES_AWAY' });
  expect(await takes(away)).toBeLessThanOrEqual(15_000);
  expect(await takes(new PlatformError('unreachable'))).toBeGreaterThan(15_000);
});
