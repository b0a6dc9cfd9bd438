import { GatewayIntentBits } from 'discord-api-types/v10';
import { commands } from '../../../commands/index.ts';
import { slackManifest } from '../../../src/platforms/slack/setup/manifest.ts';
import { FakeDiscord } from '../../fakes/discord/index.ts';
import { FakeSlack, type Json } from '../../fakes/slack/index.ts';
import { invited } from '../../platforms/discord/support/invited.ts';

/** People in channels of their own, or in direct messages, who ask a bot. The platform's limits hold. */
export interface Askers {
  readonly environment: Readonly<Record<string, string>>;
  /** The person of that number asks. */
  ask(person: number, text: string): void;
  /** What the bot's messages show by now, oldest first. */
  shown(): Iterable<string>;
  /** Forgets all messages. */
  clear(): void;
  close(): Promise<void>;
}

/** In channels of a Discord server. */
export async function discordAskers(count: number): Promise<Askers> {
  const discord = await FakeDiscord.start();
  discord.gateway.identifyWindow = 0;
  const { world } = discord;
  // For programs that read all messages, not only those to them.
  world.privilegedIntents = GatewayIntentBits.MessageContent;
  const owner = world.addUser('owner');
  const guild = world.addGuild({ name: 'crowd', owner, permissions: invited });
  const all = Array.from({ length: count }, (_, index) => ({
    person: discord.addPerson(guild, `person ${index}`),
    channel: world.addChannel(guild, `channel-${index}`),
  }));
  return {
    environment: { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl },
    ask(number, text) {
      const asker = all[number];
      asker?.person.writes(asker.channel, `<@${world.bot.id}> ${text}`);
    },
    *shown() {
      for (const { authorId, content, deleted } of world.messages.values())
        if (authorId === world.bot.id && !deleted) yield content;
    },
    clear() {
      world.messages.clear();
      discord.journal.requests.length = 0;
    },
    close: () => discord.close(),
  };
}

/** In channels of a Slack workspace, or in direct messages, where answers are Slack's own streams. */
export async function slackAskers(count: number, where: 'channels' | 'directly'): Promise<Askers> {
  const slack = await FakeSlack.start({
    manifest: slackManifest(commands, { prefix: '' }) as unknown as Json,
    send: () => Promise.reject(new Error('the bots listen to a socket')),
  });
  const workspace = slack.addWorkspace('acme');
  const { token } = slack.install(workspace);
  const all = Array.from({ length: count }, (_, index) => {
    const person = slack.person(workspace, { name: `person${index}` });
    return {
      person,
      channel:
        where === 'directly' ? person.directMessages : slack.channel(workspace, `channel-${index}`, [person]),
    };
  });
  return {
    environment: {
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: token,
      SLACK_APP_TOKEN: slack.credentials.appToken,
    },
    ask(number, text) {
      const asker = all[number];
      asker?.person.says(where === 'directly' ? text : `${asker.person.bot} ${text}`, asker.channel);
    },
    *shown() {
      for (const { channel } of all)
        for (const { byApp, revisions } of channel.messages.values())
          if (byApp) yield revisions.at(-1)?.text ?? '';
    },
    clear() {
      for (const { channel } of all) channel.messages.clear();
      slack.api.calls.length = 0;
    },
    close: () => slack.stop(),
  };
}
