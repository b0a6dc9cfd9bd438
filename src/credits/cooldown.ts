import type { Caller } from '../port/index.ts';
import type { PaidOperation } from '../service-rules/prices.ts';
import type { Database } from '../store/index.ts';

/** How long a person waits between two calls of the same kind. */
export interface Cooldown {
  readonly milliseconds: number;
  /** Where their calls count. */
  readonly within: 'platform' | 'workspace' | 'channel';
}

/** A person has used a command too short a time ago. Nothing was sent, and nothing was spent. */
export class CooldownError extends Error {
  readonly kind: PaidOperation;
  /** How long they have to wait now, in milliseconds. */
  readonly left: number;

  constructor(kind: PaidOperation, left: number) {
    super(`the cooldown of ${kind} isn't over`);
    this.name = 'CooldownError';
    this.kind = kind;
    this.left = left;
  }
}

/** A call about to be recorded, or to be admitted: then it has no job yet. */
interface Next {
  readonly kind: PaidOperation;
  readonly job?: string;
}

/**
 * Checks by the ledger how long ago a caller's last call of a kind began; those of the same job count as one, and what cost
 * nothing as none. In the transaction that records the call, no two at the same time pass.
 * @throws {CooldownError}
 */
export async function requireCooledDown(
  database: Database,
  { milliseconds, within }: Cooldown,
  { address: { platform, workspace, channel }, requester }: Caller,
  { kind, job }: Next,
  now: number,
): Promise<void> {
  const last = await database
    .selectFrom('ledger')
    .select('created_at')
    .where('platform', '=', platform)
    .where('person', '=', requester.id)
    .where('created_at', '>', now - milliseconds)
    // The clock may have been ahead, or another process's is a little.
    .where('created_at', '<', now + milliseconds)
    .where('kind', '=', kind)
    .where('state', '<>', 'failed')
    .$if(within !== 'platform', (rows) => rows.where('workspace', '=', workspace))
    .$if(within === 'channel', (rows) => rows.where('channel', '=', channel))
    .$if(job !== undefined, (rows) => rows.where('job', '<>', job ?? ''))
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last) throw new CooldownError(kind, Math.min(Number(last.created_at) - now, 0) + milliseconds);
}
