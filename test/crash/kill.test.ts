import { expect, it } from 'vitest';
import { crash } from './crash.ts';
import { createDiscordPlace } from './discord-place.ts';
import { createSlackPlace } from './slack-place.ts';

/** The short form of `npm run test:crash`; `crash.test.ts` has more steps, and two processes. */
const places = [
  {
    name: 'Discord',
    create: createDiscordPlace,
    steps: ['video submitted, asked'],
  },
  {
    name: 'Slack',
    create: () => createSlackPlace({ asksDirectly: true }),
    steps: ['upload completed, answered'],
  },
];

it.each(places)(
  'a bot that is killed in the middle of its work buys nothing twice, posts nothing twice and leaves nobody waiting on $name',
  { timeout: 240_000 },
  async ({ create, steps }) => {
    const report = await crash({ place: await create(), rounds: steps.length, steps, seed: 1 });
    expect(report.faults).toEqual([]);
    expect(report).toMatchObject({ rounds: steps.length, rendersAskedFor: 2 * steps.length });
    expect(report.deliveredOnce + report.uncertain).toBeGreaterThan(0);
  },
);
