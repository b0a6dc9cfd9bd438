import { sleep } from '../../lib/clock.ts';
import { type Fault, type FaultKind, type FaultTime, faultError } from '../faults.ts';
import { ApiError } from './api-error.ts';
import { type Call, type Dependencies, NoAnswer } from './call.ts';

/** A whole answer. */
export interface Answer {
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** What an answer goes out through. */
export type Exit = Pick<Call, 'outgoing' | 'left'>;

/** A JSON answer. */
export function json(value: unknown, status = 200): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

/** The first fault of this kind and time. */
export function findFault(
  faults: readonly Fault[],
  when: FaultTime,
  ...kinds: FaultKind[]
): Fault | undefined {
  return faults.find((one) => one.when === when && kinds.includes(one.kind));
}

/** Everything that goes wrong before a request is worked on. */
export async function beforeWork(
  dependencies: Dependencies,
  call: Call,
  faults: readonly Fault[],
): Promise<void> {
  await happen(dependencies, call, faults, 'before');
  if (faults.some((one) => one.kind === 'filter')) throw filtered();
}

/** Everything that goes wrong while a whole answer is made. */
export async function duringWork(
  dependencies: Dependencies,
  call: Call,
  faults: readonly Fault[],
): Promise<void> {
  await pause(dependencies, call, findFault(faults, 'during', 'delay'));
  const error = findFault(faults, 'during', 'error');
  if (error) throw faultError(error);
}

/** Everything that goes wrong once the work is done and metered. */
export async function afterWork(
  dependencies: Dependencies,
  call: Call,
  faults: readonly Fault[],
): Promise<void> {
  await happen(dependencies, call, faults, 'after');
}

/** Sends an answer whole, or as little of it as the faults leave. */
export async function send(
  dependencies: Dependencies,
  call: Call,
  answer: Answer,
  faults: readonly Fault[],
): Promise<void> {
  await afterWork(dependencies, call, faults);
  const half = findFault(faults, 'during', 'cut', 'end', 'stall');
  if (half) await sendHalf(call, answer, half);
  else write(call, answer);
}

/** Writes an answer. */
export function write({ outgoing }: Pick<Exit, 'outgoing'>, { status = 200, headers, body }: Answer): void {
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  outgoing.end(body);
}

/** Breaks the connection. */
export function cut({ outgoing }: Exit): never {
  outgoing.destroy();
  throw new NoAnswer();
}

/** Waits until the client is tired of waiting. */
export async function stall({ left }: Pick<Exit, 'left'>): Promise<never> {
  if (!left.aborted) await new Promise((resolve) => left.addEventListener('abort', resolve, { once: true }));
  throw new NoAnswer();
}

async function happen(
  dependencies: Dependencies,
  call: Call,
  faults: readonly Fault[],
  when: FaultTime,
): Promise<void> {
  await pause(dependencies, call, findFault(faults, when, 'delay'));
  const wrong = findFault(faults, when, 'error', 'cut', 'stall');
  if (wrong?.kind === 'error') throw faultError(wrong);
  if (wrong?.kind === 'cut') cut(call);
  if (wrong?.kind === 'stall') await stall(call);
}

async function pause(dependencies: Dependencies, call: Call, delay: Fault | undefined): Promise<void> {
  if (delay) await sleep(dependencies.clock, delay.seconds * 1_000, call.left);
}

async function sendHalf(
  exit: Exit,
  { status = 200, headers, body }: Answer,
  { kind }: Fault,
): Promise<never> {
  const bytes = Buffer.from(body);
  exit.outgoing.writeHead(status, { ...headers, 'content-length': bytes.length });
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  await new Promise<void>((resolve) => {
    exit.outgoing.once('close', resolve);
    exit.outgoing.write(half, () => resolve());
  });
  return kind === 'stall' ? stall(exit) : cut(exit);
}

function filtered(): ApiError {
  return new ApiError(400, 'The content filter refused this prompt, as the sandbox was asked to.', {
    code: 'content_policy_violation',
    param: 'prompt',
  });
}
