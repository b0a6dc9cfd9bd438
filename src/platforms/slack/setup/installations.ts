import type { Signals } from '../../../coordination/index.ts';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Clock } from '../../../lib/clock.ts';
import { DamagedError, Vault } from '../../../secrets/vault.ts';
import type { KeyValueStore, Records } from '../../../store/index.ts';

/** The app in one workspace, or in all workspaces of an organization. Its token is sealed in the database. */
export interface Installation {
  readonly token: string;
  readonly botUser: string;
  readonly botId?: string;
  readonly botName?: string;
  /** Absent for an organization. */
  readonly team?: { readonly id: string; readonly name: string };
  readonly enterprise?: { readonly id: string; readonly name: string };
  readonly scopes: readonly string[];
  readonly installedBy: string;
  /** Milliseconds since the epoch. */
  readonly installedAt: number;
}

/** A token, and what it's for: a workspace, or an organization. */
export interface Access {
  readonly token: string;
  readonly team?: { readonly id: string };
  readonly enterprise?: { readonly id: string };
}

/** A workspace, and the organization it belongs to. */
export interface InstallationScope {
  readonly team?: string | undefined;
  readonly enterprise?: string | undefined;
}

/** Where they're kept. */
type InstallationStore = KeyValueStore & Pick<Records, 'keysStartingWith'>;

/** Of how many of the app’s bots it's remembered where they are. */
const rememberedBots = 10_000;

/** Where the app is installed, in the database. */
export class Installations {
  readonly #store: InstallationStore;
  readonly #vault: Vault;
  readonly #onDamage: (error: DamagedError) => void;
  /** By bot user, of the installations that this process has read or saved: at its start it reads all of them. */
  readonly #placesOfBots = new BoundedMap<string, string>({ most: rememberedBots });

  /** `onDamage` gets the error of a damaged token: its workspace then counts as not installed. */
  constructor(store: InstallationStore, vault: Vault, onDamage: (error: DamagedError) => void = () => {}) {
    this.#store = store;
    this.#vault = vault;
    this.#onDamage = onDamage;
  }

  /**
   * Opens every token, and seals again what an earlier version stored unsealed or another key
   * sealed. Call it at start, before anything else reads.
   * @throws {VaultError} where another key sealed one; nothing is changed then.
   */
  async sealAll(): Promise<void> {
    const keys = await this.#store.keysStartingWith(allKeys);
    const kept = await Promise.all(keys.map(async (key) => [key, await this.#read(key)] as const));
    for (const [key, installation] of kept) {
      const stored = await this.#store.get<Installation>(key);
      if (installation && stored && !this.#vault.isCurrent(stored.token))
        await this.#write(key, installation);
    }
  }

  async save(installation: Installation): Promise<void> {
    await this.#write(keyOf(installation), installation);
  }

  /** Every installation. */
  async all(prefixes = allKeys): Promise<readonly Installation[]> {
    const keys = await this.#store.keysStartingWith(prefixes);
    const kept = await Promise.all(keys.map((key) => this.#read(key)));
    return kept.filter((installation) => installation !== undefined);
  }

  /** Every installation of a whole organization. */
  ofOrganizations(): Promise<readonly Installation[]> {
    return this.all([enterpriseKey('')]);
  }

  /** Who installed the app, and where; `at`: in this workspace, or in its organization. */
  async installers(at?: string) {
    const all = at === undefined ? await this.all() : [(await this.find({ team: at })) ?? []].flat();
    return all.flatMap(({ team, enterprise, installedBy: person }) => {
      const workspace = team?.id ?? enterprise?.id;
      return workspace === undefined || person === '' ? [] : [{ workspace, person }];
    });
  }

  /** The workspace's own installation, or its organization's. */
  async find({ team, enterprise }: InstallationScope): Promise<Installation | undefined> {
    const own = team === undefined ? undefined : await this.ofTeam(team);
    if (own) return own;
    // A payload may name an organization where others name a workspace.
    if (team?.startsWith('E')) return this.ofEnterprise(team);
    const organization =
      enterprise ?? (team === undefined ? undefined : await this.#store.get<string>(memberKey(team)));
    if (organization === undefined) return undefined;
    if (team !== undefined && enterprise !== undefined) await this.#store.set(memberKey(team), enterprise);
    return this.ofEnterprise(organization);
  }

  /** The workspace or organization whose bot a user is or was; undefined where that’s not in memory. */
  placeOfBot(user: string): string | undefined {
    return this.#placesOfBots.get(user);
  }

  /** A workspace's own installation. */
  ofTeam(team: string): Promise<Installation | undefined> {
    return this.#read(teamKey(team));
  }

  /** The installation of an organization as a whole. */
  ofEnterprise(enterprise: string): Promise<Installation | undefined> {
    return this.#read(enterpriseKey(enterprise));
  }

  /** Removes an installation, unless another has replaced it. @returns whether it did. */
  async remove(installation: Access): Promise<boolean> {
    const key = keyOf(installation);
    const kept = await this.#read(key);
    if (kept?.token !== installation.token) return false;
    await this.#store.delete(key);
    return true;
  }

  /** The workspaces that an organization's installation covers, as far as they're known: those without their own. */
  async coveredBy(enterprise: string): Promise<readonly string[]> {
    const members = await this.#store.keysStartingWith([memberKey('')]);
    const covered = await Promise.all(
      members.map(async (key) => {
        const team = key.slice(memberKey('').length);
        const isCovered = (await this.#store.get<string>(key)) === enterprise && !(await this.ofTeam(team));
        return isCovered ? [team] : [];
      }),
    );
    return covered.flat();
  }

  async #write(key: string, installation: Installation): Promise<void> {
    const token = this.#vault.seal(installation.token, `slack ${key}`);
    await this.#store.set(key, { ...installation, token });
    this.#noteBot(installation);
  }

  #noteBot({ botUser, team, enterprise }: Installation): void {
    this.#placesOfBots.set(botUser, team?.id ?? enterprise?.id ?? '');
  }

  async #read(key: string): Promise<Installation | undefined> {
    const kept = await this.#store.get<Installation>(key);
    if (kept) this.#noteBot(kept);
    if (!kept || !Vault.isSealed(kept.token)) return kept;
    try {
      return { ...kept, token: this.#vault.open(kept.token, `slack ${key}`) };
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error;
      this.#onDamage(error);
      return undefined;
    }
  }

  /** Forgets which organization workspaces belong to: its installation no longer covers them. */
  async leave(teams: readonly string[]): Promise<void> {
    for (const team of teams) await this.#store.delete(memberKey(team));
  }
}

function keyOf({ team, enterprise }: Access): string {
  return team ? teamKey(team.id) : enterpriseKey(enterprise?.id ?? '');
}

const teamKey = (id: string) => `installation team ${id}`;
const enterpriseKey = (id: string) => `installation enterprise ${id}`;
const allKeys = [teamKey(''), enterpriseKey('')];
/** Which organization a workspace belongs to, for posts after a restart, when no event says so. */
const memberKey = (id: string) => `installation member ${id}`;

/** Keys whose values are remembered, and how long for in milliseconds where the word of a change was lost. */
const remembered = { most: 1_000, milliseconds: 60_000 };
/** Some process has changed a value; the text is its key. */
const topic = 'slack installation';

/**
 * A store for what every call of Slack reads and hardly anything changes: it's read once, and again when any process of
 * the bot has changed it.
 */
export function rememberedStore(store: InstallationStore, signals: Signals, clock: Clock): InstallationStore {
  const reads = new BoundedMap<string, Promise<unknown>>({
    most: remembered.most,
    lifetime: { milliseconds: remembered.milliseconds, clock },
  });
  signals.on(topic, (key) => void reads.delete(key));
  const read = (key: string) => {
    const reading = store.get(key);
    reads.set(key, reading);
    reading.catch(() => reads.get(key) === reading && reads.delete(key));
    return reading;
  };
  /** Afterwards, so that nothing read in the meantime stays. */
  const changed = async (key: string) => {
    reads.delete(key);
    // Those that don't hear it read it again a while later.
    await signals.send(topic, key).catch(() => undefined);
  };
  return {
    keysStartingWith: (prefixes) => store.keysStartingWith(prefixes),
    get: <T>(key: string) => (reads.get(key) ?? read(key)) as Promise<T | undefined>,
    async set(key, value, lifetime) {
      await store.set(key, value, lifetime);
      await changed(key);
    },
    async delete(key) {
      const wasThere = await store.delete(key);
      await changed(key);
      return wasThere;
    },
  };
}
