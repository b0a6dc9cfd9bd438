import { PermissionFlagsBits } from 'discord-api-types/v10';
import { type Fields, isFields } from '../http/fields.ts';
import { invalidField } from '../http/refusal.ts';
import type { Channel, Message } from '../model.ts';
import type { World } from '../world.ts';
import { permissionsIn } from './permissions.ts';

interface Allowed {
  readonly parse: readonly unknown[];
  readonly users: readonly unknown[];
  readonly roles: readonly unknown[];
  readonly repliedUser: boolean;
}

const everything: Allowed = {
  parse: ['users', 'roles', 'everyone'],
  users: [],
  roles: [],
  repliedUser: true,
};

/** Who a text notifies: Discord's default is everybody it names (resources/message, allowed mentions). */
export interface Pings {
  readonly users: readonly string[];
  readonly roles: readonly string[];
  readonly everyone: boolean;
}

/** Works out the pings of a text under `allowed_mentions`; refuses contradictory ones. */
export function pingsOf(
  world: World,
  channel: Channel,
  text: string,
  allowedMentions: unknown,
  replyTo?: Message,
): Pings {
  const allowed = readAllowed(allowedMentions);
  const named = [...text.matchAll(/<@!?(\d{17,20})>/g)].map((match) => match[1] ?? '');
  const roles = [...text.matchAll(/<@&(\d{17,20})>/g)].map((match) => match[1] ?? '');
  const users = named.filter((id) => world.users.has(id) && permits(allowed, 'users', id));
  if (replyTo && allowed.repliedUser) users.push(replyTo.authorId);
  const mayEveryone =
    channel.guildId !== undefined &&
    (permissionsIn(world, channel, world.bot.id) & PermissionFlagsBits.MentionEveryone) !== 0n;
  return {
    users: [...new Set(users)],
    roles: [...new Set(roles.filter((id) => permits(allowed, 'roles', id)))],
    everyone: mayEveryone && allowed.parse.includes('everyone') && /@(everyone|here)/.test(text),
  };
}

/**
 * Mentions of commands in a text that aren't clickable: a mention has the name and the id of a slash command that's
 * registered everywhere or in the channel's server (reference, message formatting). Discord shows anything else as it is.
 */
export function faultyCommandMentions(world: World, channel: Channel, text: string): readonly string[] {
  const commands = [
    ...(world.commands.get('global') ?? []),
    ...(world.commands.get(channel.guildId ?? '') ?? []),
  ];
  return [...text.matchAll(/<\/([^:<>\n]*):([^<>\n]*)>/g)].flatMap(([mention, name, id]) => {
    const command = commands.find((one) => one.id === id && one.type === 1);
    return command?.name === name?.split(' ')[0] ? [] : [`no such command here: ${mention}`];
  });
}

function permits(allowed: Allowed, kind: 'users' | 'roles', id: string): boolean {
  return allowed.parse.includes(kind) || allowed[kind].includes(id);
}

function readAllowed(value: unknown): Allowed {
  if (!isFields(value)) return everything;
  const allowed = {
    parse: listAt(value, 'parse'),
    users: listAt(value, 'users'),
    roles: listAt(value, 'roles'),
    repliedUser: value.replied_user === true,
  };
  for (const kind of ['users', 'roles'] as const) {
    if (allowed[kind].length > 100)
      throw invalidField(
        `allowed_mentions.${kind}`,
        'BASE_TYPE_MAX_LENGTH',
        'Must be 100 or fewer in length.',
      );
    if (allowed[kind].length > 0 && allowed.parse.includes(kind))
      throw invalidField(
        'allowed_mentions',
        'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
        `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`,
      );
  }
  return allowed;
}

function listAt(value: Fields, name: string): readonly unknown[] {
  const list = value[name];
  return Array.isArray(list) ? list : [];
}
