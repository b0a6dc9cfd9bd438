import { ApplicationCommandOptionType, ApplicationCommandType } from 'discord-api-types/v10';
import Keyv from 'keyv';
import { describe, expect, it } from 'vitest';
import { DiscordApi } from '../../../../src/platforms/discord/api/api.ts';
import { register, Registration } from '../../../../src/platforms/discord/commands/registration.ts';
import { inviteOf } from '../../../../src/platforms/discord/connection/own-application.ts';
import { usedPermissions } from '../../../../src/platforms/discord/servers/server.ts';
import { openKeyv } from '../../../../src/store/index.ts';
import { endsWithTest } from '../../../at-end.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { commands as realCommands } from '../../../fakes/commands.ts';
import { openMigrated } from '../../../fakes/database.ts';
import { isFields } from '../../../fakes/discord/http/fields.ts';
import { Refusal, refusals } from '../../../fakes/discord/http/refusal.ts';
import { FakeDiscord, type Readings } from '../../../fakes/discord/index.ts';
import { echo, secret } from '../support/commands.ts';
import { invited } from '../support/invited.ts';
import { type Stage, startStage, withoutBot } from '../support/stage.ts';

async function startDiscord(readings: Partial<Readings> = {}) {
  const buckets = { commands: { limit: 50, windowMilliseconds: 1000 } };
  const discord = await FakeDiscord.start({ buckets, readings });
  const api = new DiscordApi({ token: discord.token, apiUrl: discord.apiUrl });
  endsWithTest(async () => {
    api.close();
    await discord.close();
  });
  return { discord, api, id: discord.world.applicationId };
}

/** What a bot has on record, at first nothing. */
const records = () => new Keyv();

/** Starts of the bot on one database. `begin` is one that registers in a server; `logged`: what it warned of. */
async function registering(
  api: DiscordApi,
  { clock = new FakeClock(), applicationId = '' }: { clock?: FakeClock; applicationId?: string },
) {
  const database = await openMigrated('sqlite::memory:');
  endsWithTest(() => database.destroy());
  const logged: string[] = [];
  const log = { info: () => {}, error: () => {}, warn: (_: object, text: string) => void logged.push(text) };
  const records = openKeyv(database, 'discord', () => clock.now());
  const at = (guildId: string | undefined) =>
    new Registration({ api, commands: [echo], guildId, records, clock, log });
  const begin = async (guildId: string | undefined) => {
    const registration = at(guildId);
    await registration.begin(applicationId);
    expect(registration.notReady()).toBeUndefined();
  };
  return { registration: at(undefined), begin, logged };
}

describe('registration of commands', () => {
  it('registers them where Discord says that the ways of installation are null, too', async () => {
    const { discord, api, id } = await startDiscord();
    discord.http.spoil = (body) =>
      isFields(body) && 'integration_types_config' in body
        ? { ...body, integration_types_config: null }
        : body;
    expect(await register(api, { applicationId: id }, [echo], records())).toBe(true);
    expect(discord.commands.list('global')).toMatchObject([{ name: 'echo' }]);
  });

  it('registers them where something stands in for Discord that knows neither the application nor its commands', async () => {
    const { discord, api, id } = await startDiscord();
    const refusal = refusals.noSuchRoute();
    for (const route of ['GET /applications/@me', 'GET /applications/{application_id}/commands'])
      discord.faults.next(route, { kind: 'refuse', refusal });
    expect(await register(api, { applicationId: id }, [echo], records())).toBe(true);
    expect(discord.commands.list('global')).toMatchObject([{ name: 'echo' }]);
  });

  it('registers none where Discord doesn’t say which there are, other programs’ among them', async () => {
    const { discord, api, id } = await startDiscord();
    const refusal = new Refusal(403, 50001, 'Missing Access');
    discord.faults.next('GET /applications/{application_id}/commands', { kind: 'refuse', refusal });
    await expect(register(api, { applicationId: id }, [echo], records())).rejects.toThrow();
    expect(discord.commands.list('global')).toEqual([]);
  });

  it('registers all commands in two languages, once', async () => {
    const { discord, api, id } = await startDiscord();
    expect(await register(api, { applicationId: id }, realCommands, records())).toBe(true);
    expect(await register(api, { applicationId: id }, realCommands, records())).toBe(false);
    const registered = discord.commands.list('global') as {
      name: string;
      options: { name: string; type: number; required?: boolean }[];
      [name: string]: unknown;
    }[];
    const slash = registered.filter(({ type }) => type === ApplicationCommandType.ChatInput);
    expect(slash.map(({ name }) => name)).toEqual(realCommands.map(({ name }) => name));
    const menus = registered.filter(({ type }) => type === ApplicationCommandType.Message);
    expect(menus.map(({ name }) => name)).toEqual([
      'Ask about this',
      'Speak this',
      'Imagine this',
      'Report this',
    ]);
    expect(menus[0]).toMatchObject({
      name_localizations: { 'zh-CN': '就此提问', 'zh-TW': '就此提问' },
      contexts: [0, 1, 2],
      integration_types: [0, 1],
      description: '',
    });
    const video = registered.find(({ name }) => name === 'video')!;
    expect(video.name_localizations).toMatchObject({ 'zh-CN': '视频' });
    expect(video.contexts).toEqual([0, 1, 2]);
    expect(video.integration_types).toEqual([0, 1]);
    expect(video.options[0]).toMatchObject({ name: 'prompt', required: true });
    expect(video.options.find(({ name }) => name === 'image_9')?.type).toBe(
      ApplicationCommandOptionType.Attachment,
    );
    const settings = registered.find(({ name }) => name === 'settings')!;
    const subs = settings.options as unknown as {
      name: string;
      type: number;
      options: { name: string }[];
    }[];
    expect(subs.map(({ type }) => type)).toEqual(subs.map(() => ApplicationCommandOptionType.Subcommand));
    expect(subs.find(({ name }) => name === 'conversation')?.options.map(({ name }) => name)).toEqual([
      ...['conversation', 'mention_only', 'at_once'],
      'scope',
    ]);
    expect(subs.find(({ name }) => name === 'personas')?.options[0]?.name).toBe('name');
    // A group of people has no administrators.
    expect(settings.contexts).toEqual([0, 1]);
    // What means nothing on Discord isn’t offered there.
    expect(subs.map(({ name }) => name)).not.toContain('guests');
    expect(discord.commands.writes).toBe(1);
    expect(discord.journal.violations).toEqual([]);
  });

  it('names no kind of installation that is disabled for the application, which Discord would refuse', async () => {
    const { discord, api, id } = await startDiscord({ bothInstalls: 'refused' });
    expect(await register(api, { applicationId: id }, [echo], records())).toBe(true);
    expect(await register(api, { applicationId: id }, [echo], records())).toBe(false);
    expect(discord.commands.list('global')).toMatchObject([{ contexts: [0, 1], integration_types: [0] }]);
  });

  it.each(['works', 'refused'] as const)(
    'lets people choose only files of an option’s kind, and registers that once where Discord tells it or not: %s',
    async (fileTypesOnRead) => {
      const { discord, api } = await startDiscord({ fileTypesOnRead });
      const place = { applicationId: discord.world.applicationId };
      const kept = records();
      expect(await register(api, place, realCommands, kept)).toBe(true);
      expect(await register(api, place, realCommands, kept)).toBe(false);
      const video = discord.commands.list('global').find(({ name }) => name === 'video');
      const options = video?.options as { name: string; file_types?: string[] }[];
      const typesOf = (name: string) => options.find((option) => option.name === name)?.file_types;
      expect(typesOf('image_1')).toEqual(['image', '.heic', '.heif']);
      expect(typesOf('video_1')).toEqual(['video', '.m4v', '.mkv']);
      // As an earlier version registered them.
      const { applicationId } = place;
      const without = (commands: object) =>
        JSON.parse(JSON.stringify(commands, (key, value) => (key === 'file_types' ? undefined : value)));
      await api.putCommands(applicationId, undefined, without(discord.commands.list('global')));
      expect(await register(api, place, realCommands, records())).toBe(true);
      expect(discord.journal.violations).toEqual([]);
    },
  );

  it('registers them again if one changed', async () => {
    const { discord, api, id } = await startDiscord();
    await register(api, { applicationId: id }, [echo, secret], records());
    const changed = { ...echo, description: { ...echo.description, 'zh-CN': '乙' } };
    expect(await register(api, { applicationId: id }, [changed, secret], records())).toBe(true);
    expect(await register(api, { applicationId: id }, [changed], records())).toBe(true);
    expect(discord.commands.list('global').map(({ name }) => name)).toEqual(['echo']);
  });

  it('is tried again if Discord refuses, and said to be missing meanwhile', async () => {
    const { discord, api } = await startDiscord();
    const clock = new FakeClock();
    const { registration } = await registering(api, { clock });
    discord.faults.next('GET /applications/{application_id}/commands', {
      kind: 'rate-limit',
      seconds: 60,
      scope: 'user',
    });
    await registration.begin(discord.world.applicationId);
    expect(discord.commands.writes).toBe(0);
    expect(registration.notReady()).toContain('commands could not be registered');
    await clock.advance(5_000);
    await discord.until('the commands', () => discord.commands.writes === 1);
    await expect.poll(() => registration.notReady()).toBeUndefined();
    registration.close();
  });

  it('leaves the Entry Point command of an application with Activities as it is', async () => {
    const { discord, api, id } = await startDiscord();
    const launch = { name: 'launch', description: 'Launch', type: 4, handler: 2 };
    const before = discord.commands.create('global', launch);
    expect(await register(api, { applicationId: id }, [echo], records())).toBe(true);
    expect(await register(api, { applicationId: id }, [echo], records())).toBe(false);
    const after = discord.commands.list('global').find(({ type }) => type === 4);
    expect({ ...after, version: '' }).toEqual({ ...before, version: '' });
    expect(discord.commands.list('global').map(({ name }) => name)).toEqual(['echo', 'launch']);
    expect(discord.journal.violations).toEqual([]);
  });

  it('removes those of the server of an earlier DISCORD_GUILD_ID, and says where there are others everywhere', async () => {
    const { discord, api } = await startDiscord();
    const owner = discord.world.addUser('owner');
    const [first = '', second = '', left = ''] = ['a', 'b', 'c'].map(
      (name) => discord.world.addGuild({ name, owner, permissions: 0n }).id,
    );
    const { begin, logged } = await registering(api, { applicationId: discord.world.applicationId });
    const registered = () =>
      ['global', first, second].map((scope) => discord.commands.list(scope).map(({ name }) => name));
    await begin(first);
    expect(registered()).toEqual([[], ['echo'], []]);
    await begin(second);
    expect(registered()).toEqual([[], [], ['echo']]);
    expect(logged).toEqual([]);
    await begin(undefined);
    expect(registered()).toEqual([['echo'], [], []]);
    await begin(first);
    expect(logged).toEqual([expect.stringContaining('listed twice')]);
    await begin(left);
    discord.events.guildRemoved(discord.world.guild(left));
    const { writes } = discord.commands;
    await begin(undefined);
    await begin(undefined);
    expect(discord.commands.writes).toBe(writes);
    expect(registered()).toEqual([['echo'], [], []]);
  });

  it('can be for one server only', async () => {
    const { discord, api, id } = await startDiscord();
    const owner = discord.world.addUser('owner');
    const guild = discord.world.addGuild({ name: 'x', owner, permissions: 0n });
    expect(await register(api, { applicationId: id, guildId: guild.id }, [echo], records())).toBe(true);
    expect(await register(api, { applicationId: id, guildId: guild.id }, [echo], records())).toBe(false);
    expect(discord.commands.list('global')).toEqual([]);
    expect(discord.commands.list(guild.id)).toHaveLength(1);
    expect(discord.journal.violations).toEqual([]);
  });
});

describe('the only server with commands', () => {
  const start = (before?: (discord: FakeDiscord) => void) => {
    const guildId = ({ world }: FakeDiscord) => [...world.guilds.keys()][0] ?? '';
    const common = { commands: [echo], jumping: new FakeClock(Date.now()), guildId };
    return startStage({ ...common, ...(before && { before, connected: false }) });
  };
  const namesIn = ({ discord, guild }: Stage) => discord.commands.list(guild.id).map(({ name }) => name);

  // Fact: Removal takes a server’s own commands (discord.js#10321)
  it('has them again as soon as the bot that it removed is invited again, not after its next start', async () => {
    const stage = await start();
    const { discord, guild } = stage;
    expect(namesIn(stage)).toEqual(['echo']);
    discord.events.guildRemoved(guild);
    expect(namesIn(stage)).toEqual([]);
    discord.events.invited(guild, invited);
    await discord.until('the commands', () => namesIn(stage).length > 0);
    expect(namesIn(stage)).toEqual(['echo']);
  });

  it('has them as soon as the bot is invited, however long it has tried in vain', async () => {
    const stage = await start(withoutBot);
    const { discord, guild, logged } = stage;
    const tries = () => logged.filter((line) => line.includes('could not be registered'));
    await discord.until('long waits', () => tries().some((line) => line.includes('"wait":600000')));
    const before = discord.world.clock.now();
    discord.events.invited(guild, invited);
    await discord.until('the commands', () => namesIn(stage).length > 0);
    expect(discord.world.clock.now() - before).toBeLessThan(60_000);
    expect(stage.platform.notReady()).toBeUndefined();
  });
});

describe('the invite link', () => {
  it('asks for exactly the permissions that are used', async () => {
    const { discord } = await startDiscord();
    const link = new URL(await inviteOf(discord.token, discord.apiUrl));
    expect(link.searchParams.get('client_id')).toBe(discord.world.applicationId);
    expect(link.searchParams.get('scope')).toBe('bot applications.commands');
    const asked = BigInt(link.searchParams.get('permissions') ?? 0);
    expect(asked).toBe(Object.values(usedPermissions).reduce((all, bit) => all | bit, 0n));
  });
});
