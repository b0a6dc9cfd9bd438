import { DiscordSnowflake } from '@sapphire/snowflake';
import type { APIInteraction } from 'discord-api-types/v10';
import type { Coordination } from '../../../coordination/index.ts';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import { inTime } from '../../../lib/in-time.ts';
import type { Records } from '../../../store/index.ts';
import { tokenLifetime } from '../api/interaction-token.ts';

/** Milliseconds for the database to say whether another process has taken an interaction. */
const patience = 1_000;
/** Between looks at the process that has taken an interaction, in milliseconds: Discord waits for three seconds. */
const looks = [100, 150, 250, 400, 600];
/** Milliseconds after which an interaction has been recorded or answered, or its person was told. */
const openFor = 5_000;

export interface ClaimsDependencies {
  readonly records: Pick<Records, 'add' | 'get' | 'change' | 'range'>;
  readonly coordination: Pick<Coordination, 'process' | 'slots' | 'others'>;
  /** An interaction that came over HTTP, as it was sent. */
  readonly rawOf: (id: string) => APIInteraction | undefined;
  readonly clock: Clock;
}

interface Claim {
  readonly process: string;
  /** What came over HTTP, for another process to handle it. */
  readonly raw?: APIInteraction;
}

/**
 * Which process handles an interaction. A claim is the first that's on record of it, before it's acknowledged: if its
 * process dies then, another one to which it came, too, or that finds it on record, handles it instead. Should both do
 * that, Discord takes one response, a command is recorded once, and a press that was acknowledged isn't handled again.
 */
export class Claims {
  readonly #dependencies: ClaimsDependencies;
  /** Taken from processes that died. */
  readonly #inherited = new BoundedMap<string, true>({ most: 2_000 });

  constructor(dependencies: ClaimsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Whether this process handles an interaction. One that's alone knows that by itself. Without the database it's taken: a
   * command then finds out, and says so.
   */
  async take(id: string): Promise<boolean> {
    const { records, coordination, rawOf, clock } = this.#dependencies;
    if (!coordination.slots) return true;
    if (this.isInherited(id)) return true;
    const raw = rawOf(id);
    const claim: Claim = { process: coordination.process, ...(raw && { raw }) };
    const isFirst = records.add(keyOf(id), claim, tokenLifetime).catch(() => true);
    return inTime(clock, patience, isFirst, true);
  }

  /** An earlier process received it, or missed it. Among several each interaction is somebody's on record. */
  inherit(id: string): void {
    if (!this.#dependencies.coordination.slots) this.#inherited.set(id, true);
  }

  /** Whether another process had it, and may have recorded or answered it. */
  isInherited(id: string): boolean {
    return this.#inherited.has(id);
  }

  /** Waits by while another process handles an interaction; true if that one dies, and it's this one's now. */
  async inherits(id: string): Promise<boolean> {
    const { records, coordination, clock } = this.#dependencies;
    for (const wait of looks) {
      await sleep(clock, wait);
      const claim = await records.get<Claim>(keyOf(id));
      // Taken meanwhile, as one of those that a dead process left.
      if (claim?.process === coordination.process) return this.isInherited(id);
      if (claim?.process === undefined) return false;
      if (!(await coordination.others.isPresent(claim.process))) return this.#takeFrom(claim.process, id);
    }
    return false;
  }

  /** Takes the interactions that a process had just claimed when it died. */
  async inheritFrom(process: string): Promise<readonly APIInteraction[]> {
    const { records, clock } = this.#dependencies;
    const oldest = DiscordSnowflake.generate({ timestamp: clock.now() - openFor });
    const claims = await records.range<Claim>(keyOf(String(oldest)), keyOf(newest));
    const inherited: APIInteraction[] = [];
    for (const { process: holder, raw } of claims) {
      if (holder === process && raw && (await this.#takeFrom(process, raw.id))) inherited.push(raw);
    }
    return inherited;
  }

  async #takeFrom(process: string, id: string): Promise<boolean> {
    const { records, coordination } = this.#dependencies;
    const own: Claim = { process: coordination.process };
    const taken = await records.change<Claim>(keyOf(id), tokenLifetime, (before) =>
      before?.process === process ? own : undefined,
    );
    if (taken) this.#inherited.set(id, true);
    return taken !== undefined;
  }
}

/** No interaction has a larger id. */
const newest = '9'.repeat(20);

function keyOf(id: string): string {
  return `interaction ${id}`;
}
