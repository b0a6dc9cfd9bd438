import { sleep } from '../../lib/clock.ts';
import { type Fault, type FaultKind, type FaultTime, faultError } from '../faults/faults.ts';
import { ApiError } from './api-error.ts';
import { type Call, type Dependencies, NoAnswer } from './call.ts';

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
  ...kinds: FaultKind[]
): Fault | undefined {
  return faults.find((one) => one.when === when && kinds.includes(one.kind));
}

/** Applies the faults before the work. */
export async function beforeWork(
  dependencies: Dependencies,
  call: Call,
  faults: readonly Fault[],
): Promise<void> {
  await applyFaults(dependencies, call, faults, 'before');
  if (faults.some((one) => one.kind === 'filter')) throw filtered();
}

/** Applies the faults during the work of a complete response. */
export async function duringWork(
  dependencies: Dependencies,
  call: Call,
  faults: readonly Fault[],
): Promise<void> {
  await pause(dependencies, call, findFault(faults, 'during', 'delay'));
  const error = findFault(faults, 'during', 'error');
  if (error) throw faultError(error);
}

/** Applies the faults after the work is done and charged. */
export async function afterWork(
  dependencies: Dependencies,
  call: Call,
  faults: readonly Fault[],
): Promise<void> {
  await applyFaults(dependencies, call, faults, 'after');
}

/** Sends a response, or half of it if a fault says so. */
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

async function applyFaults(
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
  return new ApiError(400, 'The content filter refused this prompt (requested by a sandbox fault).', {
    code: 'content_policy_violation',
    param: 'prompt',
  });
}
