import type { ServerResponse } from 'node:http';
import { type Clock, sleep } from '../../lib/clock.ts';
import type { Account, Accounts } from '../account/account.ts';
import type { MeteredCall } from '../account/meter.ts';
import { type Fault, faultError, type FaultKind, type FaultTime } from '../faults/faults.ts';
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

/** A complete response. */
export interface Answer {
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The connection of a response. */
export type Exit = Pick<Call, 'outgoing' | 'left'>;

/** A JSON response. */
export function json(value: unknown, status = 200): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

/** The first fault of these kinds at this time. */
export function findFault(
  faults: readonly Fault[],
  when: FaultTime,
  ...kinds: readonly FaultKind[]
): Fault | undefined {
  return faults.find((one) => one.when === when && kinds.includes(one.kind));
}

/** Applies the faults before the work. */
export async function beforeWork(call: Call, faults: readonly Fault[]): Promise<void> {
  await applyFaults(call, faults, 'before');
  if (faults.some((one) => one.kind === 'filter'))
    throw new ApiError(400, 'The content filter refused this prompt (requested by a sandbox fault).', {
      code: 'content_policy_violation',
      param: 'prompt',
    });
}

/** Applies the faults during the work of a complete response. */
export async function duringWork(call: Call, faults: readonly Fault[]): Promise<void> {
  await delay(call, faults, 'during');
  const error = findFault(faults, 'during', 'error');
  if (error) throw faultError(error);
}

/** Sends a response, or half of it if a fault says so. */
export async function send(call: Call, answer: Answer, faults: readonly Fault[]): Promise<void> {
  await applyFaults(call, faults, 'after');
  const half = findFault(faults, 'during', 'cut', 'end', 'stall');
  if (!half) return write(call, answer);
  const bytes = Buffer.from(answer.body);
  call.outgoing.writeHead(answer.status ?? 200, { ...answer.headers, 'content-length': bytes.length });
  await new Promise<void>((resolve) => {
    call.outgoing.once('close', resolve);
    call.outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => resolve());
  });
  await (half.kind === 'stall' ? stall(call) : cut(call));
}

/** Writes a response. */
export function write({ outgoing }: Pick<Exit, 'outgoing'>, { status = 200, headers, body }: Answer): void {
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  outgoing.end(body);
}

/** Breaks the connection. */
export function cut({ outgoing }: Exit): never {
  outgoing.destroy();
  throw new NoAnswer();
}

/** Waits until the client disconnects. */
export async function stall({ left }: Pick<Exit, 'left'>): Promise<never> {
  if (!left.aborted) await new Promise((resolve) => left.addEventListener('abort', resolve, { once: true }));
  throw new NoAnswer();
}

/** Applies the faults before the work, or after it's done and charged. */
export async function applyFaults(call: Call, faults: readonly Fault[], when: FaultTime): Promise<void> {
  await delay(call, faults, when);
  const wrong = findFault(faults, when, 'error', 'cut', 'stall');
  if (wrong?.kind === 'error') throw faultError(wrong);
  if (wrong?.kind === 'cut') cut(call);
  if (wrong?.kind === 'stall') await stall(call);
}

async function delay({ clock, left }: Call, faults: readonly Fault[], when: FaultTime): Promise<void> {
  await wait(clock, (findFault(faults, when, 'delay')?.seconds ?? 0) * 1_000, left);
}
