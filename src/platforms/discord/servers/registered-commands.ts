import {
  type APIApplicationCommand,
  type APIApplicationCommandPermission,
  ApplicationCommandOptionType,
  ApplicationCommandPermissionType,
  ApplicationCommandType,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { type Clock, inTime } from '../../../lib/clock.ts';
import { type Address, type Message, type Person, refusalOf } from '../../../port/index.ts';
import type { DiscordApi } from '../api/api.ts';
import { isDirectMessage } from '../api/messages.ts';
import { permissionsInChannel } from './server.ts';
import { freshFor, patience, type Servers } from './servers.ts';

/** Code blocks, which show what's in them letter by letter. */
const codeBlocks = /(```[\s\S]*?(?:```|$))/;
/** A command's name as the bot's texts write it, on its own: `/help` as code, or **\/help** in bold. */
const namedCommands = /(?<![`\\])`\/([\w-]{1,32})`(?!`)|\*\*\/([\w-]{1,32})\*\*/g;
const namedPeople = /<@(\d{17,20})>/g;
/** Servers that are kept, none for longer than what else is asked of them: a session that wasn't resumed may have missed a change. */
const most = 200;

/** What's set for a command, or for the whole app, by the id of either. */
type Permissions = ReadonlyMap<string, readonly APIApplicationCommandPermission[]>;
const none: Permissions = new Map();

interface RegisteredCommandsDependencies {
  readonly api: Pick<DiscordApi, 'commandPermissions'>;
  /** The only server in which the commands are registered; undefined: they are everywhere. */
  readonly guildId: string | undefined;
  readonly servers: Pick<Servers, 'isMember' | 'channel' | 'hasRoles'>;
  readonly identity: () => { readonly applicationId: string };
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/** The commands as Discord has them: by which mention people use each, and who may use it where. */
export class RegisteredCommands {
  readonly #dependencies: RegisteredCommandsDependencies;
  readonly #permissions: BoundedMap<string, Promise<Permissions>>;
  /** The typed ones, by their names. */
  #commands: ReadonlyMap<string, Pick<APIApplicationCommand, 'id' | 'options'>> = new Map();

  constructor(dependencies: RegisteredCommandsDependencies) {
    const { clock } = dependencies;
    this.#dependencies = dependencies;
    this.#permissions = new BoundedMap({ most, lifetime: { milliseconds: freshFor, clock } });
  }

  /** Remembers those that are registered now. */
  learn(registered: readonly Pick<APIApplicationCommand, 'id' | 'name' | 'type' | 'options'>[]): void {
    const typed = registered.filter(({ type }) => type === ApplicationCommandType.ChatInput);
    this.#commands = new Map(typed.map((command) => [command.name, command]));
  }

  /**
   * A message at an address, with mentions (reference, message formatting). Names of commands become mentions that people click
   * to use the command, and that their client shows in their language. Such a mention needs the id that Discord gave the
   * command; until that's known, and where the command isn't registered, the name stays as it is. A mention of a person
   * becomes one of a role if that's what has the id: the two look the same to the rest of the bot.
   */
  linked(message: Message, { workspace }: Pick<Address, 'workspace'>): Message {
    const { text, unquoted } = message;
    return {
      ...message,
      ...(text !== undefined && { text: this.linkedText(text, workspace) }),
      ...(unquoted !== undefined && { unquoted: this.linkedText(unquoted, workspace) }),
    };
  }

  /** The same for a text; `place` is the server it's posted in, or the channel of direct messages. */
  linkedText(text: string, place: string): string {
    const { guildId, servers } = this.#dependencies;
    const isRegistered = guildId === undefined || guildId === place;
    const linked = (prose: string) =>
      (isRegistered ? this.#withCommands(prose) : prose).replace(namedPeople, (whole, id: string) =>
        servers.hasRoles(place, [id]) ? `<@&${id}>` : whole,
      );
    const pieces = text.split(codeBlocks);
    return pieces.map((piece, index) => (index % 2 === 0 ? linked(piece) : piece)).join('');
  }

  /** One with sub-commands is mentioned by its first. */
  #withCommands(text: string): string {
    return text.replace(namedCommands, (whole, code: string | undefined, bold: string | undefined) => {
      const name = code ?? bold ?? '';
      const command = this.#commands.get(name);
      if (command === undefined) return whole;
      const [first] = command.options ?? [];
      const isSub = first?.type === ApplicationCommandOptionType.Subcommand;
      const mention = `</${isSub ? `${name} ${first.name}` : name}:${command.id}>`;
      return bold === undefined ? mention : `**${mention}**`;
    });
  }

  /** Who may use them has changed in a server. */
  forgetPermissions(serverId: string): void {
    this.#permissions.delete(serverId);
  }

  /**
   * Whether a person may use a command at an address, as the server's administrators say in Server Settings → Integrations, and
   * in a channel by Use Application Commands. Discord keeps to it where commands are typed; mentions and buttons are only
   * messages to it. Where Discord doesn't tell, nothing is denied. Who manages the server can change that, so they may.
   */
  async allow(command: string, address: Address, person: Person): Promise<boolean> {
    const { servers, clock, identity } = this.#dependencies;
    const { workspace, channel } = address;
    if (person.administrator || isDirectMessage(address) || !servers.isMember(workspace)) return true;
    const known = servers.channel(channel);
    const granted = known && permissionsInChannel(known, { id: person.id, roles: person.roles ?? [] });
    if (granted !== undefined && (granted & PermissionFlagsBits.UseApplicationCommands) === 0n) return false;
    const permissions = await inTime(clock, patience, this.#permissionsIn(workspace), none);
    // What's set for the command counts before what's set for the app (change log, “Upcoming Application Command Permission Changes”).
    const levels = [this.#commands.get(command)?.id ?? '', identity().applicationId].map(
      (id) => permissions.get(id) ?? [],
    );
    return (
      isAllowed(levels, channelsFrom(workspace, channel)) && isAllowed(levels, peopleFrom(workspace, person))
    );
  }

  #permissionsIn(serverId: string): Promise<Permissions> {
    const known = this.#permissions.get(serverId);
    if (known) return known;
    const asked = this.#ask(serverId);
    this.#permissions.set(serverId, asked);
    return asked;
  }

  async #ask(serverId: string): Promise<Permissions> {
    const { api, identity, log } = this.#dependencies;
    try {
      const all = await api.commandPermissions(identity().applicationId, serverId);
      return new Map(all.map(({ id, permissions }) => [id, permissions]));
    } catch (error) {
      log.warn({ error, guild: serverId }, 'could not ask Discord who may use commands');
      if (!refusalOf(error)) this.forgetPermissions(serverId);
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
