import {
  type APIApplicationCommand,
  type APIApplicationCommandPermission,
  ApplicationCommandPermissionType,
  ApplicationCommandType,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { type Clock, inTime } from '../../../lib/clock.ts';
import { type Address, type Person, refusalOf } from '../../../port/index.ts';
import type { DiscordApi } from '../api/api.ts';
import { isDirectMessage } from '../api/messages.ts';
import { permissionsInChannel } from './server.ts';
import { freshFor, patience, type Servers } from './servers.ts';

/** Servers that are kept, none for longer than what else is asked of them: a session that wasn't resumed may have missed a change. */
const most = 200;

/** What's set for a command, or for the whole app, by the id of either. */
type Permissions = ReadonlyMap<string, readonly APIApplicationCommandPermission[]>;
const none: Permissions = new Map();

interface CommandPermissionsDependencies {
  readonly api: Pick<DiscordApi, 'commandPermissions'>;
  readonly servers: Pick<Servers, 'isMember' | 'channel'>;
  readonly identity: () => { readonly applicationId: string };
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/**
 * Who may use which commands, and where, as a server's administrators say in Server Settings → Integrations, and in a channel
 * by Use Application Commands. Discord keeps to it where commands are typed; mentions and buttons are only messages to it. Where
 * Discord doesn't tell, nothing is denied.
 */
export class CommandPermissions {
  readonly #dependencies: CommandPermissionsDependencies;
  readonly #servers: BoundedMap<string, Promise<Permissions>>;
  #ids: ReadonlyMap<string, string> = new Map();

  constructor(dependencies: CommandPermissionsDependencies) {
    const { clock } = dependencies;
    this.#dependencies = dependencies;
    this.#servers = new BoundedMap({ most, lifetime: { milliseconds: freshFor, clock } });
  }

  /** Remembers the ids of the commands that are registered now. */
  learn(registered: readonly Pick<APIApplicationCommand, 'id' | 'name' | 'type'>[]): void {
    const typed = registered.filter(({ type }) => type === ApplicationCommandType.ChatInput);
    this.#ids = new Map(typed.map(({ name, id }) => [name, id]));
  }

  /** They have changed in a server. */
  forget(serverId: string): void {
    this.#servers.delete(serverId);
  }

  /** Whether a person may use a command at an address. Who manages the server can change that, so they may. */
  async allow(command: string, address: Address, person: Person): Promise<boolean> {
    const { servers, clock, identity } = this.#dependencies;
    const { workspace, channel } = address;
    if (person.administrator || isDirectMessage(address) || !servers.isMember(workspace)) return true;
    const known = servers.channel(channel);
    const granted = known && permissionsInChannel(known, { id: person.id, roles: person.roles ?? [] });
    if (granted !== undefined && (granted & PermissionFlagsBits.UseApplicationCommands) === 0n) return false;
    const permissions = await inTime(clock, patience, this.#of(workspace), none);
    // What's set for the command counts before what's set for the app (change log, “Upcoming Application Command Permission Changes”).
    const levels = [this.#ids.get(command) ?? '', identity().applicationId].map(
      (id) => permissions.get(id) ?? [],
    );
    return (
      isAllowed(levels, channelsFrom(workspace, channel)) && isAllowed(levels, peopleFrom(workspace, person))
    );
  }

  #of(serverId: string): Promise<Permissions> {
    const known = this.#servers.get(serverId);
    if (known) return known;
    const asked = this.#ask(serverId);
    this.#servers.set(serverId, asked);
    return asked;
  }

  async #ask(serverId: string): Promise<Permissions> {
    const { api, identity, log } = this.#dependencies;
    try {
      const all = await api.commandPermissions(identity().applicationId, serverId);
      return new Map(all.map(({ id, permissions }) => [id, permissions]));
    } catch (error) {
      log.warn({ error, guild: serverId }, 'could not ask Discord who may use commands');
      if (!refusalOf(error)) this.forget(serverId);
      return none;
    }
  }
}

/** Whom or what a permission may be about. */
interface Target {
  readonly type: ApplicationCommandPermissionType;
  readonly ids: readonly string[];
}

/** By the first target that anything is said of, on the first level; what one of its roles allows is allowed. */
function isAllowed(
  levels: readonly (readonly APIApplicationCommandPermission[])[],
  targets: readonly Target[],
): boolean {
  for (const level of levels)
    for (const { type, ids } of targets) {
      const decisive = level.filter((one) => one.type === type && ids.includes(one.id));
      if (decisive.length > 0) return decisive.some(({ permission }) => permission);
    }
  return true;
}

/** A channel, whose threads have its permissions, before all channels (application command permissions constants). */
function channelsFrom(serverId: string, channel: string): readonly Target[] {
  const all = String(BigInt(serverId) - 1n);
  return [channel, all].map((id) => ({ type: ApplicationCommandPermissionType.Channel, ids: [id] }));
}

/** The person before their roles, and those before everyone's, which has the server's id. */
function peopleFrom(serverId: string, { id, roles = [] }: Person): readonly Target[] {
  const { User, Role } = ApplicationCommandPermissionType;
  const own = roles.filter((role) => role !== serverId);
  return [
    { type: User, ids: [id] },
    { type: Role, ids: own },
    { type: Role, ids: [serverId] },
  ];
}
