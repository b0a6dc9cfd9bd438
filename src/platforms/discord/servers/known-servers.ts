import { GatewayDispatchEvents, type GatewayDispatchPayload } from 'discord-api-types/v10';
import type { ChannelData, ServerData } from '../api/api.ts';
import {
  type Channel,
  isThreadType,
  ownFields,
  readChannel,
  readMember,
  readRole,
  readServer,
  type Server,
} from './server.ts';

/** Archived threads that are kept, those that were archived last: most are never looked up again. */
const mostArchived = 2_000;

type Name = GatewayDispatchPayload['t'];
type Readers = {
  readonly [N in Name]?: (data: Extract<GatewayDispatchPayload, { readonly t: N }>['d']) => void;
};

/** What's known of servers, their channels, threads and roles, as the gateway's events change it. */
export class KnownServers {
  readonly #me: () => string | undefined;
  readonly #onChange: (serverId: string) => void;
  readonly #servers = new Map<string, Server>();
  /** By the ids of their channels and threads. */
  readonly #byChannel = new Map<string, Server>();
  /** Servers that the bot is in, whose data the gateway is about to send, or sends after an outage. */
  readonly #awaited = new Set<string>();
  /** Threads, those that were archived last at the end. */
  readonly #archived = new Set<string>();

  /** `me`: the bot's own id; undefined before Discord has told it. `onChange`: something happened in a server. */
  constructor(me: () => string | undefined, onChange: (serverId: string) => void) {
    this.#me = me;
    this.#onChange = onChange;
  }

  server(id: string): Server | undefined {
    return this.#servers.get(id);
  }

  channel(id: string): Channel | undefined {
    return this.#byChannel.get(id)?.channels.get(id);
  }

  /** Whether the bot is in a server: it's known, or its data is to come. */
  has(id: string): boolean {
    return this.#servers.has(id) || this.#awaited.has(id);
  }

  ids(): Iterable<string> {
    return this.#servers.keys();
  }

  /** Takes in what an event tells. Throws where it can't be read. */
  apply({ t, d }: GatewayDispatchPayload): void {
    const read = this.#readers[t] as ((data: typeof d) => void) | undefined;
    read?.(d);
  }

  /** Keeps a server as a whole, instead of what was known of it. */
  keep(data: ServerData): Server | undefined {
    const me = this.#me();
    if (me === undefined) return undefined;
    const server = readServer(data, me);
    this.forget(data.id);
    this.#servers.set(server.id, server);
    for (const id of server.channels.keys()) this.#byChannel.set(id, server);
    return server;
  }

  /** Keeps one channel or thread of a server that's known. */
  keepChannel(serverId: string | undefined, data: ChannelData): void {
    const server = this.#in(serverId);
    if (!server) return;
    server.channels.set(data.id, readChannel(data, server));
    this.#byChannel.set(data.id, server);
  }

  forget(id: string): void {
    this.#awaited.delete(id);
    for (const channel of this.#in(id)?.channels.keys() ?? []) this.#drop(channel);
    this.#servers.delete(id);
  }

  readonly #readers: Readers = {
    [GatewayDispatchEvents.Ready]: ({ guilds, shard }) => this.#begin(guilds, shard),
    [GatewayDispatchEvents.GuildCreate]: (data) => {
      if (data.unavailable) this.#await(data.id);
      else this.keep(data);
    },
    [GatewayDispatchEvents.GuildUpdate]: (data) => {
      const server = this.#in(data.id);
      if (!server) return;
      Object.assign(server, ownFields(data));
      server.roles.clear();
      for (const role of data.roles) server.roles.set(role.id, readRole(role));
    },
    [GatewayDispatchEvents.GuildDelete]: ({ id, unavailable }) => {
      if (unavailable) this.#await(id);
      else this.forget(id);
    },
    [GatewayDispatchEvents.GuildRoleCreate]: ({ guild_id, role }) => {
      this.#in(guild_id)?.roles.set(role.id, readRole(role));
    },
    [GatewayDispatchEvents.GuildRoleUpdate]: ({ guild_id, role }) => {
      this.#in(guild_id)?.roles.set(role.id, readRole(role));
    },
    [GatewayDispatchEvents.GuildRoleDelete]: ({ guild_id, role_id }) => {
      this.#in(guild_id)?.roles.delete(role_id);
    },
    [GatewayDispatchEvents.GuildMemberUpdate]: (data) => {
      const server = data.user.id === this.#me() && this.#in(data.guild_id);
      if (server) server.me = readMember(data.user.id, data);
    },
    [GatewayDispatchEvents.ChannelCreate]: (data) => this.keepChannel(data.guild_id, data),
    [GatewayDispatchEvents.ChannelUpdate]: (data) => {
      if ('guild_id' in data) this.keepChannel(data.guild_id, data);
    },
    [GatewayDispatchEvents.ChannelDelete]: (data) => {
      if ('guild_id' in data) this.#forgetChannel(data.guild_id, data.id);
    },
    [GatewayDispatchEvents.ThreadCreate]: (data) => this.#keepThread(data.guild_id, data),
    [GatewayDispatchEvents.ThreadUpdate]: (data) => {
      if ('guild_id' in data) this.#keepThread(data.guild_id, data);
    },
    [GatewayDispatchEvents.ThreadDelete]: ({ guild_id, id }) => this.#forgetChannel(guild_id, id),
    [GatewayDispatchEvents.ThreadListSync]: ({ guild_id, channel_ids: parents, threads, members }) => {
      for (const { id, type, parentId = '' } of this.#in(guild_id)?.channels.values() ?? [])
        if (isThreadType(type) && (parents?.includes(parentId) ?? true)) this.#drop(id);
      for (const thread of threads) this.keepChannel(guild_id, thread);
      for (const { id } of members) this.#join(guild_id, id, true);
    },
    // A private thread that it's added to comes by THREAD_CREATE, with its membership.
    [GatewayDispatchEvents.ThreadMembersUpdate]: ({ guild_id, id, removed_member_ids: removed = [] }) => {
      const me = this.#me();
      if (removed.some((one) => one === me)) this.#join(guild_id, id, false);
    },
    // Its own membership, of a thread that's unarchived: THREAD_UPDATE, right before, says nothing of it.
    [GatewayDispatchEvents.ThreadMemberUpdate]: ({ guild_id, id }) => this.#join(guild_id, id, true),
  };

  /** A new session: these servers' data follows, one after the other. The bot was taken out of others meanwhile. */
  #begin(servers: readonly { readonly id: string }[], shard?: readonly [number, number]): void {
    for (const id of this.missingFrom(servers, shard)) this.forget(id);
    for (const { id } of servers) this.#await(id);
  }

  /** The servers that a shard told about and that its new session doesn't list, not even as those in an outage. */
  missingFrom(
    servers: readonly { readonly id: string }[],
    [shard, count]: readonly [number, number] = [0, 1],
  ): readonly string[] {
    const listed = new Set(servers.map(({ id }) => id));
    const known = new Set([...this.#servers.keys(), ...this.#awaited]);
    return [...known].filter((id) => shardOf(id, count) === shard && !listed.has(id));
  }

  /** A server is in an outage, or its data is to come. What was known of it counts until then. */
  #await(id: string): void {
    this.#awaited.add(id);
    const server = this.#in(id);
    if (server) server.available = false;
  }

  #keepThread(serverId: string | undefined, data: ChannelData): void {
    const wasJoined = this.channel(data.id)?.joined === true;
    this.keepChannel(serverId, data);
    if (wasJoined) this.#join(serverId, data.id, true);
    this.#archived.delete(data.id);
    if (data.thread_metadata?.archived) this.#archived.add(data.id);
    if (this.#archived.size <= mostArchived) return;
    const [oldest = ''] = this.#archived;
    this.#drop(oldest);
  }

  /** A channel goes with its threads. */
  #forgetChannel(serverId: string | undefined, id: string): void {
    this.#in(serverId);
    for (const one of [id, ...this.threadsOf(id)]) this.#drop(one);
  }

  /** The threads of a channel. */
  threadsOf(channelId: string): readonly string[] {
    const channels = [...(this.#byChannel.get(channelId)?.channels.values() ?? [])];
    const threads = channels.filter(({ parentId, type }) => parentId === channelId && isThreadType(type));
    return threads.map(({ id }) => id);
  }

  #drop(channelId: string): void {
    this.#byChannel.get(channelId)?.channels.delete(channelId);
    this.#byChannel.delete(channelId);
    this.#archived.delete(channelId);
  }

  #join(serverId: string | undefined, threadId: string | undefined, joined: boolean): void {
    const thread = this.#in(serverId)?.channels.get(threadId ?? '');
    if (thread) thread.joined = joined;
  }

  /** A server in which something changes. */
  #in(id: string | undefined): Server | undefined {
    if (id === undefined) return undefined;
    this.#onChange(id);
    return this.#servers.get(id);
  }
}

/** Which shard gets a server's events (events/gateway, sharding). */
export function shardOf(serverId: string, count: number): number {
  return Number((BigInt(serverId) >> 22n) % BigInt(count));
}
