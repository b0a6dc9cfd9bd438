import { ApplicationCommandType } from 'discord-api-types/v10';
import { type Fields, isFields, objectsAt } from '../http/fields.ts';
import { invalidField, refusals } from '../http/refusal.ts';
import { supportedInstalls } from '../readings.ts';
import { checkCommands } from '../rules/command-rules.ts';
import type { World } from '../world.ts';

const createsPerDay = 200;

/** The application's registered commands, global or of one server. */
export class Commands {
  readonly #world: World;
  #creates: number[] = [];
  /** How often a scope was replaced. */
  writes = 0;

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
