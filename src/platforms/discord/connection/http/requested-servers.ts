import type { Client, Guild } from 'discord.js';
import type { Coordination } from '../../../../coordination/index.ts';
import { BoundedMap } from '../../../../lib/bounded-map.ts';
import type { Clock } from '../../../../lib/clock.ts';
import { inTime } from '../../../../lib/in-time.ts';
import { PlatformError } from '../../../../port/index.ts';
import type { DiscordApi } from '../../api/api.ts';
import type { Log } from '../log.ts';

/** Servers that are kept, each with its channels and roles: about 100 kB. */
const most = 200;
/** Milliseconds for which what was asked is taken for true. */
const freshFor = 5 * 60_000;
/** The same where an interaction names a role or channel that wasn't there: it's new. */
const outdatedFor = 5_000;
/** Milliseconds that somebody waits for it: a command has to be answered within three seconds. */
const patience = 1_000;
/** Said with the id of a server, and of roles that somebody chose there. */
const topic = 'discord roles chosen';

export interface RequestedServersDependencies {
  readonly api: Pick<DiscordApi, 'server'>;
  readonly client: () => Client<true> | undefined;
  /** The bot is in a server. */
  readonly onServer: (guild: Guild) => void;
  /** With the other processes of the bot. */
  readonly coordination: Pick<Coordination, 'signals'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

/** The library's own way to take in what Discord says of a server, which its types don't show. */
interface Servers {
  _add(data: object): Guild;
}

/**
 * The servers that no gateway connection of this process tells about: asked for when something happens there, with their
 * channels, roles and the bot's own membership, and kept in the library's form for a while.
 */
export class RequestedServers {
  readonly #dependencies: RequestedServersDependencies;
  /** When each was asked for, by the steady clock; those without the bot, too. */
  readonly #askedAt = new BoundedMap<string, number>({ most });
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #unheard: () => void;

  constructor(dependencies: RequestedServersDependencies) {
    this.#dependencies = dependencies;
    this.#unheard = dependencies.coordination.signals.on(topic, (text) => {
      const [id = '', ...roles] = text.split(' ');
      const guild = this.guild(id);
      if (guild && !hasRoles(guild, roles)) this.#askedAt.delete(id);
    });
  }

  close(): void {
    this.#unheard();
  }

  /** A server the bot is in, as far as it's known. */
  guild(id: string): Guild | undefined {
    return this.#dependencies.client()?.guilds.cache.get(id);
  }

  /** A channel or thread of such a server. */
  channel(id: string) {
    return this.#dependencies.client()?.channels.cache.get(id);
  }

  /**
   * Asks Discord for a server, unless that was done just now. What takes too long is known the next time. `isUpToDate`:
   * whether what's known has all that was named there.
   */
  async learn(id: string, isUpToDate: (guild: Guild) => boolean = () => true): Promise<void> {
    const { clock } = this.#dependencies;
    const askedAt = this.#askedAt.get(id);
    const guild = this.guild(id);
    const life = guild && !isUpToDate(guild) ? outdatedFor : freshFor;
    if (askedAt !== undefined && clock.steady() - askedAt < life) return;
    const asking = this.#underWay.get(id) ?? this.#ask(id).finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, asking);
    await inTime(clock, patience, asking, undefined);
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

  async #ask(id: string): Promise<void> {
    const { api, client, clock, onServer, log } = this.#dependencies;
    const library = client();
    if (!library) return;
    try {
      const server = await api.server(id, library.user.id);
      forget(library, id);
      const guild = (library.guilds as unknown as Servers)._add(server);
      this.#askedAt.set(id, clock.steady());
      this.#forgetOthers(library);
      onServer(guild);
    } catch (error) {
      if (!isOutside(error)) return log.warn({ error, guild: id }, 'could not ask Discord for a server');
      forget(library, id);
      this.#askedAt.set(id, clock.steady());
    }
  }

  #forgetOthers(library: Client<true>): void {
    for (const id of library.guilds.cache.keys()) if (!this.#askedAt.has(id)) forget(library, id);
  }
}

export function hasRoles({ roles }: Guild, ids: readonly string[]): boolean {
  return ids.every((id) => roles.cache.has(id));
}

function forget({ guilds, channels }: Client<true>, id: string): void {
  for (const channel of guilds.cache.get(id)?.channels.cache.keys() ?? []) channels.cache.delete(channel);
  guilds.cache.delete(id);
}

function isOutside(error: unknown): boolean {
  return error instanceof PlatformError && (error.kind === 'not-a-member' || error.kind === 'gone');
}
