import type { ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import type { Account, Accounts } from '../account.ts';
import type { FileStore } from '../files/files.ts';
import type { MeteredCall } from '../meter.ts';
import type { Studio } from '../tasks/studio.ts';
import { ApiError } from './api-error.ts';
import type { Parameters } from './parameters.ts';

/** What the endpoints share. */
export interface Dependencies {
  readonly clock: Clock;
  readonly accounts: Accounts;
  readonly files: FileStore;
  /** Loads the studio when it is first needed. */
  readonly studio: () => Promise<Studio>;
  /** Aborted when the sandbox closes. */
  readonly closing: AbortSignal;
  /** Gets what breaks inside the sandbox. */
  readonly report: (error: unknown) => void;
}

/** One authenticated request. */
export interface Call {
  readonly account: Account;
  readonly requestId: string;
  readonly conversation: string | undefined;
  /** Scheme and host as the client wrote them; result addresses begin with it. */
  readonly origin: string;
  /** The `{id}` of the path, empty where it has none. */
  readonly id: string;
  /** The JSON body; empty for a GET. */
  readonly body: Parameters;
  readonly outgoing: ServerResponse;
  /** Aborted with a `NoAnswer` when the client is gone. */
  readonly left: AbortSignal;
}

/** Ends a request without an answer: the client is gone, or was made to believe so. */
export class NoAnswer extends Error {
  constructor() {
    super('The request ends without an answer.');
    this.name = 'NoAnswer';
  }
}

/** Puts a piece of work on the account's meter. */
export function meter(
  dependencies: Dependencies,
  call: Call,
  work: Omit<MeteredCall, 'requestId' | 'conversation'>,
): void {
  const { requestId, conversation } = call;
  call.account.meter.record({ requestId, conversation, ...work }, dependencies.clock.now());
}

/** Throws a 402 where the account's credits, if it was given a number of them, do not pay for this. */
export function requireCredits(call: Call, microcredits: number): void {
  const { credits } = call.account.switches;
  if (credits === 'unlimited' || call.account.meter.credits + microcredits / 1e6 <= credits) return;
  const left = Math.max(0, credits - call.account.meter.credits);
  throw new ApiError(402, `This needs ${microcredits / 1e6} credits; ${left} are left on the account.`);
}
