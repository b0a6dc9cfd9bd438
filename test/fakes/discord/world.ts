import { EventEmitter } from 'node:events';
import { ChannelType, GuildPremiumTier, Locale } from 'discord-api-types/v10';
import type { Clock } from '../../../src/lib/clock.ts';
import type { Fields } from './http/fields.ts';
import { refusals } from './http/refusal.ts';
import type { Channel, Guild, Interaction, Member, Message, Role, User } from './model.ts';
import { type Readings, usualReadings } from './readings.ts';
import { Snowflakes } from './snowflakes.ts';

const mebibyte = 1024 * 1024;
const month = 30 * 86_400_000;

/** The state of the test server; emits `change` when something changes. */
export class World extends EventEmitter<{ change: [] }> {
  readonly clock: Clock;
  /** How this server reads uncertain rules; tests change it. */
  readonly readings: Readings;
  readonly ids: Snowflakes;
  readonly applicationId: string;
  readonly bot: User;
  /** Privileged intents that the application has enabled; they apply to GET as to events. */
  privilegedIntents = 0;
  /** The application's owner; the bot itself if none was chosen. */
  applicationOwner: User | undefined;
  /** The URL that interactions are sent to instead of the gateway, if the owner set one. */
  interactionsEndpoint: string | null = null;
  /** What the owner entered in the portal. */
  portal: { readonly description?: string; readonly privacy?: string; readonly terms?: string } = {};
  /** The public half of the key that requests to it are signed with. */
  verifyKey = '0'.repeat(64);
  readonly users = new Map<string, User>();
  readonly guilds = new Map<string, Guild>();
  readonly channels = new Map<string, Channel>();
  readonly messages = new Map<string, Message>();
  readonly interactions = new Map<string, Interaction>();
  /** The channels of direct messages, by their users. */
  readonly #directChannels = new Map<string, Channel>();
  readonly #interactionIds = new Map<string, string>();
  /** Registered commands: key `global` or a server's id. */
  readonly commands = new Map<string, Fields[]>();
  /** Addresses that Discord's own filter refuses everywhere. */
  readonly harmfulLinks: string[] = [];
  /** Discord takes the bot for a spammer: it can't write directly to whom it hasn't yet (tmerc-cogs#111). */
  isFlaggedForSpam = false;
  /** What Discord accepts, but people see as a fault. */
  readonly misuses: string[] = [];
  /** Every file that was ever stored, by its URL without the signature. */
  readonly files = new Map<string, Uint8Array>();

  constructor(clock: Clock, readings: Partial<Readings> = {}) {
    super();
    this.readings = { ...usualReadings, ...readings };
    this.setMaxListeners(0);
    this.clock = clock;
    this.ids = new Snowflakes(clock);
    this.bot = this.addUser('troupe', { bot: true });
    this.applicationId = this.bot.id;
  }

  addUser(name: string, options: { bot?: boolean; locale?: Locale } = {}): User {
    const user: User = {
      id: this.ids.next(86_400_000),
      name,
      bot: options.bot ?? false,
      locale: options.locale ?? Locale.EnglishUS,
      acceptsDirectMessages: true,
    };
    this.users.set(user.id, user);
    return user;
  }

  /**
   * A server; `ageMilliseconds` decides its shard. Its first role is @everyone with `permissions`. The bot has been in it
   * for a month, if it is.
   */
  addGuild(options: {
    name: string;
    owner: User;
    permissions: bigint;
    ageMilliseconds?: number;
    hasBot?: boolean;
    locale?: Locale;
  }): Guild {
    const id = this.ids.next(options.ageMilliseconds ?? 3_600_000);
    const everyone: Role = { id, name: '@everyone', permissions: options.permissions };
    const guild: Guild = {
      id,
      name: options.name,
      ownerId: options.owner.id,
      preferredLocale: options.locale ?? Locale.EnglishUS,
      roles: new Map([[id, everyone]]),
      members: new Map(),
      uploadLimit: this.defaultUploadLimit,
      premiumTier: GuildPremiumTier.None,
      systemChannelId: null,
      rulesChannelId: null,
      hasBot: options.hasBot ?? true,
      moderation: { words: [], names: [], buttons: false, files: false, edits: false },
      mostActiveThreads: 1_000,
      available: true,
    };
    this.guilds.set(id, guild);
    this.addMember(guild, options.owner);
    if (guild.hasBot) this.addBot(guild, { permissions: 0n, joinedAt: this.clock.now() - month });
    return guild;
  }

  /** The bot joins a server, with a role of its own that has the permissions it's invited with. */
  addBot(guild: Guild, { permissions, joinedAt }: { permissions: bigint; joinedAt: number }): void {
    for (const [id, { botId }] of guild.roles) if (botId === this.bot.id) guild.roles.delete(id);
    const role: Role = { id: this.ids.next(), name: this.bot.name, permissions, botId: this.bot.id };
    guild.roles.set(role.id, role);
    this.addMember(guild, this.bot, [role], joinedAt);
    guild.hasBot = true;
  }

  /** Whether a role is the bot's own, which people mistake for the bot. */
  isBotRole(id: string): boolean {
    return [...this.guilds.values()].some(({ roles }) => roles.get(id)?.botId === this.bot.id);
  }

  /** Bytes a file may have without boosts. */
  get defaultUploadLimit(): number {
    return (this.readings.uploadOver10MiB === 'works' ? 20 : 10) * mebibyte;
  }

  addMember(guild: Guild, user: User, roles: readonly Role[] = [], joinedAt = this.clock.now()): Member {
    const member: Member = {
      userId: user.id,
      roles: roles.map((role) => role.id),
      joinedAt,
      timedOutUntil: undefined,
    };
    guild.members.set(user.id, member);
    return member;
  }

  addRole(guild: Guild, name: string, permissions: bigint): Role {
    const role: Role = { id: this.ids.next(), name, permissions };
    guild.roles.set(role.id, role);
    return role;
  }

  addChannel(guild: Guild, name: string, type: ChannelType = ChannelType.GuildText): Channel {
    return this.keepChannel({
      id: this.ids.next(),
      type,
      guildId: guild.id,
      parentId: undefined,
      recipients: [],
      overwrites: [],
      thread: undefined,
      name,
      lastMessageId: undefined,
      messageCount: 0,
    });
  }

  /** The channel of direct messages with a user, created on first use. */
  directChannel(user: User): Channel {
    const kept = this.#directChannels.get(user.id);
    if (kept) return kept;
    const channel: Channel = {
      id: this.ids.next(),
      type: ChannelType.DM,
      guildId: undefined,
      parentId: undefined,
      recipients: [user.id],
      overwrites: [],
      thread: undefined,
      name: '',
      lastMessageId: undefined,
      messageCount: 0,
    };
    // Known before anybody hears of it: who hears may ask for it at once.
    this.#directChannels.set(user.id, channel);
    return this.keepChannel(channel);
  }

  /** A group of people without the bot, where only a user-installed app can be used. */
  addGroup(users: readonly User[]): Channel {
    return this.keepChannel({
      id: this.ids.next(),
      type: ChannelType.GroupDM,
      guildId: undefined,
      parentId: undefined,
      recipients: users.map((user) => user.id),
      overwrites: [],
      thread: undefined,
      name: '',
      lastMessageId: undefined,
      messageCount: 0,
    });
  }

  keepChannel(channel: Channel): Channel {
    this.channels.set(channel.id, channel);
    this.changed();
    return channel;
  }

  user(id: string): User {
    const user = this.users.get(id);
    if (!user) throw refusals.unknownUser();
    return user;
  }

  guild(id: string): Guild {
    const guild = this.guilds.get(id);
    if (!guild) throw refusals.unknownGuild();
    return guild;
  }

  channel(id: string): Channel {
    const channel = this.channels.get(id);
    if (!channel) throw refusals.unknownChannel();
    return channel;
  }

  /** A message that is not deleted, ephemeral ones included. */
  message(id: string): Message {
    const message = this.messages.get(id);
    if (!message || message.deleted) throw refusals.unknownMessage();
    return message;
  }

  keepInteraction(interaction: Interaction): Interaction {
    this.interactions.set(interaction.id, interaction);
    this.#interactionIds.set(interaction.token, interaction.id);
    return interaction;
  }

  /** The interaction that a token belongs to. */
  interactionOf(token: string): Interaction | undefined {
    return this.interactions.get(this.#interactionIds.get(token) ?? '');
  }

  /** The messages of a channel, oldest first; ephemeral ones on request. */
  messagesIn(channelId: string, options: { ephemeral?: boolean } = {}): readonly Message[] {
    return [...this.messages.values()].filter(
      (message) =>
        message.channelId === channelId &&
        !message.deleted &&
        (options.ephemeral === true || message.onlyFor === undefined),
    );
  }

  changed(): void {
    this.emit('change');
  }
}
