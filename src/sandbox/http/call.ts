import type { ServerResponse } from 'node:http';
import { type Clock, sleep } from '../../lib/clock.ts';
import type { Account, Accounts } from '../account/account.ts';
import type { MeteredCall } from '../account/meter.ts';
import type { Studio } from '../media/studio.ts';
import type { FileStore } from '../tasks/files.ts';
import { ApiError, type Parameters } from './parameters.ts';

/** What all requests share. */
export interface Services {
  readonly clock: Clock;
  readonly accounts: Accounts;
  readonly files: FileStore;
  /** Loads the studio on first use. */
  readonly studio: () => Promise<Studio>;
  /** Aborted when the sandbox closes. */
  readonly closing: AbortSignal;
  /** Called with unexpected errors. */
  readonly report: (error: unknown) => void;
}

/** One authenticated request. */
export interface Call extends Services {
  readonly account: Account;
  readonly requestId: string;
  readonly conversation: string | undefined;
  /** Scheme and host of the request, for result URLs. */
  readonly origin: string;
  /** The `{id}` of the path, or empty. */
  readonly id: string;
  /** The JSON body; empty for a GET. */
  readonly body: Parameters;
  readonly outgoing: ServerResponse;
  /** Aborted with a `NoAnswer` when the client disconnects. */
  readonly left: AbortSignal;
}

/** Ends a request without a response: the client disconnected, or a fault cuts the connection. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  constructor() {
    super('The request ends without an answer.');
  }
}

/** What is charged for, when it is known by whom. */
export type Charge = Omit<MeteredCall, 'requestId' | 'conversation'>;

/** Records a call on the account's meter. */
export function meter({ account, requestId, conversation, clock }: Call, charge: Charge): void {
  account.meter.record({ requestId, conversation, ...charge }, clock.now());
}

/** Throws a 402 if the account's credits, when limited, don't cover this. */
export function requireCredits({ account }: Call, microcredits: number): void {
  const { credits } = account.behavior;
  if (credits === 'unlimited' || account.meter.credits + microcredits / 1e6 <= credits) return;
  const left = Math.max(0, credits - account.meter.credits);
  throw new ApiError(402, `This needs ${microcredits / 1e6} credits; ${left} are left on the account.`);
}

/** Waits for simulated time; rejects with the signal's reason when aborted. */
export async function wait(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds > 0) await sleep(clock, milliseconds, signal);
}
