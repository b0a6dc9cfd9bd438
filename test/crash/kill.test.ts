import { expect, it } from 'vitest';
import { crash } from './crash.ts';
import { createDiscordPlace } from './discord-place.ts';

/** The short form of `npm run test:crash`; `crash.test.ts` has more steps, Slack, and two processes. */
const steps = ['video submitted, asked'];

it(
  'a bot that is killed in the middle of its work buys nothing twice, posts nothing twice and leaves nobody waiting',
  { timeout: 240_000 },
  async () => {
    const report = await crash({ place: await createDiscordPlace(), rounds: steps.length, steps, seed: 9 });
    expect(report.faults).toEqual([]);
    expect(report).toMatchObject({ rounds: steps.length, rendersAskedFor: 2 * steps.length });
    expect(report.deliveredOnce + report.uncertain).toBeGreaterThan(0);
  },
);
