import { ApplicationCommandOptionType, ApplicationCommandType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { commands as realCommands } from '../../../../commands/index.ts';
import { DiscordApi } from '../../../../src/platforms/discord/api/api.ts';
import { usedPermissions } from '../../../../src/platforms/discord/api/permissions.ts';
import { Registration, register } from '../../../../src/platforms/discord/commands/registration.ts';
import { inviteOf } from '../../../../src/platforms/discord/connection/invite.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { FakeDiscord, type Readings } from '../../../fakes/discord/index.ts';
import { echo, secret } from '../support/commands.ts';

async function withDiscord(
  work: (discord: FakeDiscord, api: DiscordApi) => Promise<void>,
  readings: Partial<Readings> = {},
) {
  const buckets = { commands: { limit: 50, windowMilliseconds: 1000 } };
  const discord = await FakeDiscord.start({ buckets, readings });
  const api = new DiscordApi({ token: discord.token, apiUrl: discord.apiUrl });
  try {
    await work(discord, api);
  } finally {
    api.close();
    await discord.close();
  }
}

describe('registration of commands', () => {
  it('registers all commands in two languages, once', () =>
    withDiscord(async (discord, api) => {
      const id = discord.world.applicationId;
      expect(await register(api, id, undefined, realCommands)).toBe(true);
      expect(await register(api, id, undefined, realCommands)).toBe(false);
      const registered = discord.commands.list('global') as {
        name: string;
        options: { name: string; type: number; required?: boolean }[];
        [name: string]: unknown;
      }[];
      const slash = registered.filter(({ type }) => type === ApplicationCommandType.ChatInput);
      expect(slash.map(({ name }) => name)).toEqual(realCommands.map(({ name }) => name));
      const menus = registered.filter(({ type }) => type === ApplicationCommandType.Message);
      expect(menus.map(({ name }) => name)).toEqual(['Ask about this', 'Speak this', 'Imagine this']);
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
      expect(discord.commands.writes).toBe(1);
      expect(discord.journal.violations).toEqual([]);
    }));

  it('names no kind of installation that is disabled for the application, which Discord would refuse', () =>
    withDiscord(
      async (discord, api) => {
        const id = discord.world.applicationId;
        expect(await register(api, id, undefined, [echo])).toBe(true);
        expect(await register(api, id, undefined, [echo])).toBe(false);
        expect(discord.commands.list('global')).toMatchObject([{ contexts: [0, 1], integration_types: [0] }]);
      },
      { bothInstalls: 'refused' },
    ));

  it('registers them again if one changed', () =>
    withDiscord(async (discord, api) => {
      const id = discord.world.applicationId;
      await register(api, id, undefined, [echo, secret]);
      const changed = { ...echo, description: { ...echo.description, 'zh-CN': '乙' } };
      expect(await register(api, id, undefined, [changed, secret])).toBe(true);
      expect(await register(api, id, undefined, [changed])).toBe(true);
      expect(discord.commands.list('global').map(({ name }) => name)).toEqual(['echo']);
    }));

  it('is tried again if Discord refuses', () =>
    withDiscord(async (discord, api) => {
      const clock = new FakeClock();
      const log = { info: () => {}, error: () => {} };
      const registration = new Registration({ api, commands: [echo], guildId: undefined, clock, log });
      discord.faults.next('GET /applications/{application_id}/commands', {
        kind: 'rate-limit',
        seconds: 60,
        scope: 'user',
      });
      await registration.begin(discord.world.applicationId);
      expect(discord.commands.writes).toBe(0);
      await clock.advance(5_000);
      await discord.until('the commands', () => discord.commands.writes === 1);
      registration.close();
    }));

  it('can be for one server only', () =>
    withDiscord(async (discord, api) => {
      const owner = discord.world.addUser('owner');
      const guild = discord.world.addGuild({ name: 'x', owner, permissions: 0n });
      const id = discord.world.applicationId;
      expect(await register(api, id, guild.id, [echo])).toBe(true);
      expect(await register(api, id, guild.id, [echo])).toBe(false);
      expect(discord.commands.list('global')).toEqual([]);
      expect(discord.commands.list(guild.id)).toHaveLength(1);
      expect(discord.journal.violations).toEqual([]);
    }));
});

describe('the invite link', () => {
  it('asks for exactly the permissions that are used', () =>
    withDiscord(async (discord) => {
      const link = new URL(await inviteOf(discord.token, discord.apiUrl));
      expect(link.searchParams.get('client_id')).toBe(discord.world.applicationId);
      expect(link.searchParams.get('scope')).toBe('bot applications.commands');
      const asked = BigInt(link.searchParams.get('permissions') ?? 0);
      expect(asked).toBe(Object.values(usedPermissions).reduce((all, bit) => all | bit, 0n));
    }));
});
