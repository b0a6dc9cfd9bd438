import { GatewayDispatchEvents, type GatewayDispatchPayload } from 'discord-api-types/v10';
import type { Coordination } from '../../../coordination/index.ts';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { type Clock, inTime, untilDone, type Waits } from '../../../lib/clock.ts';
import { PlatformError, refusalOf } from '../../../port/index.ts';
import type { DiscordApi } from '../api/api.ts';
import { isOutside } from '../api/errors.ts';
import { areSnowflakes } from '../api/messages.ts';
import { KnownServers, shardOf } from './known-servers.ts';
import { type Channel, isThreadType, type Server } from './server.ts';

/** Servers that are kept of those that the gateway doesn't tell about, each with its channels and roles: about 25 kB. */
const most = 200;
/** Milliseconds for which what was asked is taken for true. */
export const freshFor = 5 * 60_000;
/** The same where an interaction names a role or channel that wasn't there: it's new. */
const outdatedFor = 5_000;
/** Milliseconds that somebody waits for it: a command has to be answered within three seconds. */
export const patience = 1_000;
/** Between tries for somebody who waits until it's known, in milliseconds. */
const waits: Waits = { first: 1_000, longest: 60_000 };
/** How often a server is asked for whose events came meanwhile. */
const maxTries = 3;
/** Said with the id of a server, and of roles that somebody chose there. */
const topic = 'discord roles chosen';

export interface ServersDependencies {
  readonly api: Pick<DiscordApi, 'server' | 'channel'>;
  /** The bot's own id; undefined before Discord has told it. */
  readonly me: () => string | undefined;
  /** Whether the gateway tells this process what happens in a server. */
  readonly isTold: (serverId: string) => boolean;
  /** The bot is in a server: at the start, after an outage, or because it was invited. */
  readonly onServer: (server: Server) => void;
  /** With the other processes of the bot. */
  readonly coordination: Pick<Coordination, 'signals'>;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/** Where a message was written. */
interface MessagePlace {
  readonly serverId: string;
  readonly channelId: string;
  /** The channel's, where Discord tells it. */
  readonly type: number | undefined;
}

/** A server that Discord is being asked for. */
interface Asking {
  done: Promise<void>;
  /** An event came meanwhile: the answer may be older. */
  isOutdated: boolean;
}

/**
 * The servers that the bot is in: known from the gateway's events, else by requests when something happens there. A
 * session that was resumed says nothing of the servers that it had told another process about, so they are asked for
 * once; where no gateway tells what changes, they are asked for anew after a while.
 */
export class Servers {
  readonly #dependencies: ServersDependencies;
  readonly #known: KnownServers;
  /** When each was asked for that the gateway doesn't tell about, by the steady clock; those without the bot, too. */
  readonly #askedAt = new BoundedMap<string, number>({ most });
  readonly #underWay = new Map<string, Asking>();
  /** What is asked for until it's known, by the id of a server or channel. */
  readonly #sought = new Map<string, Promise<void>>();
  readonly #closed = new AbortController();
  readonly #unheard: () => void;

  constructor(dependencies: ServersDependencies) {
    this.#dependencies = dependencies;
    this.#known = new KnownServers(dependencies.me, (id) => {
      const asking = this.#underWay.get(id);
      if (asking) asking.isOutdated = true;
    });
    this.#unheard = dependencies.coordination.signals.on(topic, (text) => {
      const [id = '', ...roles] = text.split(' ');
      if (this.server(id) && !this.hasRoles(id, roles)) this.#askedAt.delete(id);
    });
  }

  close(): void {
    this.#unheard();
    this.#closed.abort();
  }

  /** A server the bot is in, as far as it's known. */
  server(id: string): Server | undefined {
    return this.#known.server(id);
  }

  /** A channel or thread of such a server. */
  channel(id: string): Channel | undefined {
    return this.#known.channel(id);
  }

  /** The threads of a channel, as far as they're known. */
  threadsOf(channelId: string): readonly string[] {
    return this.#known.threadsOf(channelId);
  }

  /** Whether the bot is known to be in a server. */
  isMember(id: string): boolean {
    return this.#known.has(id);
  }

  /** Whether Discord has said that the bot isn't in a server: one that isn't known may be one that it's in. */
  isOutside(id: string): boolean {
    return !this.isMember(id) && this.#askedAt.has(id);
  }

  /** Whether all of these are roles of a server, as far as that's known. */
  hasRoles(id: string, roles: readonly string[]): boolean {
    const known = this.server(id)?.roles;
    return roles.every((role) => known?.has(role) === true);
  }

  /** The servers from which the bot was taken while no session told of it, as far as they were known: a new one lists the rest. */
  leftBy({ t, d }: GatewayDispatchPayload): readonly string[] {
    return t === GatewayDispatchEvents.Ready ? this.#known.missingFrom(d.guilds, d.shard) : [];
  }

  /** A shard has come from another process, or goes to one: what's known of its servers is old, or gets so. */
  forgetShard(id: number, count: number): void {
    for (const server of [...this.#known.ids(), ...this.#askedAt.keys(), ...this.#underWay.keys()]) {
      if (shardOf(server, count) !== id) continue;
      this.#known.forget(server);
      this.#askedAt.delete(server);
    }
  }

  /** Takes in what an event of the gateway tells. Throws where it can't be read. */
  apply(event: GatewayDispatchPayload): void {
    this.#known.apply(event);
    const isNew = event.t === GatewayDispatchEvents.GuildCreate && !event.d.unavailable;
    const server = isNew ? this.server(event.d.id) : undefined;
    if (server) this.#dependencies.onServer(server);
  }

  /**
   * Asks Discord for a server that isn't known, or may have changed, unless that was done just now. What takes too long is
   * known the next time. `isUpToDate`: whether what's known has all that was named there.
   */
  async learn(id: string, isUpToDate: (known: Server) => boolean = () => true): Promise<void> {
    if (!areSnowflakes(id) || (this.isMember(id) && this.#dependencies.isTold(id))) return;
    const known = this.server(id);
    if (this.#wasAskedWithin(id, known && !isUpToDate(known) ? outdatedFor : freshFor)) return;
    await inTime(this.#dependencies.clock, patience, this.#ask(id), undefined);
  }

  /**
   * Finds out where a message was written, however long that takes: taken for another place, it would have other
   * settings. Never settles if the process stops first: the next one gets the message again.
   * @returns whether the bot is there.
   */
  async find({ serverId, channelId, type }: MessagePlace): Promise<boolean> {
    if (this.server(serverId) || this.#wasAskedWithin(serverId, freshFor)) await this.learn(serverId);
    else await this.#untilKnown(serverId, () => this.#askForServer(serverId));
    if (!this.server(serverId)) return false;
    const mayBeThread = type === undefined || isThreadType(type);
    if (!mayBeThread || this.channel(channelId)) return true;
    await this.#untilKnown(channelId, () => this.#askForChannel(serverId, channelId));
    if (this.channel(channelId)) return true;
    // Its shard went meanwhile, and what was known with it.
    return this.server(serverId) === undefined && this.find({ serverId, channelId, type });
  }

  /**
   * Tells all processes which roles somebody chose in a server. One that asked before a role was made would take its id
   * for a person's.
   */
  async tell(id: string, roles: readonly string[]): Promise<void> {
    const { coordination, log } = this.#dependencies;
    const said = coordination.signals.send(topic, [id, ...roles].join(' '));
    await said.catch((error: unknown) => log.warn({ error }, 'could not tell other processes of a role'));
  }

  #wasAskedWithin(id: string, milliseconds: number): boolean {
    const askedAt = this.#askedAt.get(id);
    return askedAt !== undefined && this.#dependencies.clock.steady() - askedAt < milliseconds;
  }

  /** Asks until there is an answer, once for all who wait for it. */
  #untilKnown(id: string, ask: () => Promise<void>): Promise<void> {
    const underWay = this.#sought.get(id);
    if (underWay) return underWay;
    const { signal } = this.#closed;
    const sought = untilDone(ask, { clock: this.#dependencies.clock, waits, signal })
      // The process stops: nothing may come of what waits.
      .catch(() => new Promise<never>(() => {}))
      .finally(() => this.#sought.delete(id));
    this.#sought.set(id, sought);
    return sought;
  }

  /** Throws where it's still not known whether the bot is there. */
  async #askForServer(id: string): Promise<void> {
    await this.#ask(id);
    if (!this.server(id) && !this.isOutside(id)) throw new PlatformError('unreachable');
  }

  /** A thread that isn't among the server's active ones has been archived. What Discord refuses isn't there for the bot. */
  async #askForChannel(serverId: string, id: string): Promise<void> {
    try {
      const data = await this.#dependencies.api.channel(id);
      if (!this.channel(id)) this.#known.keepChannel(serverId, data);
    } catch (error) {
      if (refusalOf(error)) return;
      this.#dependencies.log.warn({ error, channel: id }, 'could not ask Discord for a channel');
      throw error;
    }
  }

  #ask(id: string): Promise<void> {
    const underWay = this.#underWay.get(id);
    if (underWay) return underWay.done;
    const asking: Asking = { done: Promise.resolve(), isOutdated: false };
    this.#underWay.set(id, asking);
    asking.done = this.#askUntilCurrent(id, asking).finally(() => this.#underWay.delete(id));
    return asking.done;
  }

  async #askUntilCurrent(id: string, asking: Asking): Promise<void> {
    const { api, me, isTold, onServer, clock, log } = this.#dependencies;
    const botId = me();
    try {
      for (let tries = 1; botId !== undefined; tries++) {
        asking.isOutdated = false;
        const data = await api.server(id, botId);
        // The gateway has sent it meanwhile.
        if (isTold(id) && this.server(id)) return;
        if (isTold(id) && asking.isOutdated && tries < maxTries) continue;
        if (!isTold(id)) this.#askedAt.set(id, clock.steady());
        this.#forgetOthers();
        const server = this.#known.keep(data);
        return server && onServer(server);
      }
    } catch (error) {
      if (!isOutside(error)) return log.warn({ error, guild: id }, 'could not ask Discord for a server');
      this.#known.forget(id);
      this.#askedAt.set(id, clock.steady());
    }
  }

  #forgetOthers(): void {
    for (const id of this.#known.ids())
      if (!this.#askedAt.has(id) && !this.#dependencies.isTold(id)) this.#known.forget(id);
  }
}
