import { afterEach, describe, expect, it } from 'vitest';
import { words } from '../../src/words/index.ts';
import { discordPlace } from './support/discord.ts';
import { Life } from './support/life.ts';
import type { Said } from './support/place.ts';
import { slackPlace } from './support/slack.ts';
import { passes, playStory, type Story } from './support/story.ts';
import { isIdle } from './support/under-way.ts';
import { World } from './support/world.ts';

const say = words('en');

const discord = { make: discordPlace, steps: /^POST .*\/messages$/ };
const slack = { make: slackPlace, steps: /^POST .*\/chat\.postMessage$/ };
const slackByAddress = { make: slackPlace, steps: /^POST .*\/commands\// };

let world: World;
afterEach(() => world.close());

/** A process dies right after its platform took a message, by its number from 1: what's wrong in the end. */
async function faultsAfter(
  nth: number,
  { make, steps }: Pick<typeof discord, 'steps'> & { readonly make: typeof discordPlace | typeof slackPlace },
  story: Story,
): Promise<readonly string[]> {
  world = await World.open(make, Number.MAX_SAFE_INTEGER);
  const first = await world.start(new Life(), true);
  let before = 0;
  const during: Story['during'] = (...scene) => {
    before = first.life.steps.length;
    return story.during(...scene);
  };
  const { faults } = await playStory(world, first, { ...story, during, steps }, nth);
  expect(first.life.steps.slice(before).filter((step) => steps.test(step))).toHaveLength(nth);
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

it('a private picture in direct messages that’s drawn again, whose process dies before its announcement is on record, isn’t promised for ever', async () => {
  const faults = await faultsAfter(1, slack, {
    way: 'private',
    before: async ({ asking, mark }) => {
      await passes(world, 5_000);
      asking.ask(`a lighthouse ${mark}`, 'imagine');
      const isThere = async () => (await asking.posted()).some(({ files }) => files > 0);
      await world.until('an image', async () => (await isThere()) && (await isIdle(world)));
      await passes(world, 5_000);
    },
    during: ({ asking }) => asking.press(say.again(1)),
    after: () => passes(world, 400_000),
    faults: ({ posted }) =>
      posted.filter(({ text }) => text.includes(say.drawing)).map(() => 'it’s promised for ever'),
  });
  expect(faults).toEqual([]);
});

describe('a finished answer of several messages, whose process dies before one that’s posted is on record', () => {
  const places = [
    { name: 'Discord', ...discord, way: 'mention', nth: 2, words: 1_200 },
    { name: 'Slack', ...slack, way: 'command', nth: 2, words: 4_000 },
  ];
  it.each(places)('is read once on $name', async ({ way, nth, words: count, ...place }) => {
    const numbers = Array.from({ length: count }, (_, index) => `n${index + 1}x`);
    const faults = await faultsAfter(nth, place, {
      way,
      before: () => world.answersNext(numbers.join(' '), 'instant'),
      during: ({ asking, mark }) => asking.ask(`hello ${mark}`),
      faults: ({ posted }) => {
        const read = posted.flatMap(({ text }) => text.match(/\bn\d+x/g) ?? []);
        const times = Map.groupBy(read, (number) => number);
        return numbers
          .filter((number) => times.get(number)?.length !== 1)
          .map((number) => `${number} is read ${times.get(number)?.length ?? 0} times`);
      },
    });
    expect(faults.map((fault) => fault.slice(0, 60))).toEqual([]);
  });
});

describe('what people can read of an answer whose process died', () => {
  const places = [
    { name: 'Discord', ...discord, steps: /^PATCH .*\/messages\//, way: 'mention' },
    { name: 'Slack', ...slack, steps: /^POST .*\/chat\.update$/, way: 'command' },
  ];
  it.each(places)(
    'says itself that it was interrupted on $name: what’s told below may be deleted',
    async ({ way, ...place }) => {
      const numbers = Array.from({ length: 200 }, (_, index) => `n${index + 1}x`);
      const faults = await faultsAfter(1, place, {
        way,
        before: () => world.answersNext(numbers.join(' '), 1),
        during: ({ asking, mark }) => asking.ask(`hello ${mark}`),
        faults: ({ posted }) => {
          const parts = posted.filter(({ text }) => text.includes('n1x'));
          const isTold = (text: string) =>
            [say.endings.interrupted, 'I was interrupted'].some((words) =>
              text.includes(words.replaceAll('*', '')),
            );
          return [
            ...(parts.length === 1 ? [] : [`${parts.length} parts`]),
            ...parts.filter(({ text }) => !isTold(text)).map(() => 'it reads as if it were whole'),
          ];
        },
      });
      expect(faults.map((fault) => fault.slice(0, 60))).toEqual([]);
    },
  );
});

it('an answer where the bot isn’t a member, whose process dies before its post is on record, is there once, and comes directly', async () => {
  const faults = await faultsAfter(2, slackByAddress, {
    way: 'outside',
    before: () => world.answersNext('An answer.', 'instant'),
    during: ({ asking, mark }) => asking.ask(`hello ${mark}`),
    faults: ({ posted }) => {
      const copies = posted.filter(({ text }) => text.includes('An answer.'));
      const isDirect = ({ text }: Said) => text.includes(say.sentDirectly('not-a-member'));
      const direct = copies.filter(isDirect).length;
      return [copies.length - direct, direct]
        .filter((times) => times !== 1)
        .map((times) => `it’s there ${times} times`);
    },
  });
  expect(faults).toEqual([]);
});
