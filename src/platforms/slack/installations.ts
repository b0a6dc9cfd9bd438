import type { Memory } from './memory.ts';

/** The app in one workspace, or in all workspaces of an organization. The token never leaves this store. */
export interface Installation {
  readonly token: string;
  readonly botUser: string;
  readonly botId?: string;
  /** Absent for an organization. */
  readonly team?: { readonly id: string; readonly name: string };
  readonly enterprise?: { readonly id: string; readonly name: string };
  readonly scopes: readonly string[];
  readonly installedBy: string;
  /** Milliseconds since the epoch. */
  readonly installedAt: number;
}

/** Which workspace something is about, and which organization that belongs to. */
export interface Whereabouts {
  readonly team?: string | undefined;
  readonly enterprise?: string | undefined;
}

/** Where the app is installed, in the database. */
export class Installations {
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  async save(installation: Installation): Promise<void> {
    const { team, enterprise } = installation;
    const key = team ? teamKey(team.id) : enterpriseKey(enterprise?.id ?? '');
    await this.#memory.set(key, installation);
  }

  /** The workspace's own installation, or its organization's. */
  async find({ team, enterprise }: Whereabouts): Promise<Installation | undefined> {
    const own = team === undefined ? undefined : await this.ofTeam(team);
    if (own) return own;
    // A payload may name an organization where it names workspaces elsewhere.
    if (team?.startsWith('E')) return this.ofEnterprise(team);
    const organization =
      enterprise ?? (team === undefined ? undefined : await this.#memory.get<string>(memberKey(team)));
    if (organization === undefined) return undefined;
    if (team !== undefined && enterprise !== undefined) await this.#memory.set(memberKey(team), enterprise);
    return this.ofEnterprise(organization);
  }

  /** A workspace's own installation. */
  ofTeam(team: string): Promise<Installation | undefined> {
    return this.#memory.get<Installation>(teamKey(team));
  }

  /** The installation of an organization as a whole. */
  ofEnterprise(enterprise: string): Promise<Installation | undefined> {
    return this.#memory.get<Installation>(enterpriseKey(enterprise));
  }

  /** Forgets an installation, unless another has taken its place. */
  async remove({ team, enterprise, token }: Installation): Promise<void> {
    const key = team ? teamKey(team.id) : enterpriseKey(enterprise?.id ?? '');
    const kept = await this.#memory.get<Installation>(key);
    if (kept?.token === token) await this.#memory.delete(key);
  }

  /** Forgets which organization workspaces belong to: its installation is theirs no longer. */
  async leave(teams: readonly string[]): Promise<void> {
    for (const team of teams) await this.#memory.delete(memberKey(team));
  }
}

const teamKey = (id: string) => `installation team ${id}`;
const enterpriseKey = (id: string) => `installation enterprise ${id}`;
/** Which organization a workspace belongs to, for posts after a restart, when no event tells. */
const memberKey = (id: string) => `installation member ${id}`;
