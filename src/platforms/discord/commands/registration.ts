import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type APIApplication,
  type APIApplicationCommand,
  ApplicationCommandType,
  ApplicationIntegrationType,
  type RESTPostAPIApplicationCommandsJSONBody,
} from 'discord-api-types/v10';
import { type Clock, waitAfter, type Waits } from '../../../lib/clock.ts';
import { type CommandAbout, PlatformError, refusalOf } from '../../../port/index.ts';
import type { Records } from '../../../store/index.ts';
import type { DiscordApi } from '../api/api.ts';
import { isRouteUnknown } from '../api/errors.ts';
import type { Log } from '../connection/own-application.ts';
import { commandDefinitions, type Installs } from './command-definition.ts';

/** The command of the live check, which registers it itself: a running bot ignores it. */
export const liveCheckCommand = 'troupe-live-check';

/** Waits between tries, in milliseconds. */
const waits: Waits = { first: 5_000, longest: 600_000 };
/** On record: the one server in which the commands were registered last; absent while they are registered everywhere. */
const serverKey = 'commands server';
/** On record, for each place: a digest of the commands that were registered there last. */
const digestKey = (guildId: string | undefined) => `commands digest ${guildId ?? 'everywhere'}`;
/** In the log, for operators. */
const alsoEverywhere =
  'commands of this bot are also registered everywhere: in the server of DISCORD_GUILD_ID they are listed twice. Without DISCORD_GUILD_ID, the next start removes those of that server';

interface RegistrationDependencies {
  readonly api: DiscordApi;
  readonly commands: readonly CommandAbout[];
  /** Registers the commands in this server only. */
  readonly guildId: string | undefined;
  /** The commands registered last, and in which server. */
  readonly records: Pick<Records, 'get' | 'set' | 'delete'>;
  /** Gets the commands with the ids that Discord gave them. */
  readonly onRegistered?: (registered: readonly APIApplicationCommand[]) => void;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
}

/**
 * Registers the commands when the bot starts; tries again until Discord accepts them. Those of a server that
 * `DISCORD_GUILD_ID` named before are removed there, where people would see each command twice.
 */
export class Registration {
  readonly #dependencies: RegistrationDependencies;
  #cancelRetry = () => {};
  #reason: string | undefined;

  constructor(dependencies: RegistrationDependencies) {
    this.#dependencies = dependencies;
  }

  /** Registers the commands, after failures as often as it takes. `tries` counts the failures so far. */
  async begin(applicationId: string, tries = 0): Promise<void> {
    const { api, commands, guildId, records, onRegistered, clock, log } = this.#dependencies;
    this.#cancelRetry();
    try {
      const place = { applicationId, guildId };
      const changed = await register(api, place, commands, records, onRegistered);
      log.info({ changed }, 'commands are registered on Discord');
      await this.#clearFormer(applicationId);
      if (guildId !== undefined && (await isRegisteredEverywhere(api, applicationId)))
        log.warn({}, alsoEverywhere);
      this.#reason = undefined;
    } catch (error) {
      const wait = waitAfter(tries + 1, waits);
      log.error({ error, wait }, 'the commands could not be registered on Discord');
      this.#reason = `the commands could not be registered: ${reasonOf(error)}`;
      this.#cancelRetry = clock.after(wait, () => void this.begin(applicationId, tries + 1));
    }
  }

  /** Why the commands aren't as they should be after a try that failed. */
  notReady(): string | undefined {
    return this.#reason;
  }

  close(): void {
    this.#cancelRetry();
  }

  /** Removes the commands from the server in which they were registered before, unless that's the one of today. */
  async #clearFormer(applicationId: string): Promise<void> {
    const { api, guildId, records, log } = this.#dependencies;
    const former = await records.get<string>(serverKey);
    if (former === guildId) return;
    if (former !== undefined && (await clear(api, applicationId, former)))
      log.info({ guild: former }, 'commands that were registered for development are removed');
    if (guildId !== undefined) await records.set(serverKey, guildId);
    else await records.delete(serverKey);
  }
}

/** In Discord's words, where it said something. */
function reasonOf(error: unknown): string {
  const { message } =
    error instanceof PlatformError && error.cause instanceof Error ? error.cause : Object(error);
  return String(message ?? error);
}

/** Removes the commands of a server. Returns whether there were any; a server that the bot has left has none. */
async function clear(
  api: RegistrationDependencies['api'],
  applicationId: string,
  guildId: string,
): Promise<boolean> {
  try {
    const registered = await api.commands(applicationId, guildId);
    if (registered.length > 0) await api.putCommands(applicationId, guildId, []);
    return registered.length > 0;
  } catch (error) {
    if (!refusalOf(error)) throw error;
    return false;
  }
}

async function isRegisteredEverywhere(api: DiscordApi, applicationId: string): Promise<boolean> {
  return (await toldOr([], api.commands(applicationId))).some(isDefinedHere);
}

/** What Discord says; `otherwise` where something stands in for it that only takes commands. */
function toldOr<T>(otherwise: T, said: Promise<T>): Promise<T> {
  return said.catch((error: unknown) => {
    if (!isRouteUnknown(error)) throw error;
    return otherwise;
  });
}

/**
 * Whether a command is of a type that the bot defines. Others stay as they are: an application with Activities has an
 * Entry Point command, without which Discord refuses the whole list (50240).
 */
export function isDefinedHere({ type }: Pick<APIApplicationCommand, 'type'>): boolean {
  return type === ApplicationCommandType.ChatInput || type === ApplicationCommandType.Message;
}

/**
 * Registers the commands, in one server or everywhere, if something changed: Discord limits new commands per day. Returns
 * whether it did.
 */
export async function register(
  api: DiscordApi,
  { applicationId, guildId }: { readonly applicationId: string; readonly guildId?: string | undefined },
  commands: readonly CommandAbout[],
  records: Pick<Records, 'get' | 'set'>,
  onRegistered: (registered: readonly APIApplicationCommand[]) => void = () => {},
): Promise<boolean> {
  const installs = installsOf(await toldOr<HowInstalled>({}, api.application()));
  const wanted = commandDefinitions(commands, installs);
  const registered = await toldOr([], api.commands(applicationId, guildId));
  const own = registered.filter(isDefinedHere);
  const key = digestKey(guildId);
  const digest = createHash('sha256').update(JSON.stringify(wanted)).digest('base64url');
  const ignored = guildId === undefined ? addedFields : new Set([...addedFields, ...globalFields]);
  const isUpToDate =
    isRegistered(wanted, own, ignored) ||
    (isRegistered(wanted, own, new Set([...ignored, ...unreturnedFields])) &&
      (await records.get<string>(key)) === digest);
  if (isUpToDate) {
    onRegistered(registered);
    return false;
  }
  const others = registered.filter((command) => !isDefinedHere(command)).map(asItIs);
  onRegistered(await api.putCommands(applicationId, guildId, [...wanted, ...others]));
  await records.set(key, digest);
  return true;
}

/** A registered command in the form in which it's registered again. */
function asItIs({
  application_id: _application,
  version: _version,
  guild_id: _server,
  ...command
}: APIApplicationCommand): RESTPostAPIApplicationCommandsJSONBody {
  return command as RESTPostAPIApplicationCommandsJSONBody;
}

type HowInstalled = Pick<APIApplication, 'integration_types_config'>;

/** A command may name only the kinds of installation that the application's settings allow. */
function installsOf({ integration_types_config: config }: HowInstalled): Installs {
  const { GuildInstall, UserInstall } = ApplicationIntegrationType;
  return [GuildInstall, UserInstall].filter((install) => config === undefined || install in config);
}

function isRegistered(
  wanted: readonly RESTPostAPIApplicationCommandsJSONBody[],
  registered: readonly APIApplicationCommand[],
  ignored: ReadonlySet<string>,
): boolean {
  // A slash command and a message command may have the same name.
  const byName = (commands: readonly object[]) =>
    Object.fromEntries(
      (commands as readonly { readonly type?: number; readonly name: string }[]).map((command) => [
        `${command.type ?? 1} ${command.name}`,
        comparable(command, ignored),
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
/** Fields that Discord may not return, or in another form: whether they changed is known from what was sent last. */
const unreturnedFields = new Set(['file_types']);

/** A value in the form in which two definitions are compared: without empty fields, which Discord leaves out. */
function comparable(value: unknown, ignored: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => comparable(item, ignored));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([name]) => !ignored.has(name))
    // A message command comes back with an empty description.
    .filter(([, item]) => item !== null && item !== undefined && item !== false && item !== '')
    .filter(([, item]) => !(Array.isArray(item) && item.length === 0))
    .map(([name, item]) => [name, comparable(item, ignored)] as const);
  return Object.fromEntries(entries);
}
