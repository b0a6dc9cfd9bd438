import { type Fault, faultError, type FaultKind, type FaultTime } from '../faults/faults.ts';
import { type Call, NoAnswer, wait } from './call.ts';
import { ApiError } from './parameters.ts';

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

/** Applies the faults after the work is done and charged. */
export async function afterWork(call: Call, faults: readonly Fault[]): Promise<void> {
  await applyFaults(call, faults, 'after');
}

/** Sends a response, or half of it if a fault says so. */
export async function send(call: Call, answer: Answer, faults: readonly Fault[]): Promise<void> {
  await afterWork(call, faults);
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

async function applyFaults(call: Call, faults: readonly Fault[], when: FaultTime): Promise<void> {
  await delay(call, faults, when);
  const wrong = findFault(faults, when, 'error', 'cut', 'stall');
  if (wrong?.kind === 'error') throw faultError(wrong);
  if (wrong?.kind === 'cut') cut(call);
  if (wrong?.kind === 'stall') await stall(call);
}

async function delay({ clock, left }: Call, faults: readonly Fault[], when: FaultTime): Promise<void> {
  await wait(clock, (findFault(faults, when, 'delay')?.seconds ?? 0) * 1_000, left);
}
