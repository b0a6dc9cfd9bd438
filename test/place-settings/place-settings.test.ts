import { beforeEach, describe, expect, it } from 'vitest';
import { Personas, PlaceSettings, type SettingValues } from '../../src/place-settings/index.ts';
import type { Address, Person } from '../../src/port/index.ts';
import type { Database } from '../../src/store/index.ts';
import { endsWithTest } from '../at-end.ts';
import { openMigrated } from '../fakes/database.ts';
import { databases } from '../fakes/postgres/index.ts';

const channel: Address = { platform: 'slack', workspace: 'T1', channel: 'C1' };
const elsewhere: Address = { ...channel, channel: 'C2' };
const chief: Person = { id: 'U1', name: 'chief', locale: 'en', administrator: true, moderator: true };
const environment = { model: 'svc-llm-1.5', voice: 'a voice', confirm_over: 50 } as unknown as SettingValues;

describe.each(databases)('settings of places in two processes, on $name', ({ fresh }) => {
  let one: PlaceSettings;
  let other: PlaceSettings;
  let personas: readonly Personas[];
  /** The ids of one channel. */
  let moved: readonly string[];
  const idsOf = ({ channel: id }: Address) => (moved.includes(id) ? moved : [id]);

  beforeEach(async () => {
    const url = await fresh();
    const opened = async (): Promise<Database> => {
      const database = await openMigrated(url);
      endsWithTest(() => database.destroy());
      return database;
    };
    const first = await opened();
    const second = url.startsWith('sqlite') ? first : await opened();
    let now = 0;
    one = new PlaceSettings(first, environment, () => ++now, idsOf);
    other = new PlaceSettings(second, environment, () => ++now, idsOf);
    personas = [first, second].map((database) => new Personas(database, () => ++now));
    moved = [];
  });

  it('and personas that are chosen twice at the same moment are chosen once', async () => {
    const both = [one, other, one, other];
    const chosen = both.map((each) => each.choose(channel, 'operator', { off: ['video'] }, chief));
    expect((await Promise.all(chosen)).flat()).toEqual(['off']);
    expect(await one.changes(channel, 10)).toHaveLength(1);
    const saved = personas.map((each) => each.save(channel, { name: 'Ada' }, chief));
    expect((await Promise.all(saved)).filter((outcome) => outcome !== 'taken')).toHaveLength(1);
  });

  it('count in the other at once: the channel’s own before the workspace’s before the environment’s', async () => {
    expect((await other.at(channel)).values.confirm_over).toBe(50);
    expect(await one.choose(channel, 'workspace', { confirm_over: 20 }, chief)).toEqual(['confirm_over']);
    expect(await one.choose(channel, 'workspace', { confirm_over: 20 }, chief)).toEqual([]);
    await other.choose(channel, 'channel', { confirm_over: 10 }, chief);
    const seen = [await one.at(channel), await other.at(elsewhere)];
    expect(seen.map(({ values }) => values.confirm_over)).toEqual([10, 20]);
    expect(seen.map(({ sources }) => sources.confirm_over)).toEqual(['channel', 'workspace']);
    await one.choose(channel, 'channel', { confirm_over: undefined }, chief);
    expect((await other.at(channel)).values.confirm_over).toBe(20);
    const changes = await other.changes(channel, 10);
    expect(changes.map(({ scope, after }) => [scope, after])).toEqual([
      ['channel', undefined],
      ['channel', '10'],
      ['workspace', '20'],
    ]);
  });

  it('of a channel that has another id are those of its first, and what was chosen before that was known', async () => {
    await one.choose(channel, 'channel', { confirm_over: 10, voice: 'one voice' }, chief);
    await one.choose(elsewhere, 'channel', { confirm_over: 20 }, chief);
    moved = [channel.channel, elsewhere.channel];
    for (const address of [channel, elsewhere]) {
      const { values, sources } = await other.at(address);
      expect([values.confirm_over, values.voice]).toEqual([20, 'one voice']);
      expect(sources.confirm_over).toBe('channel');
      expect(await one.chosen(address, 'channel')).toEqual({ confirm_over: 20, voice: 'one voice' });
      expect(await one.changes(address, 10)).toHaveLength(3);
    }
    expect(await one.choose(elsewhere, 'channel', { confirm_over: 30 }, chief)).toEqual(['confirm_over']);
    expect((await other.at(channel)).values.confirm_over).toBe(30);
    await one.choose(elsewhere, 'channel', { confirm_over: undefined }, chief);
    expect((await other.at(channel)).values.confirm_over).toBe(50);
  });

  it('of one person are what was chosen last, whichever process was told', async () => {
    await Promise.all([
      one.choosePersonally(channel, 'U2', { voice: 'one voice' }),
      other.choosePersonally(channel, 'U2', { voice: 'another voice' }),
    ]);
    await one.choosePersonally(channel, 'U2', { voice: 'the last voice' });
    expect((await other.forPerson(channel, 'U2')).personal).toEqual({ voice: 'the last voice' });
    await other.choosePersonally(channel, 'U2', { voice: undefined });
    expect((await one.forPerson(channel, 'U2')).personal).toEqual({});
  });
});
