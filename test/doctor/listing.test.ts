import { GatewayIntentBits } from 'discord-api-types/v10';
import { describe, expect, it, onTestFinished } from 'vitest';
import { botScopes, slackManifest } from '../../src/platforms/slack/setup/manifest.ts';
import { commands } from '../fakes/commands.ts';
import { FakeDiscord } from '../fakes/discord/index.ts';
import { FakeSlack, type Json } from '../fakes/slack/index.ts';
import { findings } from './findings.ts';

const listing = (environment: Record<string, string>) => findings(environment, undefined, true);
const pages = { PRIVACY_URL: 'https://example.org/privacy', TERMS_URL: 'https://example.org/terms' };

describe('what Discord asks of verified bots', () => {
  async function begin() {
    const discord = await FakeDiscord.start();
    onTestFinished(() => discord.close());
    const check = async (more: Record<string, string> = {}) =>
      listing({ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl, ...more });
    return { discord, check };
  }
  const cautions = async (found: ReturnType<typeof listing>) =>
    [...(await found).values()].filter(({ caution }) => caution).map(({ subject }) => subject);

  it('is said only where it’s asked for', async () => {
    const { discord } = await begin();
    const found = await findings({ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl });
    expect([...found.keys()]).not.toContain('Discord verification');
  });

  it('is named, with what the operator has to do', async () => {
    const { check } = await begin();
    expect(await cautions(check())).toEqual([
      'Discord description',
      'Discord privacy policy',
      'Discord terms',
    ]);
    const found = await check();
    expect(found.get('Discord privacy policy')?.mend).toMatch(/^set it, and enter PRIVACY_URL at https:/);
    expect(found.get('Discord verification')?.found).toContain('The bot is in 0 servers.');
  });

  it('holds once it’s done', async () => {
    const { discord, check } = await begin();
    discord.world.portal = {
      description: 'Four talents',
      privacy: pages.PRIVACY_URL,
      terms: pages.TERMS_URL,
    };
    expect(await cautions(check(pages))).toEqual([]);
    // The pages of the portal aren’t those that people find.
    expect(await cautions(check())).toEqual(['Discord privacy policy', 'Discord terms']);
  });

  it('includes a reason for message content, and verification for a bot in many servers', async () => {
    const { discord, check } = await begin();
    const { world } = discord;
    world.portal = { description: 'Four talents', privacy: pages.PRIVACY_URL, terms: pages.TERMS_URL };
    world.privilegedIntents = GatewayIntentBits.MessageContent;
    const owner = world.addUser('ada');
    for (let count = 0; count < 75; count++) world.addGuild({ name: `${count}`, owner, permissions: 0n });
    const found = check({ ...pages, DISCORD_MESSAGE_CONTENT: 'on' });
    expect(await cautions(found)).toEqual(['Discord verification', 'Discord intents']);
    expect((await found).get('Discord intents')?.mend).toContain('without a mention in threads');
  });
});

it('what Slack asks of its Marketplace is named: over HTTP, a privacy policy, a reason for each scope', async () => {
  const slack = await FakeSlack.start({
    manifest: slackManifest(commands, { prefix: '' }) as unknown as Json,
  });
  onTestFinished(() => slack.stop());
  const { token } = slack.install(slack.addWorkspace('acme'));
  const socket = {
    SLACK_API_URL: slack.apiUrl,
    SLACK_BOT_TOKEN: token,
    SLACK_APP_TOKEN: slack.credentials.appToken,
  };
  const found = await listing(socket);
  expect(found.get('Slack Marketplace')).toMatchObject({ caution: true });
  expect(found.get('Slack privacy policy')).toMatchObject({ caution: true });
  for (const [scope, why] of Object.entries(botScopes))
    expect(found.get('Slack reasons for scopes')?.found).toContain(`- ${scope}: ${why}`);
  const { clientId, clientSecret, signingSecret } = slack.credentials;
  const http = await listing({
    SLACK_API_URL: slack.apiUrl,
    SLACK_CLIENT_ID: clientId,
    SLACK_CLIENT_SECRET: clientSecret,
    SLACK_STATE_SECRET: 'a-state-secret',
    SLACK_SIGNING_SECRET: signingSecret,
    ...pages,
  });
  expect(http.get('Slack Marketplace')).not.toHaveProperty('caution');
  expect(http.get('Slack privacy policy')?.found).toBe('/privacy links https://example.org/privacy.');
});
