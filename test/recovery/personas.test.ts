import { describe, expect, it } from 'vitest';
import { Personas } from '../../src/place-settings/index.ts';
import type { Address, Person } from '../../src/port/index.ts';
import { discordPlace } from './support/discord.ts';
import { play } from './support/play.ts';
import { slackPlace } from './support/slack.ts';
import { worldOfTests } from './support/world.ts';

const boss: Person = { id: 'boss', name: 'Boss', locale: 'en', administrator: true, moderator: true };

const places = [
  { name: 'Discord', make: discordPlace, way: 'mention' },
  { name: 'Slack', make: slackPlace, way: 'directly' },
];
/** The step by which all of an answer is on record, and its end isn't shown yet. */
const onRecord = 'update keyv conversation::exchanges';

describe.each(places)('a persona’s answer on $name, whose process dies', ({ make, way }) => {
  const its = worldOfTests(make);

  /** What people are left with of an answer whose process dies. */
  async function left(first: 'in the middle' | number) {
    const played = await play(its.world, its.survivor, { way, locale: 'en', first, then: [] });
    its.survivor = played.survivor;
    return played.end;
  }

  it('has the persona’s name above it, and that it’s made with AI below it, once', async () => {
    await left(6);
    const { world } = its;
    const [job] = await world.database.selectFrom('jobs').select('address').execute();
    const address = JSON.parse(job!.address) as Address;
    const { platform, workspace } = address;
    await new Personas(world.database, () => 0).save(address, { name: 'Ada' }, boss);
    await world.database
      .insertInto('place_settings')
      .values([
        { platform, workspace, channel: '', name: 'as', value: '"Ada"' },
        { platform, workspace, channel: '', name: 'machine_note', value: '"everything"' },
      ])
      .execute();
    const undisturbed = await left(1_000);
    expect(undisturbed.fate).toBe('whole');
    const late = undisturbed.steps[0]!.lastIndexOf(onRecord) + 1;
    for (const first of ['in the middle', late] as const) {
      const { fate, faults, posted } = await left(first);
      expect(faults).toEqual([]);
      expect(fate).toBe(first === late ? 'whole' : 'cut');
      const [answer, ...others] = posted.map(({ text }) => text);
      expect(answer).toMatch(/^(?:-# \*\*Ada\*\*|\*Ada\*)\nscene n/);
      expect(others.join()).not.toContain('Ada');
      const said = posted.map(({ text }) => text).join('\n');
      expect(said.split('Made with AI')).toHaveLength(2);
    }
  });
});
