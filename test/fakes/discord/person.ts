import {
  ChannelType,
  type Locale,
  MessageFlags,
  type MessageType,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import type { FakeDiscord } from './fake-discord.ts';
import type { Fields } from './http/fields.ts';
import { InteractionFactory, type Upload } from './interactions/interaction-factory.ts';
import { storeFile } from './messages/files.ts';
import type { Channel, Interaction, Message, MessageState, User } from './model.ts';
import { allPermissions, permissionsIn } from './rules/permissions.ts';

export interface TypedCommand {
  readonly name: string;
  /** The sub-command, if the command has some. */
  readonly sub?: string;
  readonly options?: Readonly<Record<string, string | number | boolean | Upload>>;
  readonly locale?: Locale;
  /** The app's permissions in the channel; by default those of its roles. */
  readonly appPermissions?: bigint;
  /** Bytes a file of the answer may have; by default the server's. */
  readonly uploadLimit?: number;
  /** Their client still offers it where it was offered before. */
  readonly isOutdated?: boolean;
}

/** Code in Markdown, which ends with as many backticks as it begins with: nobody is mentioned in it. */
const inCode = /(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)/g;

/** The longest content of a message (resources/message). */
const maxContent = 2000;

/** Options of a written message. */
export interface Writing {
  readonly replyTo?: Message;
  /** The reply's ping is off. */
  readonly silent?: boolean;
  readonly files?: readonly Upload[];
  /** The message that is forwarded. */
  readonly forwards?: Message;
  /** A recorded voice note. */
  readonly voice?: Upload;
  /** Its id, where another thing has it already. */
  readonly id?: string;
  readonly poll?: Message['poll'];
  readonly stickers?: readonly string[];
  /** Of a message that Discord itself makes. */
  readonly type?: MessageType;
  /** Components of version 2, which a bot's message may have instead of a text. */
  readonly components?: Message['components'];
}

function flagsOf({ voice, forwards, components }: Writing): number {
  if (components) return MessageFlags.IsComponentsV2;
  return voice ? MessageFlags.IsVoiceMessage : forwards ? MessageFlags.HasSnapshot : 0;
}

/** A person who types commands, presses buttons, fills in forms and writes messages. */
export class Person {
  readonly user: User;
  readonly #discord: FakeDiscord;
  readonly #factory: InteractionFactory;

  constructor(discord: FakeDiscord, user: User) {
    this.user = user;
    this.#discord = discord;
    this.#factory = new InteractionFactory(discord, user);
  }

  /** Types a slash command, if Discord's client would offer it. */
  types(channel: Channel, command: TypedCommand): Interaction {
    return this.#factory.command(channel, command);
  }

  /** Has `text` typed so far in option `focused`. */
  completes(
    channel: Channel,
    name: string | readonly [command: string, sub: string],
    focused: string,
    text: string,
    others: Fields = {},
  ): Interaction {
    const [command, sub] = typeof name === 'string' ? [name] : name;
    return this.#factory.autocomplete(
      channel,
      { name: command, ...(sub !== undefined && { sub }) },
      focused,
      text,
      others,
    );
  }

  /** Chooses a command from the menu of a message. */
  picks(message: Message, command: string): Interaction {
    return this.#factory.menu(message, command);
  }

  /** Presses the button with this label on a message. */
  presses(message: Message, label: string): Interaction {
    return this.#factory.component(message, label);
  }

  /** Presses a button with another id than it has, as a changed client may try. */
  forges(message: Message, label: string, id: string): Interaction {
    return this.#factory.component(message, label, id);
  }

  /** Fills in the form that an interaction was answered with. */
  submits(
    opened: Interaction,
    values: Readonly<Record<string, string | readonly string[] | readonly Upload[]>>,
  ): Interaction {
    return this.#factory.modal(opened, values);
  }

  /**
   * Writes a message; `<@id>` in it mentions, `replyTo` mentions its author unless `silent`, and never where it is the
   * answer to an interaction. A text over 2,000 characters becomes `message.txt`, as Discord's client does it.
   */
  writes(channel: Channel, content: string, options: Writing = {}): Message {
    const { world } = this.#discord;
    const { replyTo, silent, forwards, voice } = options;
    const long = content.length > maxContent;
    const text = {
      name: 'message.txt',
      contentType: 'text/plain; charset=utf-8',
      bytes: Buffer.from(content),
    };
    const uploads = [...(options.files ?? []), ...(long ? [text] : []), ...(voice ? [voice] : [])];
    const words = long ? '' : content;
    const pings = replyTo && !silent && replyTo.interactionId === undefined ? [replyTo.authorId] : [];
    this.#discord.threads.reopen(channel);
    return this.#discord.messages.keepUnchecked(
      {
        channelId: channel.id,
        authorId: this.user.id,
        ...(options.id !== undefined && { id: options.id }),
        ...(options.poll && { poll: options.poll }),
        ...(options.stickers && { stickers: options.stickers }),
        ...(options.type !== undefined && { type: options.type }),
        ...(replyTo && { replyTo: replyTo.id }),
        ...(forwards && { forwardOf: forwards.id }),
      },
      {
        content: words,
        ...this.#mentionsIn(channel, words, pings),
        files: uploads.map((file) => storeFile(world, channel.id, file)),
        ...(options.components && { components: options.components }),
        flags: flagsOf(options),
      },
    );
  }

  /** Opens a post in a forum or media channel: a thread and its first message, which have the same id (topics/threads). */
  posts(forum: Channel, title: string, content: string, options: Writing = {}): Channel {
    const post = this.#discord.threads.openPost(forum, this.user.id, title);
    this.writes(post, content, { ...options, id: post.id });
    return post;
  }

  /** Changes what a message of their own says, and whom it mentions; the ping of a reply stays. */
  edits(message: Message, content: string): void {
    if (message.authorId !== this.user.id || message.forwardOf || message.poll)
      throw new Error('It can’t be edited');
    const channel = this.#discord.world.channel(message.channelId);
    const { mentions } = this.#mentionsIn(channel, message.content, []);
    const pings = message.mentions.filter((id) => !mentions.includes(id));
    this.#discord.messages.change(message, { content, ...this.#mentionsIn(channel, content, pings) });
  }

  /** Whom a text mentions, besides those whom its message pings otherwise. */
  #mentionsIn(
    channel: Channel,
    content: string,
    pings: readonly string[],
  ): Pick<MessageState, 'mentions' | 'mentionRoles' | 'mentionEveryone'> {
    const { world } = this.#discord;
    const mentioning = content.replace(inCode, '');
    const idsIn = (mention: RegExp) => [...mentioning.matchAll(mention)].map((match) => match[1] ?? '');
    const guild = channel.guildId === undefined ? undefined : world.guild(channel.guildId);
    const mayPingAll = (this.permissions(channel) & PermissionFlagsBits.MentionEveryone) !== 0n;
    return {
      mentions: [...new Set([...idsIn(/<@!?(\d{17,20})>/g), ...pings])].filter((id) => world.users.has(id)),
      mentionRoles: [...new Set(idsIn(/<@&(\d{17,20})>/g))].filter((id) => guild?.roles.has(id)),
      mentionEveryone: guild !== undefined && mayPingAll && /@(?:everyone|here)/.test(mentioning),
    };
  }

  /** Writes a message to the bot. */
  mentions(channel: Channel, words: string, options?: Writing): Message {
    return this.writes(channel, `<@${this.#discord.world.bot.id}> ${words}`, options);
  }

  /** The direct channel with the bot. */
  direct(): Channel {
    return this.#discord.world.directChannel(this.user);
  }

  /** Deletes anybody's message, as a moderator or its author may. */
  deletes(message: Message): void {
    this.#discord.messages.delete(message);
  }

  /** Publishes a message to the channels that follow its own, as a moderator or another bot may. */
  publishes(message: Message): void {
    this.#discord.messages.publish(message);
  }

  /** Archives or locks a thread. */
  closes(thread: Channel, locked = false): void {
    if (!thread.thread) return;
    thread.thread.archived = true;
    thread.thread.locked = locked;
    this.#discord.events.threadUpdated(thread);
  }

  /** What the person may do in a channel. */
  permissions(channel: Channel): bigint {
    return channel.type === ChannelType.DM
      ? allPermissions
      : permissionsIn(this.#discord.world, channel, this.user.id);
  }

  /** Whether they may type commands there. */
  mayCommand(channel: Channel): boolean {
    return (this.permissions(channel) & PermissionFlagsBits.UseApplicationCommands) !== 0n;
  }
}
