import { type Locale as DiscordLocale, PermissionFlagsBits } from 'discord-api-types/v10';
import type { Locale } from '../../../src/port/index.ts';
import type { Channel, FakeDiscord, Guild, Interaction, Message, Person } from '../../fakes/discord/index.ts';
import { invited } from '../../platforms/discord/support/invited.ts';
import { drawDiscordChannel, drawDiscordForm } from '../draw/discord.ts';
import type { Panel } from '../draw/page.ts';
import type { Bot } from './bot.ts';
import { people } from './people.ts';
import { Place } from './place.ts';
import type { Texts } from './scene.ts';

/** A server of its own for one scene in one language, with two people. */
export class DiscordPlace extends Place {
  readonly discord: FakeDiscord;
  readonly guild: Guild;
  readonly channel: Channel;
  readonly ada: Person;
  readonly ben: Person;
  /** The server's owner. */
  readonly owner: Person;

  constructor(bot: Bot, locale: Locale) {
    super(bot, locale);
    const { discord } = bot;
    const { world } = discord;
    this.discord = discord;
    const names = people[locale];
    const discordLocale = (locale === 'en' ? 'en-US' : locale) as DiscordLocale;
    const owner = world.addUser(names.owner, { locale: discordLocale });
    this.owner = discord.person(owner);
    const permissions = invited | PermissionFlagsBits.ViewChannel;
    this.guild = world.addGuild({ name: names.server, owner, permissions, locale: discordLocale });
    this.channel = world.addChannel(this.guild, names.channel);
    this.ada = discord.addPerson(this.guild, names.ada, { locale: discordLocale });
    this.ben = discord.addPerson(this.guild, names.ben, { locale: discordLocale });
    discord.events.guildCreated(this.guild);
  }

  /** Has the service say of the next image that it's busy, and to come back in so many seconds. */
  async busyFor(seconds: number): Promise<void> {
    const fault = { operation: 'image', do: 'error', status: 429, retry_after: String(seconds) };
    await this.sandbox({ faults: [fault] });
  }

  /** The bot as it's written in a message. */
  get bot(): string {
    return `<@${this.discord.world.bot.id}>`;
  }

  /** What the bot says here to everybody or to one person, oldest first; not what is still loading. */
  said(channel: Pick<Channel, 'id'> = this.channel): readonly Message[] {
    return this.discord
      .messagesIn(channel, { ephemeral: true })
      .filter(({ authorId }) => authorId === this.discord.world.bot.id)
      .filter(
        ({ content, files, components }) => content !== '' || files.length > 0 || components.length > 0,
      );
  }

  /** Waits for a message of the bot's. */
  async message(what: string, isIt: (message: Message) => boolean, channel?: Pick<Channel, 'id'>) {
    return this.discord.until(what, () => this.said(channel).findLast(isIt));
  }

  /** Waits for a message with a button of this label. */
  async withButton(label: string, channel?: Pick<Channel, 'id'>): Promise<Message> {
    return this.message(
      `a button ${label}`,
      ({ components }) => JSON.stringify(components).includes(`"label":"${label}"`),
      channel,
    );
  }

  /** Waits until so many answers are finished; returns the last. */
  async finished(count = 1, channel?: Pick<Channel, 'id'>): Promise<Message> {
    const done = `"label":"${this.words.regenerate}"`;
    return this.discord.until(
      `${count} answers`,
      () =>
        this.said(channel).filter(({ components }) => JSON.stringify(components).includes(done))[count - 1],
    );
  }

  /** Waits for the form that an interaction is answered with. */
  async form(
    caption: Texts,
    opened: Interaction,
    entered?: Readonly<Record<string, unknown>>,
  ): Promise<Panel> {
    await this.discord.until('a form', () => opened.modal);
    const viewer = this.#viewer(this.discord.person(this.discord.world.user(opened.userId)));
    return { caption: this.in(caption), drawn: drawDiscordForm(viewer, opened, entered) };
  }

  /** What somebody sees in a channel; all of it where no messages are given. */
  look(
    caption: Texts,
    options: {
      readonly as?: Person;
      readonly channel?: Channel;
      readonly messages?: readonly Message[];
    } = {},
  ): Panel {
    const { as = this.ada, channel = this.channel, messages } = options;
    return { caption: this.in(caption), drawn: drawDiscordChannel(this.#viewer(as), channel, messages) };
  }

  #viewer({ user }: Person) {
    return { discord: this.discord, user, locale: this.locale };
  }
}
