import { ChannelType, type Locale, PermissionFlagsBits } from 'discord.js';
import type { FakeDiscord } from './fake-discord.ts';
import type { Fields } from './fields.ts';
import { storeFile } from './files.ts';
import { InteractionFactory, type Upload } from './interaction-factory.ts';
import type { Channel, Interaction, Message, User } from './model.ts';
import { allPermissions, permissionsIn } from './permissions.ts';

export interface TypedCommand {
  readonly name: string;
  readonly options?: Readonly<Record<string, string | number | boolean | Upload>>;
  readonly locale?: Locale;
  /** What the place allows the app; by default what its roles give. */
  readonly appPermissions?: bigint;
  /** Bytes a file of the answer may have; by default the server's. */
  readonly uploadLimit?: number;
}

/** Somebody at a keyboard: types commands, presses buttons, fills in forms, writes messages. */
export class Person {
  readonly user: User;
  readonly #discord: FakeDiscord;
  readonly #factory: InteractionFactory;

  constructor(discord: FakeDiscord, user: User) {
    this.user = user;
    this.#discord = discord;
    this.#factory = new InteractionFactory(discord, user);
  }

  /** Types a slash command, as Discord's client would let them. */
  types(channel: Channel, command: TypedCommand): Interaction {
    return this.#factory.command(channel, command);
  }

  /** Has `text` typed so far in option `focused`. */
  completes(channel: Channel, name: string, focused: string, text: string, others: Fields = {}): Interaction {
    return this.#factory.autocomplete(channel, name, focused, text, others);
  }

  /** Presses the button with this label on a message. */
  presses(message: Message, label: string): Interaction {
    return this.#factory.component(message, label);
  }

  /** Fills in the form that an interaction was answered with. */
  submits(
    opened: Interaction,
    values: Readonly<Record<string, string | readonly string[] | readonly Upload[]>>,
  ): Interaction {
    return this.#factory.modal(opened, values);
  }

  /** Writes a message; `<@id>` in it mentions, `replyTo` mentions its author unless `silent`. */
  writes(
    channel: Channel,
    content: string,
    options: { replyTo?: Message; silent?: boolean; files?: readonly Upload[] } = {},
  ): Message {
    const { world } = this.#discord;
    const named = [...content.matchAll(/<@!?(\d{17,20})>/g)].map((match) => match[1] ?? '');
    if (options.replyTo && !options.silent) named.push(options.replyTo.authorId);
    if (channel.thread) channel.thread.archived = false;
    return this.#discord.messages.keepUnchecked(
      {
        channelId: channel.id,
        authorId: this.user.id,
        ...(options.replyTo && { replyTo: options.replyTo.id }),
      },
      {
        content,
        mentions: [...new Set(named)].filter((id) => world.users.has(id)),
        files: (options.files ?? []).map((file) => storeFile(world, channel.id, file)),
      },
    );
  }

  /** The direct channel with the bot. */
  direct(): Channel {
    return this.#discord.world.directChannel(this.user);
  }

  /** Deletes anybody's message, as a moderator or its author may. */
  deletes(message: Message): void {
    this.#discord.messages.delete(message);
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
