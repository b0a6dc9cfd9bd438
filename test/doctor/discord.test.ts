import { GatewayIntentBits } from 'discord-api-types/v10';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { usedPermissions } from '../../src/platforms/discord/servers/server.ts';
import { FakeDiscord, type Guild } from '../fakes/discord/index.ts';
import { findings, toMend, wordsOf } from './findings.ts';

const invited = Object.values(usedPermissions).reduce((all, bit) => all | bit, 0n);

let discord: FakeDiscord;
beforeEach(async () => {
  discord = await FakeDiscord.start();
  onTestFinished(() => discord.close());
});

const check = (more: Record<string, string> = {}) =>
  findings({ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl, ...more });

function addGuild(name: string, permissions = invited): Guild {
  const { world } = discord;
  return world.addGuild({ name, owner: world.addUser('ada'), permissions });
}

describe('the doctor looks at Discord', () => {
  it('and finds it well, posting nothing', async () => {
    const { id } = addGuild('Analysts');
    const found = await check({ DISCORD_GUILD_ID: id });
    expect(toMend(found)).toEqual([]);
    expect(found.get('Discord')?.found).toBe('DISCORD_TOKEN belongs to troupe.');
    expect(found.get('Discord log-ins')?.found).toBe('1000 of 1000 log-ins are left today.');
    expect(found.get('Discord servers')?.found).toBe(
      'The bot has every permission it uses, in 1 of its servers.',
    );
    expect(discord.journal.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'GET']);
    expect(discord.journal.violations).toEqual([]);
    expect(discord.gateway.identifyCount).toBe(0);
  });

  it('and gives the invite link of a bot that is in no server', async () => {
    const [wrong, ...others] = toMend(await check());
    expect(wrong).toMatchObject({ subject: 'Discord servers', found: 'The bot isn’t in any server yet.' });
    expect(wrong?.mend).toMatch(/^invite it: https:\/\/discord\.com\/oauth2\/authorize\?client_id=\d+&/);
    expect(others).toEqual([]);
  });

  it('and misses it in the server of DISCORD_GUILD_ID', async () => {
    addGuild('Analysts');
    expect(toMend(await check({ DISCORD_GUILD_ID: '1'.repeat(18) }))).toMatchObject([
      { subject: 'Discord servers', found: 'The bot isn’t in the server of DISCORD_GUILD_ID.' },
    ]);
  });

  it('and finds commands that are listed twice in the server of DISCORD_GUILD_ID', async () => {
    const { id } = addGuild('Analysts');
    discord.commands.create('global', { name: 'launch', description: 'Launch', type: 4, handler: 2 });
    expect(toMend(await check({ DISCORD_GUILD_ID: id }))).toEqual([]);
    discord.commands.create('global', { name: 'ask', description: 'Ask' });
    expect(toMend(await check({ DISCORD_GUILD_ID: id }))).toEqual([
      {
        subject: 'Discord commands',
        found: 'They are also registered everywhere, so the server of DISCORD_GUILD_ID lists them twice.',
        mend: expect.stringContaining('remove DISCORD_GUILD_ID'),
      },
    ]);
  });

  it('and names the permissions it lacks, and where', async () => {
    addGuild('Analysts');
    addGuild('Strict', invited & ~usedPermissions['Send Voice Messages'] & ~usedPermissions['Attach Files']);
    addGuild('Trusting', 1n << 3n);
    expect(toMend(await check())).toEqual([
      {
        subject: 'Discord servers',
        found: 'The bot is missing Attach Files, Send Voice Messages in Strict.',
        mend: expect.stringContaining('https://discord.com/oauth2/authorize?'),
      },
    ]);
  });

  it('and finds commands that are sent elsewhere', async () => {
    addGuild('Analysts');
    discord.world.interactionsEndpoint = 'https://old.example/interactions';
    expect(toMend(await check())).toEqual([
      {
        subject: 'Discord',
        found: 'troupe sends interactions to a URL instead of the bot.',
        mend: expect.stringContaining('clear “Interactions Endpoint URL”'),
      },
    ]);
  });

  it('and finds interactions over HTTP as they are set', async () => {
    addGuild('Analysts');
    discord.world.interactionsEndpoint = 'https://bot.example/discord/interactions';
    const found = await check({
      DISCORD_PUBLIC_KEY: discord.endpoint.publicKey.toUpperCase(),
      DISCORD_SHARDS: '0',
    });
    expect(toMend(found)).toEqual([]);
    expect(found.get('Discord')?.found).toContain('https://bot.example/discord/interactions');
    // Nothing of the gateway matters.
    expect(found.has('Discord log-ins')).toBe(false);
  });

  it('and finds that the URL for interactions is missing', async () => {
    addGuild('Analysts');
    const key = { DISCORD_PUBLIC_KEY: discord.endpoint.publicKey };
    expect(toMend(await check(key))).toMatchObject([
      { subject: 'Discord', mend: expect.stringContaining('with /discord/interactions as “Interactions') },
    ]);
  });

  it('and finds a key that is another application’s', async () => {
    addGuild('Analysts');
    discord.world.interactionsEndpoint = 'https://bot.example/discord/interactions';
    expect(toMend(await check({ DISCORD_PUBLIC_KEY: 'a'.repeat(64) }))).toMatchObject([
      { subject: 'Discord', mend: `set DISCORD_PUBLIC_KEY=${discord.endpoint.publicKey}` },
    ]);
  });

  it('and finds no log-ins left', async () => {
    addGuild('Analysts');
    discord.gateway.identifyCount = 1_000;
    expect(toMend(await check())).toMatchObject([
      { subject: 'Discord log-ins', mend: expect.stringMatching(/^wait 240 minutes/) },
    ]);
  });

  it('and finds too few shards', async () => {
    for (let server = 0; server < 2_501; server++) addGuild(`server ${server}`);
    expect(toMend(await check({ DISCORD_SHARDS: '0/2' }))).toEqual([]);
    expect(toMend(await check({ DISCORD_SHARDS: '1' }))).toEqual([
      {
        subject: 'Discord shards',
        found: '1 shard is too few for 2501 servers.',
        mend: 'set DISCORD_SHARDS to auto, or to at least 3 in total',
      },
    ]);
  });

  it('and finds that the content of messages is not shown to the bot, where it asks for that', async () => {
    addGuild('Analysts');
    expect(toMend(await check({ DISCORD_MESSAGE_CONTENT: 'on' }))).toMatchObject([
      {
        subject: 'Discord message content',
        mend: expect.stringContaining('turn on “Message Content Intent”'),
      },
    ]);
    discord.world.privilegedIntents = GatewayIntentBits.MessageContent;
    expect(toMend(await check({ DISCORD_MESSAGE_CONTENT: 'on' }))).toEqual([]);
  });

  it('and says where a refused token comes from', async () => {
    const secret = 'not-a-token-at-all.secret';
    const found = await check({ DISCORD_TOKEN: secret });
    expect(toMend(found)).toMatchObject([{ subject: 'Discord', found: 'Discord refuses DISCORD_TOKEN.' }]);
    expect(wordsOf(found)).not.toContain('secret');
  });

  it.each([
    ['error', { kind: 'error', status: 503 }, 'Discord answers 503.'],
    [
      'rate limit',
      { kind: 'rate-limit', seconds: 30, scope: 'user' },
      'Discord is limiting the bot’s requests right now.',
    ],
    ['cut connection', { kind: 'close' }, expect.stringMatching(/^Discord can’t be reached \([A-Z_]+\)\.$/)],
  ] as const)('and tells of an %s', async (_, fault, found) => {
    addGuild('Analysts');
    discord.faults.next('*', fault, 10);
    expect(toMend(await check())).toMatchObject([{ subject: 'Discord', found }]);
  });

  it('and recognizes an unreachable address, and says what the system calls the fault', async () => {
    await discord.close();
    expect(toMend(await check())).toMatchObject([
      {
        subject: 'Discord',
        found: 'Discord can’t be reached (ECONNREFUSED).',
        mend: expect.stringContaining('DISCORD_API_URL'),
      },
    ]);
  });
});
