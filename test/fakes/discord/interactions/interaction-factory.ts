import { randomBytes } from 'node:crypto';
import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ChannelType,
  ComponentType,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import type { FakeDiscord } from '../fake-discord.ts';
import { type Fields, isFields, objectsAt } from '../http/fields.ts';
import { storeFile } from '../messages/files.ts';
import type { Channel, Interaction, InteractionKind, Message, User } from '../model.ts';
import type { TypedCommand } from '../person.ts';
import { chooseFile } from '../rules/file-type-rules.ts';
import { grantedIn, permissionsIn } from '../rules/permissions.ts';
import { interactionTypes } from '../serialize/interaction-metadata.ts';
import { roleBody } from '../serialize/serialize-guild.ts';
import { fileBody, messageBody } from '../serialize/serialize-message.ts';
import { channelBody, memberBody, userBody } from '../serialize/serialize.ts';
import type { World } from '../world.ts';

/** An attached file. */
export interface Upload {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly spoiler?: boolean;
}

/** Makes interactions from what a person does, as Discord does, and sends them to the bot. */
export class InteractionFactory {
  readonly #discord: FakeDiscord;
  readonly #user: User;

  constructor(discord: FakeDiscord, user: User) {
    this.#discord = discord;
    this.#user = user;
  }

  command(channel: Channel, typed: TypedCommand): Interaction {
    const command = this.#commandIn(channel, typed.name, ApplicationCommandType.ChatInput, typed.isOutdated);
    const attachments: Record<string, Fields> = {};
    const given = typed.options ?? {};
    const { definitions, within } = optionsOf(command, typed);
    const unknown = Object.keys(given).find((name) => !definitions.some((option) => option.name === name));
    if (unknown !== undefined) throw new Error(`/${typed.name} has no option ${unknown}`);
    const options = definitions.flatMap((option) => {
      const value = given[String(option.name)];
      if (value === undefined) {
        if (option.required === true) throw new Error(`/${typed.name} needs ${String(option.name)}`);
        return [];
      }
      return [
        {
          name: option.name,
          type: option.type,
          value: this.#optionValue(channel, option, value, attachments),
        },
      ];
    });
    const known = {
      ...(Object.keys(attachments).length > 0 && { attachments }),
      ...this.#resolvedNames(channel, options),
    };
    const resolved = Object.keys(known).length > 0 ? { resolved: known } : {};
    const data = { id: command.id, name: command.name, type: 1, options: within(options), ...resolved };
    return this.#send(channel, 'command', data, { commandName: typed.name, ...typed });
  }

  /** A command of a message's menu; the message's text is included, whatever the intents. */
  menu(message: Message, name: string): Interaction {
    const channel = this.#discord.world.channel(message.channelId);
    const command = this.#commandIn(channel, name, ApplicationCommandType.Message);
    const messages = { [message.id]: messageBody(this.#discord.world, message) };
    const data = { id: command.id, name, type: 3, target_id: message.id, resolved: { messages } };
    return this.#send(channel, 'command', data, { commandName: name });
  }

  autocomplete(
    channel: Channel,
    typed: Pick<TypedCommand, 'name' | 'sub'>,
    focused: string,
    text: string,
    others: Fields,
  ): Interaction {
    const { name } = typed;
    const command = this.#commandIn(channel, name);
    const { definitions, within } = optionsOf(command, typed);
    const option = definitions.find((candidate) => candidate.name === focused);
    if (option?.autocomplete !== true) throw new Error(`/${name} ${focused} does not autocomplete`);
    const options = definitions.flatMap((candidate) =>
      candidate === option
        ? [{ name: focused, type: option.type, value: text, focused: true }]
        : others[String(candidate.name)] === undefined
          ? []
          : [{ name: candidate.name, type: candidate.type, value: others[String(candidate.name)] }],
    );
    return this.#send(
      channel,
      'autocomplete',
      { id: command.id, name, type: 1, options: within(options) },
      { commandName: name },
    );
  }

  component(message: Message, label: string, id?: string): Interaction {
    if (message.deleted) throw new Error('The message is deleted');
    if (message.onlyFor !== undefined && message.onlyFor !== this.#user.id)
      throw new Error('The message is for somebody else');
    const buttons = flattened(message.components).filter(
      (component) => component.type === ComponentType.Button,
    );
    const button = buttons.find((candidate) => candidate.label === label);
    if (!button)
      throw new Error(
        `No button ${label}, only ${buttons.map((candidate) => String(candidate.label)).join(', ')}`,
      );
    if (button.disabled === true) throw new Error(`The button ${label} is disabled`);
    const channel = this.#discord.world.channel(message.channelId);
    const data = { custom_id: id ?? button.custom_id, component_type: ComponentType.Button, id: 1 };
    return this.#send(channel, 'component', data, { source: message });
  }

  modal(
    opened: Interaction,
    values: Readonly<Record<string, string | readonly string[] | readonly Upload[]>>,
  ): Interaction {
    if (!opened.modal) throw new Error('No form was opened');
    const channel = this.#discord.world.channel(opened.channelId);
    const attachments: Record<string, Fields> = {};
    const components = objectsAt(opened.modal, 'components').flatMap((label, index) => {
      if (!isFields(label.component)) return [];
      const input = label.component;
      const value = values[String(input.custom_id)];
      const given = this.#inputValue(channel, input, value, attachments);
      return [
        {
          type: ComponentType.Label,
          id: index + 1,
          component: { type: input.type, id: 100 + index, custom_id: input.custom_id, ...given },
        },
      ];
    });
    const named = this.#chosenPeople(channel, components);
    const known = { ...(Object.keys(attachments).length > 0 && { attachments }), ...named };
    const resolved = Object.keys(known).length > 0 ? { resolved: known } : {};
    const source = opened.sourceMessageId
      ? this.#discord.world.messages.get(opened.sourceMessageId)
      : undefined;
    const data = { custom_id: opened.modal.custom_id, components, ...resolved };
    return this.#send(channel, 'modal', data, { openedBy: opened.id, ...(source && { source }) });
  }

  /** The people and roles selected in a form. */
  #chosenPeople(channel: Channel, labels: readonly { component: Fields }[]): Fields {
    const selects = labels.filter(({ component }) => component.type === ComponentType.MentionableSelect);
    const ids = selects.flatMap(({ component }) => component.values as readonly string[]);
    return this.#resolvedIds(channel, ids, ids);
  }

  /** The people, roles and channels mentioned in texts, if the reading includes them. */
  #resolvedNames(channel: Channel, options: readonly { value: unknown }[]): Fields {
    if (this.#discord.world.readings.namesInResolved === 'refused') return {};
    const text = options.map(({ value }) => (typeof value === 'string' ? value : '')).join(' ');
    const ids = (pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? '');
    return this.#resolvedIds(channel, ids(/<@!?(\d{17,20})>/g), ids(/<@&(\d{17,20})>/g));
  }

  #resolvedIds(channel: Channel, userIds: readonly string[], roleIds: readonly string[]): Fields {
    const { world } = this.#discord;
    const guild = channel.guildId === undefined ? undefined : world.guild(channel.guildId);
    const users = userIds.flatMap((id) => world.users.get(id) ?? []);
    const roles = roleIds.flatMap((id) => guild?.roles.get(id) ?? []);
    return {
      ...(users.length > 0 && { users: Object.fromEntries(users.map((user) => [user.id, userBody(user)])) }),
      ...(roles.length > 0 && { roles: Object.fromEntries(roles.map((role) => [role.id, roleBody(role)])) }),
    };
  }

  #inputValue(channel: Channel, input: Fields, value: unknown, attachments: Record<string, Fields>): Fields {
    const required = input.required !== false;
    if (input.type === ComponentType.TextInput) {
      const text =
        typeof value === 'string'
          ? value
          : typeof input.value === 'string' && value === undefined
            ? input.value
            : '';
      if (required && text === '') throw new Error(`The form needs ${String(input.custom_id)}`);
      if (text.length > Number(input.max_length ?? 4000))
        throw new Error(`${String(input.custom_id)} is too long`);
      return { value: text };
    }
    if (input.type === ComponentType.FileUpload) {
      const uploads = (value ?? []) as readonly Upload[];
      if (required && uploads.length === 0) throw new Error(`The form needs ${String(input.custom_id)}`);
      if (uploads.length > Number(input.max_values ?? 1))
        throw new Error(`Too many files in ${String(input.custom_id)}`);
      return { values: uploads.map((upload) => this.#attach(channel, input, upload, attachments)) };
    }
    if (input.type === ComponentType.MentionableSelect || input.type === ComponentType.ChannelSelect) {
      const preset = objectsAt(input, 'default_values').map(({ id }) => String(id));
      const chosen = value === undefined ? preset : (value as readonly string[]);
      if (required && chosen.length === 0) throw new Error(`The form needs ${String(input.custom_id)}`);
      return { values: chosen };
    }
    const preset = objectsAt(input, 'options')
      .filter((option) => option.default === true)
      .map((option) => String(option.value));
    const chosen = value === undefined ? preset : typeof value === 'string' ? [value] : value;
    if (input.type !== ComponentType.RadioGroup) return { values: chosen };
    const [one = null] = chosen as readonly string[];
    if (required && one === null) throw new Error(`The form needs ${String(input.custom_id)}`);
    return { value: one };
  }

  #optionValue(
    channel: Channel,
    option: Fields,
    value: unknown,
    attachments: Record<string, Fields>,
  ): unknown {
    if (option.type === ApplicationCommandOptionType.Attachment)
      return this.#attach(channel, option, value as Upload, attachments);
    const choices = objectsAt(option, 'choices');
    if (choices.length > 0 && !choices.some((choice) => choice.value === value))
      throw new Error(`${String(value)} is no choice of ${String(option.name)}`);
    if (typeof value === 'string' && value.length > Number(option.max_length ?? 6000))
      throw new Error(`${String(option.name)} is too long`);
    if (
      typeof value === 'number' &&
      (value < Number(option.min_value ?? value) || value > Number(option.max_value ?? value))
    )
      throw new Error(`${String(option.name)} is out of range`);
    return value;
  }

  #attach(channel: Channel, holder: Fields, upload: Upload, attachments: Record<string, Fields>): string {
    chooseFile(holder, upload);
    const file = storeFile(this.#discord.world, channel.id, upload);
    attachments[file.id] = fileBody(this.#discord.world, file, true);
    return file.id;
  }

  /** The registered command; refused if its contexts don't include the channel, unless a client has it from before. */
  #commandIn(
    channel: Channel,
    name: string,
    type: number = ApplicationCommandType.ChatInput,
    isOutdated = false,
  ): Fields {
    const command = this.#discord.commands.find(name, type, channel.guildId);
    const contexts = command.contexts;
    const context = contextOf(channel);
    if (Array.isArray(contexts) && !contexts.includes(context) && !isOutdated)
      throw new Error(`/${name} is not offered in context ${context}`);
    if (!this.#discord.commands.isOffered(String(command.id), channel, this.#user.id))
      throw new Error(`/${name} is not offered: Integrations deny it`);
    return command;
  }

  #send(
    channel: Channel,
    kind: InteractionKind,
    data: Fields,
    more: Partial<TypedCommand> & { commandName?: string; source?: Message; openedBy?: string },
  ): Interaction {
    const { world } = this.#discord;
    const guild = channel.guildId ? world.guild(channel.guildId) : undefined;
    const context = contextOf(channel);
    const userInstallOnly = guild ? !guild.hasBot : context === 2;
    const member = guild?.members.get(this.#user.id);
    const owners: Record<string, string> = userInstallOnly ? { 1: this.#user.id } : { 0: guild?.id ?? '0' };
    const granted = userInstallOnly
      ? permissionsIn(world, channel, this.#user.id)
      : world.readings.timeOutInAppPermissions === 'works'
        ? permissionsIn(world, channel, world.bot.id)
        : grantedIn(world, channel, world.bot.id);
    const interaction = world.keepInteraction({
      id: world.ids.next(),
      token: `aW50ZXJhY3Rpb246${randomBytes(60).toString('base64url')}`,
      kind,
      userId: this.#user.id,
      channelId: channel.id,
      guildId: guild?.id,
      createdAt: world.clock.now(),
      appPermissions: more.appPermissions ?? (guild ? granted : privatePermissions(context)),
      uploadLimit: more.uploadLimit ?? guild?.uploadLimit ?? world.defaultUploadLimit,
      userInstallOnly,
      owners,
      commandName: more.commandName,
      sourceMessageId: more.source?.id,
      openedBy: more.openedBy,
      acknowledgement: undefined,
      acknowledgedAt: undefined,
      responseMessageId: undefined,
      followUpIds: [],
      byHttp: world.interactionsEndpoint !== null,
      tokenUnknownFor: 0,
      choices: undefined,
      modal: undefined,
    });
    const user = userBody(this.#user);
    const locale = more.locale ?? this.#user.locale;
    const body: Fields = {
      id: interaction.id,
      application_id: world.applicationId,
      type: interactionTypes[kind],
      data,
      channel_id: channel.id,
      channel: partialChannel(world, channel, this.#user.id),
      token: interaction.token,
      version: 1,
      app_permissions: interaction.appPermissions.toString(),
      locale,
      entitlements: [],
      authorizing_integration_owners: owners,
      context,
      attachment_size_limit: interaction.uploadLimit,
      ...(guild && {
        guild_id: guild.id,
        guild_locale: guild.preferredLocale,
        guild: { id: guild.id, locale: guild.preferredLocale, features: [] },
        member: {
          ...(member && memberBody(member)),
          user,
          permissions: permissionsIn(world, channel, this.#user.id).toString(),
        },
      }),
      ...(!guild && { user }),
      ...(more.source && { message: messageBody(world, more.source) }),
    };
    // One or the other: with a URL nothing comes over the gateway (interactions/overview).
    if (world.interactionsEndpoint === null)
      this.#discord.events.interactionCreated(body, guild?.hasBot ? guild.id : undefined);
    else this.#discord.endpoint.deliver(body, interaction);
    return interaction;
  }
}

/** The options that can be typed, and how they're sent: below their sub-command, which a command with some can't go without. */
function optionsOf(
  command: Fields,
  { name, sub }: Pick<TypedCommand, 'name' | 'sub'>,
): {
  readonly definitions: readonly Fields[];
  readonly within: (options: readonly Fields[]) => readonly Fields[];
} {
  const all = objectsAt(command, 'options');
  const subs = all.filter(({ type }) => type === ApplicationCommandOptionType.Subcommand);
  if (subs.length === 0 && sub === undefined) return { definitions: all, within: (options) => options };
  const chosen = subs.find((one) => one.name === sub);
  if (!chosen)
    throw new Error(`/${name} has the sub-commands ${subs.map((one) => String(one.name)).join(', ')}`);
  return {
    definitions: objectsAt(chosen, 'options'),
    within: (options) => [{ name: sub, type: ApplicationCommandOptionType.Subcommand, options }],
  };
}

/** The channel as an interaction names it: without its overwrites (discord-api-docs#7836). */
function partialChannel(world: World, channel: Channel, userId: string): Fields {
  const { permission_overwrites: _, ...body } = channelBody(world, channel);
  if (channel.guildId === undefined) return body;
  return { ...body, permissions: permissionsIn(world, channel, userId).toString() };
}

/** `app_permissions` outside of servers (interactions/receiving-and-responding). */
function privatePermissions(context: number): bigint {
  const { AttachFiles, EmbedLinks, MentionEveryone, UseExternalEmojis } = PermissionFlagsBits;
  return AttachFiles | EmbedLinks | MentionEveryone | (context === 1 ? UseExternalEmojis : 0n);
}

/** 0 a server, 1 the bot's own direct channel, 2 another private channel. */
function contextOf(channel: Channel): number {
  if (channel.guildId !== undefined) return 0;
  return channel.type === ChannelType.DM ? 1 : 2;
}

function flattened(components: readonly Fields[]): Fields[] {
  return components.flatMap((component) => [
    component,
    ...(Array.isArray(component.components) ? flattened(component.components.filter(isFields)) : []),
  ]);
}
