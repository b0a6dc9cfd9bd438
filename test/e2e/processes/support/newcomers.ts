import { discordWords } from '../../../../src/platforms/discord/words.ts';
import { words } from '../../../../src/words/index.ts';
import type { DiscordPlace } from '../../../crash/discord-place.ts';
import type { SlackPlace } from '../../../crash/slack-place.ts';
import type { Bots } from './bots.ts';

const question = 'a newcomer asks for a story of ten words';

/** Somebody on each platform who types a command and writes to the bot. */
export class Newcomers {
  readonly #discord: DiscordPlace;
  readonly #slack: SlackPlace;

  constructor(bots: Bots) {
    this.#discord = bots.place('discord') as DiscordPlace;
    this.#slack = bots.place('slack') as SlackPlace;
  }

  ask(): void {
    const { discord } = this.#discord;
    const [guild] = discord.world.guilds.values();
    const channel = [...discord.world.channels.values()].find(({ name }) => name === 'general');
    if (!guild || !channel) throw new Error('nobody is there');
    const eve = discord.addPerson(guild, `eve${discord.world.users.size}`);
    eve.types(channel, { name: 'ask', options: { prompt: question } });
    eve.writes(channel, `<@${discord.world.bot.id}> ${question}`);
    const { slack } = this.#slack;
    const [workspace] = slack.world.workspaces.values();
    const general = workspace && [...workspace.channels.values()].find(({ name }) => name === 'general');
    if (!workspace || !general) throw new Error('nobody is there');
    const zoe = slack.person(workspace, { name: `zoe${workspace.users.size}` });
    general.members.add(zoe.user.id);
    void zoe.types(`/ask ${question}`, general);
    zoe.says(`${zoe.bot} ${question}`, general);
  }

  /** How often they were told, by what they did: on Discord everything in the channel, on Slack what they alone see. */
  told(): readonly [discord: number, slack: number] {
    const discord = this.#discord.texts().filter((text) => text === discordWords('en').noDatabase);
    const { database } = words('en').errors;
    const [workspace] = this.#slack.slack.world.workspaces.values();
    const slack = (workspace?.ephemerals ?? []).filter(({ text }) => text === database);
    return [discord.length, slack.length];
  }

  /** What the bot has said about what they asked. */
  answers(): readonly string[] {
    return [this.#discord, this.#slack]
      .flatMap((place) => place.texts())
      .filter((text) => text.includes(question));
  }
}
