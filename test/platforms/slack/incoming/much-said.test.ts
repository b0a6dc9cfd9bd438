import { expect, test } from 'vitest';
import type { SlackApi } from '../../../../src/platforms/slack/api/slack-api.ts';
import { ThreadReader } from '../../../../src/platforms/slack/incoming/thread-reader.ts';
import type { ThreadRecords } from '../../../../src/platforms/slack/incoming/thread-records.ts';
import type { Capabilities } from '../../../../src/port/index.ts';
import { FakeClock } from '../../../fakes/clock.ts';

test('of what a workspace says in threads, so much is kept a day; others’ is, too', async () => {
  const clock = new FakeClock();
  const kept: string[] = [];
  const reader = new ThreadReader({
    api: {} as SlackApi,
    records: { note: async (workspace: string) => void kept.push(workspace) } as unknown as ThreadRecords,
    capabilities: { find: async () => 'refused' } as unknown as Capabilities,
    clock,
    isDistributed: true,
  });
  const says = (workspace: string, count: number) =>
    reader.note(workspace, 'C1', { ts: `${count}.000000`, thread_ts: '1.000000', text: 'x'.repeat(4_000) });
  for (let count = 0; count < 6_000; count++) await says('T1', count);
  expect(kept.length).toBeGreaterThan(4_000);
  expect(kept.length).toBeLessThan(5_100);
  await says('T2', 1);
  expect(kept.at(-1)).toBe('T2');
  await clock.advance(86_400_001);
  await says('T1', 1);
  expect(kept.at(-1)).toBe('T1');
});
