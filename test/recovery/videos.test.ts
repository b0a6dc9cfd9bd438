import { describe, expect, it } from 'vitest';
import { videoCredits } from '../../src/credits/index.ts';
import { words } from '../../src/words/index.ts';
import { consolePlace } from './support/console.ts';
import { discordPlace } from './support/discord.ts';
import { slackPlace } from './support/slack.ts';
import { type Left, passes, type Story, tellAll } from './support/story.ts';
import { worldOfTests } from './support/world.ts';

/** `RECOVERY=all` tries all ways and every death, and every fifth of a second process. */
const isAll = process.env.RECOVERY === 'all';

const say = words('en');
const price = videoCredits({ quality: 'balanced' });
/** How an announcement ends whose video is still to come. */
const [, promise = ''] = say.videoAsked('', price, true).split('. ');
const start = (text: string) => text.slice(0, 12);

/** What must never be: bought or posted twice, bought and not posted, or a promise from which nothing comes. */
function faultsOf({ posted, spent, states }: Left): readonly string[] {
  const files = posted.reduce((sum, one) => sum + one.files, 0);
  const shows = (part: string) => posted.filter(({ text }) => text.includes(part));
  const isUncertain = shows(start(say.noticeUncertain)).length > 0;
  const hasButton = posted.some(({ buttons }) => buttons.includes(say.tryAgain));
  const isTold = isUncertain || hasButton;
  return [
    ...(spent > price ? [`${spent} credits were spent`] : []),
    ...(files > 1 ? [`it was posted ${files} times`] : []),
    ...(spent >= price && files === 0 && !isUncertain ? ['it was bought and not posted'] : []),
    ...shows(say.filming).map(() => 'it’s being rendered for ever'),
    ...(files === 0 && !isTold ? shows(start(promise)).map(() => 'it’s promised for ever') : []),
    ...(shows(start(promise)).length + shows('Ready').length > 1 ? ['it’s announced twice'] : []),
    ...(states.length > 0 && files === 0 && !isTold ? ['nothing came of it'] : []),
    ...states.filter((state) => state !== 'done' && state !== 'failed'),
  ];
}

const story: Omit<Story, 'way'> = {
  during: ({ asking, mark }) => asking.ask(`a lighthouse ${mark}`, 'video'),
  // The service charges for what it makes once it's made, whether or not anybody knows of it.
  after: ({ world }) => passes(world, 300_000),
  faults: faultsOf,
};

/** Where people ask and how, and every how many steps a process dies by default; 0: never. */
const places: readonly {
  readonly name: string;
  readonly make: typeof discordPlace | typeof consolePlace;
  readonly ways: Readonly<Record<string, number>>;
}[] = [
  { name: 'the console', make: consolePlace, ways: { command: 7, private: 0 } },
  { name: 'Discord', make: discordPlace, ways: { command: 7, private: 0 } },
  { name: 'Slack', make: slackPlace, ways: { command: 6, private: 0 } },
];

describe.each(places)('a video on $name, whose process dies', { timeout: 3_600_000 }, ({ make, ways }) => {
  const its = worldOfTests(make, Number.MAX_SAFE_INTEGER);

  const scenes = Object.entries(ways)
    .map(([way, byDefault]) => ({ way, every: isAll ? 1 : byDefault }))
    .filter(({ every }) => every > 0);

  it.each(scenes)('at any step, asked by $way', async ({ way, every }) => {
    const told = { way, ...story };
    const end = await tellAll(its.world, its.survivor, told, { apart: every }, isAll ? 5 : undefined);
    its.survivor = end.survivor;
    expect(end.deaths).toBeGreaterThan(0);
    expect(end.faults).toEqual([]);
  });
});
