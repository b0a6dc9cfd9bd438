import { isDeepStrictEqual } from 'node:util';
import {
  type APIApplication,
  type APIApplicationCommand,
  ApplicationIntegrationType,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js';
import type { Clock } from '../../../lib/clock.ts';
import type { AnyCommand } from '../../../port/index.ts';
import type { DiscordApi } from '../api/api.ts';
import { commandDefinition, type Installs } from './command-definition.ts';

/** Waits between tries, in milliseconds. */
const waits = { first: 5_000, longest: 600_000 };

/** Keeps the commands registered: tries again where Discord does not take them. */
export class Registration<Dependencies> {
  readonly #api: DiscordApi;
  readonly #commands: readonly AnyCommand<Dependencies>[];
  readonly #guildId: string | undefined;
  readonly #clock: Clock;
  readonly #log: { info(data: object, message: string): void; error(data: object, message: string): void };
  #cancel = () => {};

  constructor(
    api: DiscordApi,
    commands: readonly AnyCommand<Dependencies>[],
    guildId: string | undefined,
    clock: Clock,
    log: { info(data: object, message: string): void; error(data: object, message: string): void },
  ) {
    this.#api = api;
    this.#commands = commands;
    this.#guildId = guildId;
    this.#clock = clock;
    this.#log = log;
  }

  /** Registers, now or as soon as Discord takes it. */
  async begin(applicationId: string, wait = waits.first): Promise<void> {
    this.#cancel();
    try {
      const changed = await register(this.#api, applicationId, this.#guildId, this.#commands);
      this.#log.info({ changed }, 'commands are registered on Discord');
    } catch (error) {
      this.#log.error({ error, wait }, 'the commands could not be registered on Discord');
      const next = Math.min(waits.longest, wait * 2);
      this.#cancel = this.#clock.after(wait, () => void this.begin(applicationId, next));
    }
  }

  close(): void {
    this.#cancel();
  }
}

/**
 * Registers the commands, of one server or everywhere, and only where something changed: Discord counts new
 * commands by the day. Answers whether it did.
 */
export async function register<Dependencies>(
  api: DiscordApi,
  applicationId: string,
  guildId: string | undefined,
  commands: readonly AnyCommand<Dependencies>[],
): Promise<boolean> {
  const installs = installsOf(await api.application());
  const wanted = commands.map((command) => commandDefinition(command, installs));
  const registered = await api.commands(applicationId, guildId);
  if (isRegistered(wanted, registered, guildId === undefined)) return false;
  await api.putCommands(applicationId, guildId, wanted);
  return true;
}

/** A command may name only installs that are switched on for the application. */
function installsOf({ integration_types_config: config }: APIApplication): Installs {
  const { GuildInstall, UserInstall } = ApplicationIntegrationType;
  return [GuildInstall, UserInstall].filter((install) => config === undefined || install in config);
}

function isRegistered(
  wanted: readonly RESTPostAPIChatInputApplicationCommandsJSONBody[],
  registered: readonly APIApplicationCommand[],
  global: boolean,
): boolean {
  const byName = (commands: readonly object[]) =>
    Object.fromEntries(
      commands.map((command) => [(command as { name: string }).name, compared(command, global)]),
    );
  return isDeepStrictEqual(byName(wanted), byName(registered));
}

/** Fields that Discord adds by itself, and those that it leaves out where they say nothing. */
const added = new Set(['id', 'application_id', 'version', 'guild_id', 'nsfw', 'dm_permission', 'handler']);
/** Where a command is offered is Discord's own affair within one server. */
const globalOnly = new Set(['contexts', 'integration_types']);

function compared(value: unknown, global: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => compared(item, global));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([name]) => !added.has(name) && (global || !globalOnly.has(name)))
    .filter(([, item]) => item !== null && item !== undefined && item !== false)
    .filter(([, item]) => !(Array.isArray(item) && item.length === 0))
    .map(([name, item]) => [name, compared(item, global)] as const);
  return Object.fromEntries(entries);
}
