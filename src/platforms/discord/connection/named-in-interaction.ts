import { type APIInteraction, InteractionType } from 'discord-api-types/v10';
import type { Server } from '../servers/server.ts';

/** The roles that somebody chose in a form or an option. */
export function chosenRoles(raw: APIInteraction): readonly string[] {
  const hasChoice =
    raw.type === InteractionType.ModalSubmit || raw.type === InteractionType.ApplicationCommand;
  const resolved = hasChoice && 'resolved' in raw.data ? raw.data.resolved : undefined;
  return resolved && 'roles' in resolved ? Object.keys(resolved.roles ?? {}) : [];
}

/** Whether a server, as it's known, has the channel and the roles that an interaction names. */
export function knowsAllNamed({ channels, roles }: Server, raw: APIInteraction): boolean {
  const { channel, member } = raw;
  // Not all threads are listed, and they have the permissions of their channels.
  const isThread = channel !== undefined && 'thread_metadata' in channel;
  const listed = (isThread ? channel.parent_id : channel?.id) ?? undefined;
  const isChannelKnown = listed === undefined || channels.has(listed);
  return isChannelKnown && [...(member?.roles ?? []), ...chosenRoles(raw)].every((role) => roles.has(role));
}
