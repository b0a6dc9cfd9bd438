import { afterAll, beforeAll, expect, it } from 'vitest';
import { words } from '../../src/words/index.ts';
import { discordPlace } from './support/discord.ts';
import { Life } from './support/life.ts';
import { passes, type Story, tellAll } from './support/story.ts';
import { type Process, World } from './support/world.ts';

/** After which of its steps who's asked dies; `RECOVERY=all` tries all in which the answer grows. */
const deaths =
  process.env.RECOVERY === 'all' ? Array.from({ length: 14 }, (_, index) => index + 1) : [3, 6, 9];

let world: World;
let survivor: Process;
beforeAll(async () => {
  world = await World.open(discordPlace);
  survivor = await world.start(new Life(), true);
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
  const end = await tellAll(world, survivor, story, deaths);
  ({ survivor } = end);
  expect(end.faults).toEqual([]);
});

/** What's posted in the thread under its announcement, and put on record; `RECOVERY=all` tries every step. */
const opening = /^(?:POST \S+\/channels\/\S+\/messages|update renders)$/;

const film: Story = {
  way: 'command',
  ...(process.env.RECOVERY !== 'all' && { steps: opening }),
  during: ({ asking, mark }) => asking.ask(`a lighthouse ${mark}`, 'video'),
  meanwhile: async ({ asking }) => asking.takeAway?.(),
  faults: ({ posted }) =>
    posted.filter(({ text }) => text === words('en').filming).map(() => 'it’s being rendered for ever'),
};

it('a video on Discord whose announcement a moderator deletes after its process has died isn’t being rendered for ever in its thread', async () => {
  const end = await tellAll(world, survivor, film, process.env.RECOVERY === 'all' ? 'any' : [1, 2]);
  ({ survivor } = end);
  expect(end.faults).toEqual([]);
});
