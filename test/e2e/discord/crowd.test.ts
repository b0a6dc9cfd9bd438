import { PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { type Crowd, startCrowd, waits } from '../support/crowd.ts';

/** Notes when each prompt's picture was first to be seen. */
function shownAt({ discord, clock, said }: Crowd, prompts: readonly string[]): ReadonlyMap<string, number> {
  const shown = new Map<string, number>();
  discord.world.on('change', () => {
    for (const { content, files } of said()) {
      const prompt = files.length > 0 && prompts.find((each) => content.includes(`${each}\n`));
      if (prompt && !shown.has(prompt)) shown.set(prompt, clock.now());
    }
  });
  return shown;
}

/** Notes when the bot's answers first had words that aren't a hint, by whom they answer. */
function firstWordsAt({ discord, clock, said }: Crowd): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  discord.world.on('change', () => {
    for (const { replyTo = '', content } of said()) {
      const author = discord.world.messages.get(replyTo)?.authorId;
      const isAnswer = author !== undefined && !content.includes('Yours comes next.');
      if (isAnswer && !first.has(author)) first.set(author, clock.now());
    }
  });
  return first;
}

const prompts = (count: number) => Array.from({ length: count }, (_, index) => `picture no. ${index}`);
const inWords = (waited: readonly number[]) =>
  ['first', 'median', 'last']
    .map((name, index) => `${name} ${[waited[0], median(waited), waited.at(-1)][index]} ms`)
    .join(', ');
const median = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;

/** All 25 pictures are shown soon after they were ready; how soon, in words. */
async function shownSoon(crowd: Crowd, shown: ReadonlyMap<string, number>): Promise<string> {
  await crowd.until('every picture', () => shown.size === 25);
  const waited = waits(crowd.readyAt, shown);
  expect(median(waited)).toBeLessThanOrEqual(5_000);
  expect(waited.at(-1)).toBeLessThanOrEqual(15_000);
  expect(crowd.discord.rateLimits.limited).toBe(0);
  return inWords(waited);
}

describe('25 images at once in one channel', () => {
  it('are each shown as soon as they’re ready where they were asked for by command', async ({ annotate }) => {
    const crowd = await startCrowd(25, { renderTime: 4 });
    const asked = prompts(25);
    const shown = shownAt(crowd, asked);
    for (const [index, prompt] of asked.entries())
      crowd.people[index]?.types(crowd.channel, { name: 'imagine', options: { prompt } });
    await annotate(await shownSoon(crowd, shown));
  });

  it('come before any progress where a mention asked for them, and all is written by the channel’s one limit', async ({
    annotate,
  }) => {
    const crowd = await startCrowd(25, { renderTime: 20 });
    const { people, channel } = crowd;
    const asked = prompts(25);
    const shown = shownAt(crowd, asked);
    for (const [index, prompt] of asked.entries()) people[index]?.mentions(channel, `imagine: ${prompt}`);
    await annotate(await shownSoon(crowd, shown));
  });

  it('are not announced again and again where the bot may see the channel no longer', async () => {
    const crowd = await startCrowd(5, { renderTime: 30 });
    const { discord, people, channel, said } = crowd;
    for (const [index, prompt] of prompts(5).entries())
      people[index]?.mentions(channel, `imagine: ${prompt}`);
    await crowd.until('every announcement', () => said().length === 5);
    discord.world.guilds.get(channel.guildId ?? '')!.roles.get(channel.guildId ?? '')!.permissions &=
      ~PermissionFlagsBits.ViewChannel;
    const start = crowd.clock.now();
    await crowd.until('half a minute', () => crowd.clock.now() - start > 25_000);
    // One for each at most, where their progress is shown at the same moment.
    expect(discord.rateLimits.invalidRequests).toBeLessThanOrEqual(5);
  });
});

describe('15 questions at once in one channel', () => {
  it('are answered as soon as it takes so many messages, and hints hold up none of them', async ({
    annotate,
  }) => {
    const crowd = await startCrowd(15);
    const { discord, people, channel, clock } = crowd;
    const first = firstWordsAt(crowd);
    const start = clock.now();
    for (const [index, person] of people.entries()) person.mentions(channel, `What are tides, no. ${index}?`);
    await crowd.until('every answer', () => first.size === 15);
    const waited = [...first.values()].map((at) => at - start).sort((one, other) => one - other);
    await annotate(inWords(waited));
    // Five messages in five seconds; four are answered at a time, each for some seconds.
    const late = waited.filter((milliseconds, index) => milliseconds > 5_000 * Math.floor(index / 5) + 3_000);
    expect(late).toEqual([]);
    expect(discord.rateLimits.limited).toBe(0);
  });
});

describe('people who ask for many images', () => {
  it('hold nobody else up: turns are taken in their channel, and beyond four each is refused before it costs anything', async () => {
    const crowd = await startCrowd(5, { renderTime: 4 });
    const { discord, people, channel, clock } = crowd;
    const [modest, ...greedy] = people;
    const shown = shownAt(crowd, ['modest']);
    for (const [index, person] of greedy.entries())
      for (let count = 0; count < 6; count++) {
        const prompt = `no. ${count} of person ${index}`;
        person.types(channel, { name: 'imagine', options: { prompt, count: 4 } });
      }
    const refusals = () =>
      [...discord.world.messages.values()].filter(({ content }) =>
        content.includes('You already have 4 images or videos in progress here'),
      );
    await crowd.until('the refusals', () => refusals().length === 8);
    expect(new Set(refusals().map(({ onlyFor }) => onlyFor))).toEqual(
      new Set(greedy.map(({ user }) => user.id)),
    );
    const asked = clock.now();
    modest?.types(channel, { name: 'imagine', options: { prompt: 'modest' } });
    await crowd.until('the modest image', () => shown.size === 1);
    // What the key may make in a minute is used up; of the 64 images, more are left than it may make in the next one.
    expect((shown.get('modest') ?? Number.NaN) - asked).toBeLessThanOrEqual(120_000);
  });
});

describe('who waits for an image', () => {
  const drawn = async (renderTime: number, hasHistory: boolean) => {
    const crowd = await startCrowd(1, { renderTime });
    const { people, channel, said, discord } = crowd;
    if (!hasHistory)
      discord.world.guilds.get(channel.guildId ?? '')!.roles.get(channel.guildId ?? '')!.permissions &=
        ~PermissionFlagsBits.ReadMessageHistory;
    people[0]?.types(channel, { name: 'imagine', options: { prompt: 'a cat' } });
    const image = () => said().find(({ files }) => files.length > 0);
    await crowd.until('the image', () => image() !== undefined);
    const until = crowd.clock.now() + 2_000;
    await crowd.until('what comes after it', () => crowd.clock.now() > until);
    const notices = said().filter(({ id }) => id !== image()?.id);
    return { image: image()?.id ?? '', person: people[0]?.user.id ?? '', notices };
  };

  it('is notified by a reply where it took longer than half a minute, because of an edit Discord notifies nobody', async () => {
    const { image, person, notices } = await drawn(40, true);
    expect(notices).toMatchObject([{ replyTo: image, content: `<@${person}>\nYour image is ready.` }]);
    expect(notices[0]?.mentions).toEqual([person]);
  });

  it('is notified as well where it failed after that', async () => {
    const crowd = await startCrowd(1, { renderTime: 40 });
    const { people, channel, said } = crowd;
    const person = people[0]?.user.id ?? '';
    people[0]?.types(channel, { name: 'imagine', options: { prompt: 'a cat [[error]]' } });
    await crowd.until('the notice', () => said().length === 2);
    const [failed, notice] = said();
    expect(failed?.content).toContain('⚠️');
    expect(notice).toMatchObject({
      replyTo: failed?.id,
      content: `<@${person}>\nThere’s a problem with your image.`,
      mentions: [person],
    });
  });

  it('gets a link instead where the bot may not reply', async () => {
    const { image, notices } = await drawn(40, false);
    expect(notices).toMatchObject([{ replyTo: undefined, content: expect.stringContaining(`/${image}`) }]);
  });

  it('isn’t notified of what was there soon', async () => {
    expect((await drawn(4, true)).notices).toEqual([]);
  });
});
