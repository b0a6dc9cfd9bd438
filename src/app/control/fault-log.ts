import type { Clock } from '../../lib/clock.ts';
import type { CommandEnd, Fault, Job } from '../../port/index.ts';
import type { Records } from '../../store/index.ts';

/** Faults that are kept of each process: then the oldest is deleted. */
const mostKept = 100;
/** Faults that are read and listed, of all processes. */
const mostListed = 50;
/** How long a fault is kept, in milliseconds. */
const life = 7 * 86_400_000;
/** How long faults are gathered before they're written, in milliseconds: in a storm, the database has enough to do. */
const gathered = 500;

interface FaultLogDependencies {
  readonly keyv: Pick<Records, 'set' | 'delete' | 'range'>;
  /** This process's id. */
  readonly process: string;
  readonly clock: Pick<Clock, 'now' | 'after'>;
}

/**
 * The latest faults of all processes, for the control room: a hundred of each process, for a week. Each has the job's id and
 * the service's of its request, and nothing of what people wrote; the log says more.
 */
export class FaultLog {
  readonly #dependencies: FaultLogDependencies;
  /** What isn't written yet, by the job's id. */
  readonly #pending = new Map<string, Fault>();
  /** Keys of this process's, the oldest first. */
  readonly #written: string[] = [];
  #count = 0;
  #cancel: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(dependencies: FaultLogDependencies) {
    this.#dependencies = dependencies;
  }

  /** A command failed with this error, which may be told before its end is. */
  failed(job: Job, error: unknown): void {
    const { name, code, status, requestId } = (error ?? {}) as Readonly<Record<string, unknown>>;
    const known = typeof code === 'string' ? code : status;
    this.#note(job, {
      what: typeof name === 'string' ? name : typeof error,
      ...((typeof known === 'string' || typeof known === 'number') && { code: String(known).slice(0, 64) }),
      ...(typeof requestId === 'string' && { request: requestId.slice(0, 128) }),
    });
  }

  /** A command has ended. Of one that failed it's known why, unless {@link failed} has told more. */
  ended(job: Job, { outcome, reason }: CommandEnd): void {
    if (outcome !== 'failed' && outcome !== 'uncertain') return;
    if (!this.#pending.has(job.id)) this.#note(job, { what: reason || outcome });
  }

  /** The newest first. */
  async latest(): Promise<readonly Fault[]> {
    const kept = await this.#dependencies.keyv.range<Fault>('', '\uffff', mostListed);
    const all = new Map([...kept, ...this.#pending.values()].map((fault) => [fault.id, fault]));
    return [...all.values()].sort((one, other) => other.at - one.at).slice(0, mostListed);
  }

  /** Writes what isn't yet. */
  async close(): Promise<void> {
    this.#cancel?.();
    this.#write();
    await this.#writing;
  }

  #note({ id, command, address: { platform, workspace } }: Job, what: Pick<Fault, 'what'>): void {
    const { clock } = this.#dependencies;
    this.#pending.set(id, { id, at: clock.now(), command, platform, workspace, ...what });
    const [oldest = ''] = this.#pending.keys();
    if (this.#pending.size > mostKept) this.#pending.delete(oldest);
    this.#cancel ??= clock.after(gathered, () => this.#write());
  }

  #write(): void {
    const { keyv, process } = this.#dependencies;
    this.#cancel = undefined;
    const faults = [...this.#pending.values()];
    this.#pending.clear();
    this.#writing = this.#writing.then(async () => {
      for (const fault of faults) {
        const key = `${newestFirst(fault.at)} ${process} ${this.#count++}`;
        this.#written.push(key);
        const outdated = this.#written.length > mostKept ? this.#written.shift() : undefined;
        // Without the database there's only the log.
        await keyv.set(key, fault, life).catch(() => {});
        if (outdated !== undefined) await keyv.delete(outdated).catch(() => {});
      }
    });
  }
}

/** A later moment comes first in the order of keys. */
function newestFirst(at: number): string {
  return String(Number.MAX_SAFE_INTEGER - at).padStart(16, '0');
}
