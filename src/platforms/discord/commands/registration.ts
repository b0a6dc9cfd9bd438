import { isDeepStrictEqual } from 'node:util';
import {
  type APIApplication,
  type APIApplicationCommand,
  ApplicationIntegrationType,
  type RESTPostAPIApplicationCommandsJSONBody,
} from 'discord.js';
import { type Waits, waitAfter } from '../../../lib/backoff.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { AnyCommand } from '../../../port/index.ts';
import type { DiscordApi } from '../api/api.ts';
import type { Log } from '../connection/log.ts';
import { commandDefinitions, type Installs } from './command-definition.ts';

/** Waits between tries, in milliseconds. */
const waits: Waits = { first: 5_000, longest: 600_000 };

export interface RegistrationDependencies<Dependencies> {
  readonly api: DiscordApi;
  readonly commands: readonly AnyCommand<Dependencies>[];
  /** Registers the commands in this server only. */
  readonly guildId: string | undefined;
  /** Gets the commands with the ids that Discord gave them. */
  readonly onRegistered?: (registered: readonly APIApplicationCommand[]) => void;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'error'>;
}

/** Registers the commands when the bot starts; tries again until Discord accepts them. */
export class Registration<Dependencies> {
  readonly #dependencies: RegistrationDependencies<Dependencies>;
  #cancelRetry = () => {};

  constructor(dependencies: RegistrationDependencies<Dependencies>) {
    this.#dependencies = dependencies;
  }

  /** Registers the commands, after failures as often as it takes. `tries` counts the failures so far. */
  async begin(applicationId: string, tries = 0): Promise<void> {
    const { api, commands, guildId, onRegistered, clock, log } = this.#dependencies;
    this.#cancelRetry();
    try {
      const changed = await register(api, applicationId, guildId, commands, onRegistered);
      log.info({ changed }, 'commands are registered on Discord');
    } catch (error) {
      const wait = waitAfter(tries + 1, waits);
      log.error({ error, wait }, 'the commands could not be registered on Discord');
      this.#cancelRetry = clock.after(wait, () => void this.begin(applicationId, tries + 1));
    }
  }

  close(): void {
    this.#cancelRetry();
  }
}

/**
 * Registers the commands, in one server or everywhere, if something changed: Discord limits new commands per day. Returns
 * whether it did.
 */
export async function register<Dependencies>(
  api: DiscordApi,
  applicationId: string,
  guildId: string | undefined,
  commands: readonly AnyCommand<Dependencies>[],
  onRegistered: (registered: readonly APIApplicationCommand[]) => void = () => {},
): Promise<boolean> {
  const installs = installsOf(await api.application());
  const wanted = commandDefinitions(commands, installs);
  const registered = await api.commands(applicationId, guildId);
  const changed = !isRegistered(wanted, registered, guildId === undefined);
  onRegistered(changed ? await api.putCommands(applicationId, guildId, wanted) : registered);
  return changed;
}

/** A command may name only the kinds of installation that the application's settings allow. */
function installsOf({ integration_types_config: config }: APIApplication): Installs {
  const { GuildInstall, UserInstall } = ApplicationIntegrationType;
  return [GuildInstall, UserInstall].filter((install) => config === undefined || install in config);
}

function isRegistered(
  wanted: readonly RESTPostAPIApplicationCommandsJSONBody[],
  registered: readonly APIApplicationCommand[],
  global: boolean,
): boolean {
  // A slash command and a message command may have the same name.
  const byName = (commands: readonly object[]) =>
    Object.fromEntries(
      (commands as readonly { readonly type?: number; readonly name: string }[]).map((command) => [
        `${command.type ?? 1} ${command.name}`,
        comparable(command, global),
      ]),
    );
  return isDeepStrictEqual(byName(wanted), byName(registered));
}

/** Fields that Discord adds. */
const addedFields = new Set([
  'id',
  'application_id',
  'version',
  'guild_id',
  'nsfw',
  'dm_permission',
  'handler',
]);
/** Fields that don't apply to a server's own commands. */
const globalFields = new Set(['contexts', 'integration_types']);

/** A value in the form in which two definitions are compared: without empty fields, which Discord leaves out. */
function comparable(value: unknown, global: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => comparable(item, global));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([name]) => !addedFields.has(name) && (global || !globalFields.has(name)))
    // A message command comes back with an empty description.
    .filter(([, item]) => item !== null && item !== undefined && item !== false && item !== '')
    .filter(([, item]) => !(Array.isArray(item) && item.length === 0))
    .map(([name, item]) => [name, comparable(item, global)] as const);
  return Object.fromEntries(entries);
}
