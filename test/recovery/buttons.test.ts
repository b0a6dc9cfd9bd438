import { describe, expect, it } from 'vitest';
import { creditsOfImage } from '../../src/credits/index.ts';
import { words } from '../../src/words/index.ts';
import { consolePlace } from './support/console.ts';
import { discordPlace } from './support/discord.ts';
import type { Said } from './support/place.ts';
import { slackPlace } from './support/slack.ts';
import { type Left, type Scenery, type Story, tellAll } from './support/story.ts';
import { isIdle, underWay } from './support/under-way.ts';
import { worldOfTests } from './support/world.ts';

/** `RECOVERY=all` tries all ways and every death, and every fifth of a second process. */
const isAll = process.env.RECOVERY === 'all';

const say = words('en');

/** Words of a long answer: several messages everywhere, and no file anywhere. */
const many = 750;
const wordsOf = (count: number) => Array.from({ length: count }, (_, index) => `wn${index + 1}x`);
const readIn = (posted: readonly Said[]) =>
  posted.flatMap(({ text }) => [...text.matchAll(/wn(\d+)x/g)].map(([, number]) => Number(number)));
const isOfAnswer = ({ text }: Said) => /wn\d+x/.test(text);
const standing = async ({ asking }: Scenery) => (await asking.posted()).filter(isOfAnswer);

/** How often each word can be read; those that can't be aren't in it. */
function timesRead(posted: readonly Said[]): ReadonlySet<number> {
  const all = readIn(posted);
  return new Set([...Map.groupBy(all, (word) => word).values()].map(({ length }) => length));
}

const isRecorded = ({ world }: Scenery) => isIdle(world);

/** A question has its answer, of so many words. */
const isAnswered =
  (count: number) =>
  async (scenery: Scenery): Promise<void> => {
    const { asking, world, mark } = scenery;
    await world.answersNext(wordsOf(count).join(' '), 'instant');
    asking.ask(`repeat: again ${mark}`);
    const isWhole = async () => new Set(readIn(await asking.posted())).size === count;
    await world.until('an answer', async () => (await isWhole()) && (await isRecorded(scenery)));
  };

/** An image is there. */
async function isDrawn(scenery: Scenery): Promise<void> {
  const { asking, world, mark } = scenery;
  asking.ask(`a lighthouse ${mark}`, 'imagine');
  const hasFile = async () => (await asking.posted()).some(({ files }) => files > 0);
  await world.until('an image', async () => (await hasFile()) && (await isRecorded(scenery)));
}

/** Whoever sees that something still stands presses again; then nothing does. */
async function deletesTheRest(scenery: Scenery, by?: 'moderator'): Promise<void> {
  const { asking, faults } = scenery;
  const left = await asking.posted();
  const shown = new Set(readIn(left)).size;
  if (shown > 0 && shown < many) faults.push(`a part stays: ${shown} words`);
  if (left.length > 0 && !(await asking.press(say.remove, by))) faults.push('what stays has no button');
}

const nothingStays = ({ posted }: Left) => posted.map(() => 'it stays');

const stories = {
  'its requester deletes a long answer': {
    before: isAnswered(many),
    during: ({ asking }) => asking.press(say.remove),
    after: (scenery) => deletesTheRest(scenery),
    faults: nothingStays,
  },
  'a moderator deletes a long answer': {
    before: isAnswered(many),
    during: ({ asking }) => asking.press(say.remove, 'moderator'),
    after: (scenery) => deletesTheRest(scenery, 'moderator'),
    faults: nothingStays,
  },
  'an image is deleted': {
    before: isDrawn,
    during: ({ asking }) => asking.press(say.remove),
    after: (scenery) => deletesTheRest(scenery),
    faults: nothingStays,
  },
  'a long answer is shared': {
    before: isAnswered(many),
    during: ({ asking }) => asking.press(say.sharing.share),
    // A press that was never received shares nothing.
    faults: ({ posted }) => {
      const times = timesRead(posted);
      return times.size === 1 ? [] : [`words are read ${[...times].join(' or ')} times`];
    },
  },
  'a long answer is brought late': {
    isLeft: true,
    during: async (scenery, { life }) => {
      const { asking, world, mark } = scenery;
      await world.answersNext(wordsOf(many).join(' '), 1);
      asking.ask(`again ${mark}`);
      await world.until(
        'its beginning',
        async () => asking.isBegun?.() ?? (await standing(scenery)).length > 0,
      );
      life.isAway = true;
      await world.until('what is left', async () => (await underWay(world)).delivering.length > 0);
      life.die();
    },
    faults: ({ posted }) => {
      const times = timesRead(posted);
      const isWhole = new Set(readIn(posted)).size === many;
      return [
        ...(times.size === 1 && times.has(1) ? [] : [`each word is read ${[...times].join(' or ')} times`]),
        ...(isWhole ? [] : ['a part is missing']),
      ];
    },
  },
  'an answer is written anew': {
    before: isAnswered(40),
    during: ({ asking }) => asking.press(say.regenerate),
    faults: ({ posted, states }) => {
      const isThere =
        new Set(readIn(posted)).size === 40 || posted.some(({ buttons }) => buttons.includes('‹'));
      return [
        ...(isThere ? [] : ['the version before is gone']),
        ...states.filter((state) => state !== 'done' && state !== 'failed'),
      ];
    },
  },
  'an image is drawn again': {
    before: isDrawn,
    during: ({ asking }) => asking.press(say.again(1)),
    faults: ({ posted, spent, states }) => {
      const files = posted.reduce((sum, one) => sum + one.files, 0);
      const isUncertain = posted.some(({ text }) => text.includes(say.noticeUncertain.slice(0, 40)));
      const bought = spent / creditsOfImage;
      const versions = posted.some(({ buttons }) => buttons.includes('‹')) ? 2 : files;
      return [
        ...(bought > 1 ? [`${spent} credits were spent`] : []),
        ...(files < 1 ? ['the version before is gone'] : []),
        ...(versions > 1 + bought ? [`${versions} are shown`] : []),
        ...(bought === 1 && versions < 2 && !isUncertain ? ['it was bought and not posted'] : []),
        ...posted.filter(({ text }) => text.includes(say.drawing)).map(() => 'it’s being drawn for ever'),
        ...states.filter((state) => state !== 'done' && state !== 'failed'),
      ];
    },
  },
} satisfies Readonly<Record<string, Omit<Story, 'way'>>>;
type Title = keyof typeof stories;

/** Where people ask and how, and every how many steps a process dies by default; 0: never. */
const places: readonly {
  readonly name: string;
  readonly make: typeof discordPlace | typeof consolePlace;
  readonly ways: Readonly<Record<string, Partial<Record<Title, number>>>>;
}[] = [
  {
    name: 'the console',
    make: consolePlace,
    ways: {
      command: {
        'its requester deletes a long answer': 10,
        'an answer is written anew': 0,
        'an image is deleted': 0,
        'an image is drawn again': 10,
      },
      private: { 'a long answer is shared': 10 },
    },
  },
  {
    name: 'Discord',
    make: discordPlace,
    ways: {
      mention: {
        'its requester deletes a long answer': 22,
        'a moderator deletes a long answer': 0,
        'a long answer is brought late': 20,
        'an answer is written anew': 18,
      },
      command: { 'an image is deleted': 0, 'an image is drawn again': 16 },
      private: { 'a long answer is shared': 14 },
    },
  },
  {
    name: 'Slack',
    make: slackPlace,
    ways: {
      directly: {
        'its requester deletes a long answer': 8,
        'a long answer is brought late': 12,
        'an answer is written anew': 14,
      },
      command: {
        'a moderator deletes a long answer': 0,
        'an image is deleted': 0,
        'an image is drawn again': 18,
      },
      private: { 'a long answer is shared': 8 },
    },
  },
];

describe.each(places)('on $name a process dies', { timeout: 3_600_000 }, ({ make, ways }) => {
  const its = worldOfTests(make);

  const scenes = Object.entries(ways).flatMap(([way, byDefault]) =>
    Object.entries(byDefault)
      .map(([title, every]) => ({ way, title: title as Title, every: isAll ? 1 : every }))
      .filter(({ every }) => every > 0),
  );

  it.each(scenes)('while $title, asked by $way', async ({ way, title, every }) => {
    const story = { way, ...stories[title] };
    const told = await tellAll(its.world, its.survivor, story, { apart: every }, isAll ? 5 : undefined);
    its.survivor = told.survivor;
    expect(told.deaths).toBeGreaterThan(0);
    expect(told.faults).toEqual([]);
  });
});
