import { afterAll, beforeAll, expect, it } from 'vitest';
import { discordPlace } from './support/discord.ts';
import { Life } from './support/life.ts';
import { passes, type Story, tellAll } from './support/story.ts';
import { World } from './support/world.ts';

/** After which of its steps who's asked dies; `RECOVERY=all` tries all in which the answer grows. */
const deaths =
  process.env.RECOVERY === 'all' ? Array.from({ length: 14 }, (_, index) => index + 1) : [3, 6, 9];

let world: World;
beforeAll(async () => {
  world = await World.open(discordPlace);
});
afterAll(() => world.close());

const story: Story = {
  way: 'mention',
  // How far its session is goes on record.
  before: ({ world }) => passes(world, 2_000),
  during: ({ asking, mark }) => asking.ask(`a lighthouse ${mark}`),
  meanwhile: async ({ asking }) => asking.unask?.(),
  faults: ({ posted }) => posted.map(() => 'it’s spoken of'),
};

it('a question on Discord that’s deleted after its process has died isn’t spoken of by the next one', async () => {
  const first = await world.start(new Life(), true);
  const { faults } = await tellAll(world, first, story, deaths);
  expect(faults).toEqual([]);
});
