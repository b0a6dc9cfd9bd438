import { describe, expect, it } from 'vitest';
import { crash } from './crash.ts';
import { createDiscordPlace } from './discord-place.ts';
import { createSlackPlace } from './slack-place.ts';

const places = [
  {
    name: 'Discord',
    create: createDiscordPlace,
    steps: ['reply edited, answered', 'video submitted, asked', 'message posted, answered'],
  },
  {
    name: 'Slack',
    create: () => createSlackPlace({ asksDirectly: true }),
    steps: [
      'stream begun, answered',
      'stream ended, asked',
      'video submitted, asked',
      'upload completed, answered',
    ],
  },
];

describe('a bot that is killed in the middle of its work', () => {
  it.each(places)(
    'buys nothing twice, posts nothing twice and leaves nobody waiting on $name',
    { timeout: 240_000 },
    async ({ create, steps }) => {
      const report = await crash({ place: await create(), rounds: steps.length, steps, seed: 1 });
      expect(report.faults).toEqual([]);
      expect(report).toMatchObject({ rounds: steps.length, rendersAskedFor: 2 * steps.length });
      expect(report.deliveredOnce + report.uncertain).toBeGreaterThan(0);
    },
  );

  it('does neither as one of two processes, whose other goes on', { timeout: 240_000 }, async () => {
    const steps = ['stream begun, answered'];
    const place = await createSlackPlace({ asksDirectly: true });
    const report = await crash({ place, rounds: 1, steps, seed: 1, database: 'postgres', processes: 2 });
    expect(report.faults).toEqual([]);
    expect(report).toMatchObject({ rounds: 1, kills: 1, rendersAskedFor: 2 });
  });
});
