import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Personas } from '../../src/place-settings/index.ts';
import type { Address, Person } from '../../src/port/index.ts';
import { discordPlace } from './support/discord.ts';
import { Life } from './support/life.ts';
import type { Asking } from './support/place.ts';
import { slackPlace } from './support/slack.ts';
import { isIdle, leftovers } from './support/under-way.ts';
import { type Process, World } from './support/world.ts';

/** Every how many steps a process dies; `RECOVERY=all` tries every step. */
const apart = process.env.RECOVERY === 'all' ? 1 : 7;

/** Longer than one message. */
const good = 'The tide comes in and goes out again, twice a day. '.repeat(42);

const boss: Person = { id: 'boss', name: 'Boss', locale: 'en', administrator: true, moderator: true };

const places = [
  { name: 'Discord', make: discordPlace, way: 'mention', stoppable: 'mention' },
  { name: 'Slack', make: slackPlace, way: 'directly', stoppable: 'command' },
];

describe.each(places)('an answer on $name that’s found bad', ({ make, way, stoppable }) => {
  let world: World;
  let survivor: Process;
  let found: () => void | Promise<void> = () => {};
  beforeAll(async () => {
    world = await World.open(make);
    world.moderation = {
      async flagged([text = '']) {
        if (!text.includes('bad')) return undefined;
        // What was shown before is on record.
        await world.calm();
        await found();
        return { categories: ['harassment'], texts: [0] };
      },
    };
    survivor = await world.start(new Life(), true);
  });
  afterAll(() => world.close());

  const isOver = () => isIdle(world);

  /** It dies so many steps after the verdict, and so does whoever goes on. @returns whether it did, and what people are left with. */
  async function left(after: number, before = async (_: Asking) => 'asks') {
    const { life } = survivor;
    let isFound = false;
    found = () => {
      isFound = true;
      life.diesAfter(after);
    };
    const asking = await world.place.asking(way, 'en');
    const how = await before(asking);
    await world.answersNext(`${good}And something bad.`, 1);
    if (how === 'asks') asking.ask('Tides?');
    else await asking.press(how);
    await world.until('its end', async () => life.isDead || (isFound && (await isOver())));
    const hasDied = life.isDead;
    life.die();
    const next = new Life();
    next.diesAfter(after);
    await world.start(next, false);
    await world.until('the next death', async () => next.isDead || (await isOver()));
    next.die();
    survivor = await world.start(new Life(), true);
    await world.until('the last end', async () => (await isOver()) && (await asking.hanging()).length === 0);
    await world.calm();
    const kept = await world.database
      .selectFrom('keyv')
      .select('key')
      .where('key', 'like', 'conversation::%')
      .where('value', 'like', '%The tide%')
      .execute();
    return { hasDied, posted: await asking.posted(), kept, leftovers: await leftovers(world) };
  }

  const withheld = {
    text: expect.stringMatching(/^(?!.*tide).*I can’t show this answer: it was flagged as harassment\./s),
    ...{ buttons: ['Try again', 'Delete'], files: 0 },
  };

  it('leaves nothing of its beginning there, nor in the conversation, when its process dies', async () => {
    let steps = 1;
    for (let hasDied = true; hasDied; steps += apart) {
      const { hasDied: died, ...scene } = await left(steps);
      hasDied = died;
      expect(scene, `after ${steps}`).toEqual({ posted: [withheld], kept: [], leftovers: [] });
    }
    expect(steps).toBeGreaterThan(apart * 2);
  });

  it('isn’t what its persona said: no name stands above what takes its place, whenever its process dies', async () => {
    await left(1);
    const [job] = await world.database.selectFrom('jobs').select('address').execute();
    const address = JSON.parse(job!.address) as Address;
    const { platform, workspace } = address;
    await new Personas(world.database, () => 0).save(address, { name: 'Ada' }, boss);
    const as = { platform, workspace, channel: '', name: 'as', value: '"Ada"' };
    await world.database.insertInto('place_settings').values(as).execute();
    for (const steps of [2, 5]) {
      const { hasDied, posted } = await left(steps);
      expect({ hasDied, posted }).toEqual({ hasDied: true, posted: [withheld] });
      expect(posted.map(({ text }) => text).join()).not.toContain('Ada');
    }
    await world.database.deleteFrom('place_settings').where('name', '=', 'as').execute();
  });

  it('is no version of the one before, which stays, when its process dies', async () => {
    const regenerated = async (asking: Asking) => {
      await world.answersNext('Twice a day.', 'instant');
      asking.ask('Tides?');
      await world.until(
        'the one before',
        async () => (await asking.posted()).length === 1 && (await isOver()),
      );
      return 'Regenerate';
    };
    for (const steps of [1, 9]) {
      const { posted, ...rest } = await left(steps, regenerated);
      expect(rest, `after ${steps}`).toEqual({ hasDied: true, kept: [], leftovers: [] });
      const [before, ...others] = posted;
      expect(before?.text).toContain('Twice a day.');
      expect(before?.buttons).toContain('Regenerate');
      expect(before?.buttons).not.toContain('‹');
      // One person may be told again what a process said right before it died.
      const told = others.filter(({ isWhisper }) => !isWhisper).map(({ text }) => text);
      expect(told).toEqual([withheld.text, ...told.slice(1).map(() => withheld.text)]);
    }
  });

  it('is taken away though somebody presses Stop before the verdict', async () => {
    await world.answersNext(`${good}And something bad.`, 1);
    const asking = await world.place.asking(stoppable, 'en');
    found = async () => {
      expect(await asking.press('Stop')).toBe(true);
      await world.calm();
    };
    asking.ask('Tides?');
    await world.until('the verdict', async () =>
      (await asking.posted()).some(({ text }) => text.includes('tide')),
    );
    await world.until('its end', isOver);
    await world.calm();
    expect(await asking.posted()).toEqual([withheld]);
  });
});
