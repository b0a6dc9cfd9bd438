import type { APIGuild, APIOverwrite } from 'discord-api-types/v10';

/** A channel or thread as Discord sends it, over the gateway and over HTTP. */
export interface ChannelData {
  readonly id: string;
  readonly type: number;
  readonly flags?: number | undefined;
  readonly name?: string | null;
  readonly parent_id?: string | null | undefined;
  /** Who opened a thread. */
  readonly owner_id?: string | undefined;
  readonly position?: number;
  readonly permission_overwrites?: readonly APIOverwrite[] | undefined;
  readonly thread_metadata?: { readonly archived?: boolean; readonly locked?: boolean } | undefined;
  /** The bot's own membership of a thread. */
  readonly member?: unknown;
}

/** A member as Discord sends it. */
export interface MemberData {
  readonly roles: readonly string[];
  readonly nick?: string | null;
  readonly communication_disabled_until?: string | null;
}

/** A server as Discord sends it when the bot logs in; over HTTP it comes in parts. */
export interface ServerData extends Pick<
  APIGuild,
  'id' | 'owner_id' | 'system_channel_id' | 'rules_channel_id' | 'preferred_locale' | 'premium_tier' | 'roles'
> {
  readonly name?: string;
  readonly member_count?: number;
  readonly joined_at: string;
  readonly channels: readonly ChannelData[];
  readonly threads: readonly ChannelData[];
  readonly members: readonly (MemberData & { readonly user: { readonly id: string } })[];
}
