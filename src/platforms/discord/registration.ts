import { isDeepStrictEqual } from 'node:util';
import type { APIApplicationCommand, RESTPostAPIChatInputApplicationCommandsJSONBody } from 'discord.js';
import type { AnyCommand } from '../../port/index.ts';
import type { DiscordApi } from './api.ts';
import { commandShape } from './command-shape.ts';

/**
 * Registers the commands, of one server or everywhere, and only where something changed: Discord counts new
 * commands by the day. Answers whether it did.
 */
export async function register<Parts>(
  api: DiscordApi,
  applicationId: string,
  guildId: string | undefined,
  commands: readonly AnyCommand<Parts>[],
): Promise<boolean> {
  const wanted = commands.map(commandShape);
  const registered = await api.commands(applicationId, guildId);
  if (isRegistered(wanted, registered, guildId === undefined)) return false;
  await api.putCommands(applicationId, guildId, wanted);
  return true;
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
