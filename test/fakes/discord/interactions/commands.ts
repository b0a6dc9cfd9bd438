import { ApplicationCommandType, PermissionFlagsBits } from 'discord-api-types/v10';
import { type Fields, isFields, objectsAt } from '../http/fields.ts';
import { invalidField, refusals } from '../http/refusal.ts';
import type { Channel } from '../model.ts';
import { supportedInstalls } from '../readings.ts';
import { checkCommands } from '../rules/command-rules.ts';
import { basePermissions } from '../rules/permissions.ts';
import type { World } from '../world.ts';

const { Administrator } = PermissionFlagsBits;

const createsPerDay = 200;
/** Overwrites that a command, or the whole app, can have in a server. */
const maxPermissions = 100;

/** What an administrator allows or denies: a role (1), a person (2) or a channel (3). */
export interface CommandPermission {
  readonly id: string;
  readonly type: 1 | 2 | 3;
  readonly permission: boolean;
}

/** The application's registered commands, global or of one server. */
export class Commands {
  readonly #world: World;
  #creates: number[] = [];
  /** How often a scope was replaced. */
  writes = 0;
  /** What administrators set in Server Settings → Integrations: by server, then by the id of a command or of the app. */
  readonly #permissions = new Map<string, Map<string, readonly CommandPermission[]>>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Every command of a scope (`global` or a server's id). */
  list(scope: string): readonly Fields[] {
    return this.#world.commands.get(scope) ?? [];
  }

  /** Replaces a scope; commands with a known type and name keep their id, new ones count towards 200 a day. */
  overwrite(scope: string, body: unknown): readonly Fields[] {
    if (!Array.isArray(body))
      throw invalidField('', 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType');
    const commands = objectsAt({ commands: body }, 'commands', '');
    checkCommands(commands, supportedInstalls(this.#world.readings));
    // An application with Activities has one (serenity#2993).
    const isEntryPoint = ({ type }: Fields) => type === ApplicationCommandType.PrimaryEntryPoint;
    if (this.list(scope).some(isEntryPoint) && !commands.some(isEntryPoint))
      throw refusals.entryPointRemoved();
    const known = new Map(this.list(scope).map((command) => [identityOf(command), command]));
    this.#countCreates(commands.filter((command) => !known.has(identityOf(command))).length);
    const stored = commands.map((command) => this.#stored(command, known.get(identityOf(command)), scope));
    this.#world.commands.set(scope, stored);
    this.writes += 1;
    this.#world.changed();
    return stored;
  }

  /** Adds one command to a scope, or replaces the one of its name. */
  create(scope: string, command: Fields): Fields {
    const others = this.list(scope).filter((one) => identityOf(one) !== identityOf(command));
    checkCommands([...others, command], supportedInstalls(this.#world.readings));
    const known = this.list(scope).find((one) => identityOf(one) === identityOf(command));
    if (!known) this.#countCreates(1);
    const stored = this.#stored(command, known, scope);
    this.#world.commands.set(scope, [...others, stored]);
    this.#world.changed();
    return stored;
  }

  remove(scope: string, id: string): void {
    const others = this.list(scope).filter((command) => command.id !== id);
    if (others.length === this.list(scope).length) throw refusals.unknownCommand();
    this.#world.commands.set(scope, others);
    this.#world.changed();
  }

  /** The command of a type that a person can use in a channel: the server's own first. */
  find(name: string, type: number, guildId: string | undefined): Fields {
    const identity = identityOf({ name, type });
    const command =
      this.list(guildId ?? '').find((candidate) => identityOf(candidate) === identity) ??
      this.list('global').find((candidate) => identityOf(candidate) === identity);
    if (!command) throw refusals.unknownCommand();
    return command;
  }

  /** All of a server's; those of the app have its own id. */
  permissions(guildId: string): readonly Fields[] {
    return [...(this.#permissions.get(guildId) ?? [])].map(([id, permissions]) => ({
      id,
      application_id: this.#world.applicationId,
      guild_id: guildId,
      permissions: permissions.map((one) => ({ ...one })),
    }));
  }

  /** Replaces those of a command, or of the app as a whole. */
  permit(guildId: string, id: string, permissions: readonly CommandPermission[]): void {
    if (permissions.length > maxPermissions) throw new Error(`more than ${maxPermissions} overwrites`);
    const known = this.#permissions.get(guildId) ?? new Map<string, readonly CommandPermission[]>();
    this.#permissions.set(guildId, known);
    if (permissions.length === 0) known.delete(id);
    else known.set(id, permissions);
  }

  /**
   * Whether somebody is offered a command (interactions/application-commands, permissions; the change log's flowchart): the
   * channel has to be allowed, and the person. What's set for the command counts before what's set for the app.
   */
  isOffered(id: string, channel: Channel, userId: string): boolean {
    const { guildId } = channel;
    const guild = guildId === undefined ? undefined : this.#world.guild(guildId);
    const member = guild?.members.get(userId);
    if (!guild || !member || ((basePermissions(guild, userId) ?? 0n) & Administrator) !== 0n) return true;
    const place = channel.thread ? channel.parentId : channel.id;
    const allChannels = String(BigInt(guild.id) - 1n);
    const levels = [id, this.#world.applicationId].map(
      (one) => this.#permissions.get(guild.id)?.get(one) ?? [],
    );
    const decide = (...targets: ((one: CommandPermission) => boolean)[]) => {
      const decisive = levels.flatMap((level) => targets.map((isIt) => level.filter(isIt)));
      return decisive.find(({ length }) => length > 0)?.some(({ permission }) => permission) ?? true;
    };
    return (
      decide(
        (one) => one.type === 3 && one.id === place,
        (one) => one.type === 3 && one.id === allChannels,
      ) &&
      decide(
        (one) => one.type === 2 && one.id === userId,
        (one) => one.type === 1 && one.id !== guild.id && member.roles.includes(one.id),
        (one) => one.type === 1 && one.id === guild.id,
      )
    );
  }

  #stored(command: Fields, known: Fields | undefined, scope: string): Fields {
    const permissions = command.default_member_permissions;
    return {
      ...withoutNulls(command),
      id: known?.id ?? this.#world.ids.next(),
      application_id: this.#world.applicationId,
      version: this.#world.ids.next(),
      type: command.type ?? 1,
      description: command.description ?? '',
      default_member_permissions:
        permissions === undefined || permissions === null ? null : String(permissions),
      ...(scope !== 'global' && { guild_id: scope }),
      options: objectsAt(command, 'options').map(withoutNulls),
    };
  }

  #countCreates(count: number): void {
    const now = this.#world.clock.now();
    this.#creates = this.#creates.filter((time) => time > now - 86_400_000);
    if (this.#creates.length + count > createsPerDay) throw refusals.dailyCommandCreates();
    for (let index = 0; index < count; index++) this.#creates.push(now);
  }
}

/** What tells commands apart: a slash command and one in a message's menu may have the same name. */
function identityOf({ name, type }: Fields): string {
  return `${type ?? 1} ${name}`;
}

function withoutNulls(holder: Fields): Fields {
  return Object.fromEntries(
    Object.entries(holder)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map((item) => (isFields(item) ? withoutNulls(item) : item)) : value,
      ]),
  );
}
