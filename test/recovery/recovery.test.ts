import { describe, expect, it } from 'vitest';
import { isLong } from '../long-form.ts';
import { consolePlace } from './support/console.ts';
import { discordPlace } from './support/discord.ts';
import { type Death, type End, play } from './support/play.ts';
import { slackPlace } from './support/slack.ts';
import { worldOfTests } from './support/world.ts';

/** `RECOVERY=all` tries every way to ask and every death, which takes some minutes. */
const isAll = process.env.RECOVERY === 'all';
/** Every how many steps a process dies. */
const apart = isAll ? 1 : isLong ? 4 : 7;

/** Where and how people ask, and whether they can read the answer while it's written; the first ones by default. */
const places = [
  { name: 'the console', make: consolePlace, byDefault: 2, ways: { command: true, private: true } },
  {
    name: 'Discord',
    make: discordPlace,
    byDefault: 1,
    ways: { mention: true, command: true, private: true },
  },
  { name: 'Slack', make: slackPlace, byDefault: 2, ways: { directly: true, private: false, command: false } },
].map(({ ways, byDefault, ...place }) => ({
  ...place,
  ways: Object.entries(ways).slice(0, isAll ? undefined : byDefault),
}));

describe.each(places)('an answer on $name, whose process dies', { timeout: 900_000 }, ({ make, ways }) => {
  const its = worldOfTests(make);

  /** Somebody asks, and processes die: what people are left with in the end. */
  async function scene(way: string, first: 'in the middle' | number, then: readonly Death[]): Promise<End> {
    const played = await play(its.world, its.survivor, { way, locale: 'en', first, then });
    its.survivor = played.survivor;
    return played.end;
  }

  describe.each(ways)('asked by %s', (way, readable) => {
    it('in the middle; and whoever goes on dies at any step, once or twice, or finds the platform away', async () => {
      const faults: string[] = [];
      const judge = async (...then: Death[]): Promise<End> => {
        const end = await scene(way, 'in the middle', then);
        const isRight = readable ? end.fate === 'cut' : end.fate !== 'nothing';
        const all = [...end.faults, ...(isRight ? [] : [`people are left with ${end.fate}`])];
        faults.push(...all.map((fault) => `${JSON.stringify(then)}: ${fault}`));
        return end;
      };
      const { steps } = await judge();
      const recovery = steps.at(-1)?.length ?? 0;
      expect(recovery).toBeGreaterThan(5);
      await judge({ away: true });
      for (let after = 1; after <= recovery; after += apart) {
        if (isAll) await judge({ after });
        await judge({ after }, { after });
        await judge({ after }, { away: true });
      }
      expect(faults).toEqual([]);
    });

    it('at any step: what people can read is whole, or says that it isn’t', async () => {
      const whole = await scene(way, Number.POSITIVE_INFINITY, []);
      expect(whole).toMatchObject({ fate: 'whole', faults: [] });
      const [steps = []] = whole.steps;
      const faults: string[] = [];
      for (const [index, step] of [...steps.entries()].filter(([index]) => index % apart === 0))
        for (const fault of (await scene(way, index + 1, [])).faults) faults.push(`after ${step}: ${fault}`);
      expect(faults).toEqual([]);
    });
  });
});
