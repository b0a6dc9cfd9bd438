import { PermissionFlagsBits } from 'discord-api-types/v10';
import { usedPermissions } from '../../../../src/platforms/discord/servers/server.ts';

/** What everybody may do where the bot was invited with the permissions it asks for. */
export const invited: bigint =
  Object.values(usedPermissions).reduce((all, bit) => all | bit, 0n) |
  PermissionFlagsBits.UseApplicationCommands |
  PermissionFlagsBits.UseExternalApps;

const wide = { limit: 1_000, windowMilliseconds: 1_000 };
/** For a bot whose clock is moved by hand: what's tested must not wait for Discord's limits as well. */
export const wideBuckets = {
  'message-create': wide,
  'message-edit': wide,
  typing: wide,
  webhook: wide,
  'follow-up': wide,
  commands: wide,
  gateway: wide,
};

/** Windows short enough for tests: what counts is that they are read from the headers. */
export const shortBuckets = {
  'message-create': { limit: 5, windowMilliseconds: 100 },
  'message-edit': { limit: 5, windowMilliseconds: 100 },
  webhook: { limit: 5, windowMilliseconds: 40 },
  'follow-up': { limit: 30, windowMilliseconds: 1000 },
  commands: { limit: 50, windowMilliseconds: 1000 },
  gateway: { limit: 50, windowMilliseconds: 1000 },
};
