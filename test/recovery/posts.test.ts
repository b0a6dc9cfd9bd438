import { afterEach, describe, expect, it } from 'vitest';
import { words } from '../../src/words/index.ts';
import { discordPlace } from './support/discord.ts';
import { Life } from './support/life.ts';
import { slackPlace } from './support/slack.ts';
import { passes, playStory, type Story } from './support/story.ts';
import { World } from './support/world.ts';

const say = words('en');

const discord = { make: discordPlace, steps: /^POST .*\/messages$/ };
const slack = { make: slackPlace, steps: /^POST .*\/chat\.postMessage$/ };

let world: World;
afterEach(() => world.close());

/** A process dies right after its platform took a message, by its number from 1: what's wrong in the end. */
async function faultsAfter(
  nth: number,
  { make, steps }: typeof discord | typeof slack,
  story: Story,
): Promise<readonly string[]> {
  world = await World.open(make, Number.MAX_SAFE_INTEGER);
  const first = await world.start(new Life(), true);
  const { faults } = await playStory(world, first, { ...story, steps }, nth);
  expect(first.life.steps.filter((step) => steps.test(step))).toHaveLength(nth);
  return faults;
}

describe('what begins in direct messages because it’s private, whose process dies before that’s on record', () => {
  it('has no Stop for ever', async () => {
    const faults = await faultsAfter(2, discord, {
      way: 'private mention',
      before: async () => {
        await passes(world, 5_000);
        await world.answersNext('An answer of some words that takes its time.', 1);
      },
      during: ({ asking, mark }) => asking.ask(`hello ${mark}`),
      faults: ({ posted }) =>
        posted.filter(({ buttons }) => buttons.includes(say.stop)).map(() => 'it goes on for ever'),
    });
    expect(faults).toEqual([]);
  });

  const places = [
    { name: 'Discord', ...discord, way: 'private mention', nth: 2 },
    { name: 'Slack', ...slack, way: 'private', nth: 1 },
  ];
  const promises = [
    { command: 'imagine', promise: say.drawing },
    { command: 'video', promise: 'I’ll post it here' },
  ] as const;
  it.each(places.flatMap((place) => promises.map((one) => ({ ...place, ...one }))))(
    'promises nothing for ever: /$command on $name',
    async ({ command, promise, nth, way, ...place }) => {
      const faults = await faultsAfter(nth, place, {
        way,
        before: () => passes(world, 5_000),
        during: ({ asking, mark }) => asking.ask(`a lighthouse ${mark}`, command),
        after: () => passes(world, 400_000),
        faults: ({ posted }) =>
          posted.filter(({ text }) => text.includes(promise)).map(() => 'it’s promised for ever'),
      });
      expect(faults).toEqual([]);
    },
  );
});
