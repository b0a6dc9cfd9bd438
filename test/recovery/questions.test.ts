import { afterEach, describe, expect, it } from 'vitest';
import { creditsOfImage } from '../../src/credits/index.ts';
import { questionLife } from '../../src/engine/index.ts';
import { createJobs } from '../../src/store/index.ts';
import { words } from '../../src/words/index.ts';
import { consolePlace } from './support/console.ts';
import { discordPlace } from './support/discord.ts';
import { Life } from './support/life.ts';
import { slackPlace } from './support/slack.ts';
import { type Deaths, type Left, type Scenery, type Story, tellAll } from './support/story.ts';
import { type Process, World } from './support/world.ts';

/** `RECOVERY=all` tries all ways and every death, also of a second process, which takes an hour for this file alone. */
const isAll = process.env.RECOVERY === 'all';

const say = words('en');
const { yes, no } = say.question;
const order = say.either.order('imagine', String(creditsOfImage));
const { instead } = say.either;
/** The buttons that order. */
const orders = [yes, order];

const asks = ({ asking, mark }: Scenery) => asking.ask(`a lighthouse ${mark}`, 'imagine');
const presses = async ({ asking }: Scenery, labels: readonly string[]) => {
  for (const label of labels) if (await asking.press(label)) return true;
  return false;
};

/** A question stands. */
async function isAsked(scenery: Scenery): Promise<void> {
  asks(scenery);
  const { asking, world } = scenery;
  const isOnRecord = async () =>
    (await world.database.selectFrom('jobs').select('id').where('state', '=', 'asking').execute()).length ===
    0;
  await world.until(
    'a question',
    async () => (await asking.posted()).some(orderable) && (await isOnRecord()),
  );
}

/** Nobody answers. */
async function silence({ world }: Scenery, { life, bot }: Process): Promise<void> {
  await world.clock.advance(questionLife + 60_000);
  await life.run(() => bot.endUnanswered());
}

/**
 * The buttons that stand are those of the command that's on record.
 * @throws where they decide nothing.
 */
async function standsAsOnRecord({ asking, world, mark }: Scenery): Promise<void> {
  const jobs = world.database.selectFrom('jobs').select(['command', 'state']);
  const job = await jobs.where('options', 'like', `%${mark}%`).executeTakeFirst();
  if (job?.state !== 'asked') throw new Error(`the question is ${job?.state}`);
  const buttons = (await asking.posted()).flatMap((one) => one.buttons);
  if (!buttons.includes(job.command === 'imagine' ? order : yes))
    throw new Error('its buttons decide nothing');
}

/** Somebody confirms, and gets what they asked for. */
async function confirms(scenery: Scenery): Promise<void> {
  const { asking, world } = scenery;
  const hasFile = async () => (await asking.posted()).some(({ files }) => files > 0);
  if (await presses(scenery, orders)) await world.until('an image', hasFile);
}

const orderable = ({ buttons }: { readonly buttons: readonly string[] }) =>
  orders.some((label) => buttons.includes(label));

/** What must never be: bought or posted twice, bought and not posted, or a button or promise from which nothing comes. */
function faultsOf({ posted, spent, states }: Left): readonly string[] {
  const files = posted.reduce((sum, one) => sum + one.files, 0);
  const isUncertain = posted.some(({ text }) => text.includes(say.noticeUncertain.slice(0, 40)));
  const promises = posted.filter((one) => one.files === 0 && one.text.includes(say.drawing));
  const dead = posted.filter((one) => !one.isWhisper && orderable(one));
  return [
    ...(spent >= 2 * creditsOfImage ? [`${spent} credits were spent`] : []),
    ...(files > 1 ? [`it was posted ${files} times`] : []),
    ...(spent >= creditsOfImage && files === 0 && !isUncertain ? ['it was bought and not posted'] : []),
    ...promises.map(() => 'it’s being drawn for ever'),
    ...dead.map(() => 'a question that’s over has its buttons'),
    ...states.filter((state) => state !== 'done' && state !== 'failed'),
  ];
}

const bought = (left: Left) => (left.spent >= creditsOfImage ? ['nobody has confirmed that'] : []);
const faultsWithoutYes = (left: Left) => [...faultsOf(left), ...bought(left)];
/** Who has asked gets it, or can try again; unless it was never taken. */
const faultsAfterYes = (left: Left) => {
  const isThere = left.posted.some(({ files, buttons }) => files > 0 || buttons.includes(say.tryAgain));
  return [...faultsOf(left), ...(left.states.length > 0 && !isThere ? ['nothing came of it'] : [])];
};

/** A story, and above how many credits people are asked in it. */
type Told = Omit<Story, 'way'> & { readonly confirmOver?: number };

const stories = {
  'while it asks, and nobody answers': { during: asks, after: silence, faults: faultsWithoutYes },
  'while it asks, and then it’s confirmed': { during: asks, after: confirms, faults: faultsAfterYes },
  'while it’s confirmed': {
    before: isAsked,
    during: (scenery) => presses(scenery, orders),
    after: silence,
    faults: faultsOf,
  },
  'while it’s declined': {
    before: isAsked,
    during: (scenery) => presses(scenery, [no, instead]),
    after: silence,
    faults: faultsWithoutYes,
  },
  'while it’s asked next what an answer costs': {
    before: isAsked,
    during: (scenery) => presses(scenery, [instead]),
    after: async (scenery, survivor) => {
      await standsAsOnRecord(scenery);
      await silence(scenery, survivor);
    },
    faults: faultsWithoutYes,
    confirmOver: 1,
  },
  'when its time is over': {
    before: async (scenery) => {
      await isAsked(scenery);
      await scenery.world.clock.advance(questionLife + 1);
    },
    during: (_, { bot }) => bot.endUnanswered(),
    after: silence,
    faults: faultsWithoutYes,
  },
  'while what was asked is deleted': {
    before: isAsked,
    during: ({ asking }) => asking.unask?.(),
    after: silence,
    faults: faultsWithoutYes,
  },
  'while it asks, and what was asked is deleted': {
    during: asks,
    atStart: ({ asking }) => asking.unask?.(),
    after: silence,
    faults: faultsWithoutYes,
  },
  'while it asks, and what was asked is on record as deleted': {
    during: asks,
    meanwhile: async ({ world: { database }, mark }) => {
      const jobs = database.selectFrom('jobs').select('id').where('options', 'like', `%${mark}%`);
      for (const { id } of await jobs.execute()) await createJobs(database).markDeleted(id, 'question');
    },
    after: silence,
    faults: (left) => [
      ...faultsWithoutYes(left),
      // One that was never on record is asked when the platform sends it again.
      ...left.posted
        .filter(({ text }) => text !== say.question.tooOld)
        .map(() => 'it stands though what was asked is deleted'),
    ],
  },
} satisfies Readonly<Record<string, Told>>;
type Title = keyof typeof stories;

const titles = Object.keys(stories) as Title[];
const ofMessage: readonly Title[] = [
  'while what was asked is deleted',
  'while it asks, and what was asked is deleted',
  'while it asks, and what was asked is on record as deleted',
  'while it’s asked next what an answer costs',
];

/** Where people ask and how, and what's tried by default. */
const places: readonly {
  readonly name: string;
  readonly make: typeof discordPlace | typeof consolePlace;
  readonly ways: Readonly<Record<string, Partial<Record<Title, Deaths>>>>;
}[] = [
  {
    name: 'the console',
    make: consolePlace,
    ways: { command: { 'while it’s declined': 'any' }, private: {} },
  },
  {
    name: 'Discord',
    make: discordPlace,
    ways: {
      mention: {
        'while it’s confirmed': [3],
        'while it asks, and what was asked is on record as deleted': [6, 7, 8],
        'while it’s asked next what an answer costs': [3, 4],
      },
      command: { 'while it asks, and nobody answers': [4], 'while it’s declined': 'any' },
      // Before the press is acknowledged, and once the announcement is posted.
      private: { 'while it’s confirmed': [1, 9, 10, 11, 12] },
    },
  },
  {
    name: 'Slack',
    make: slackPlace,
    ways: {
      directly: {
        'while it asks, and nobody answers': 'any',
        'while it’s confirmed': [1, 10, 20, 30],
        'while what was asked is deleted': 'any',
        'while it asks, and what was asked is on record as deleted': [6, 7, 8],
        'while it’s asked next what an answer costs': 'any',
      },
      command: {},
    },
  },
];

describe.each(places)('a question on $name, whose process dies', { timeout: 3_600_000 }, ({ make, ways }) => {
  let world: World;
  afterEach(() => world.close());

  const isMessage = (way: string) => way === 'mention' || way === 'directly';
  const scenes = Object.entries(ways).flatMap(([way, byDefault]) =>
    titles
      .filter((title) => isMessage(way) || !ofMessage.includes(title))
      .map((title) => ({ way, title, deaths: isAll ? 'any' : byDefault[title] }))
      .filter(({ deaths }) => deaths !== undefined),
  );

  it.each(scenes)('asked by $way: $title', async ({ way, title, deaths = 'any' }) => {
    const { confirmOver = 10, ...told }: Told = stories[title];
    world = await World.open(make, confirmOver);
    const first = await world.start(new Life(), true);
    const end = await tellAll(world, first, { way, ...told }, deaths, isAll ? 1 : undefined);
    expect(end.deaths).toBeGreaterThan(0);
    expect(end.faults).toEqual([]);
  });
});
