import type { Dispatcher } from 'undici';
import type { Clock } from '../lib/clock.ts';
import type { Telemetry } from '../lib/telemetry.ts';
import type { RateGroup } from '../service-rules/limits.ts';
import { conversationIdHeader } from '../service-rules/models.ts';
import type { ShapeReporter } from './decode/answer.ts';
import {
  AuthenticationError,
  CreditError,
  InvalidRequestError,
  type Operation,
  PermissionError,
  RateLimitError,
  type ServiceError,
  type ServiceLog,
} from './errors.ts';
import { isStreamed, jsonBody } from './http/json-body.ts';
import {
  type Answer,
  Deadline,
  exchange,
  failure,
  requireSuccess,
  type WireRequest,
} from './http/transport.ts';
import type { CallOptions, Limits, Timeouts } from './options.ts';
import type { RateGate } from './rate-gate/rate-gate.ts';
import { validateConversationId } from './validation.ts';
import { pause, pauseAfter, WatchedCall, withRetries } from './watched-call.ts';

/** One call of the service's API. */
export interface Call {
  operation: Operation;
  group: RateGroup;
  method: 'GET' | 'POST';
  /** Path below the base URL, starting with `/`. */
  path: string;
  accept: string;
  body?: object;
  /** Whether the call costs credits; then it is retried only if it was certainly not processed. */
  paid: boolean;
  /** Timeout in milliseconds: for the whole response, or until an `open` one begins. A large body has more, for its way. */
  limit: number;
  /**
   * Whether the result keeps reading the response (a stream); it then clears the timeout and disposes the deadline.
   */
  open?: boolean;
}

/** What a client and its operations work with. */
interface ClientParts {
  base: URL;
  apiKey: string;
  dispatcher: Dispatcher;
  clock: Clock;
  log: ServiceLog;
  telemetry: Telemetry;
  random: () => number;
  limits: Limits;
  timeouts: Timeouts;
  /** Aborted when the client is closed. */
  closed: AbortSignal;
}

/** Dependencies of {@link Calls}. */
interface CallDependencies extends ClientParts {
  rateGates: Readonly<Record<RateGroup, RateGate>>;
  key: KeyHealth;
}

/** Turns a call's response into its result; its errors count as the call's. */
type Reader<T> = (answer: Answer) => Promise<T>;

/** Sends calls: waits for the key's rate limits, makes the request, maps errors, and retries. */
export class Calls {
  readonly #dependencies: CallDependencies;

  constructor(dependencies: CallDependencies) {
    this.#dependencies = dependencies;
  }

  /** Sends a call until it succeeds, must not be retried, or has no attempts left. */
  run<T>(call: Call, options: CallOptions, read: Reader<T>): Promise<T> {
    const watched = this.watch(call);
    return watched.run(async () => {
      const result = await this.runWatched(call, options, read, watched);
      watched.over();
      return result;
    });
  }

  /** Measures a call whose result is read after {@link runWatched} has resolved. */
  watch({ operation, body }: Pick<Call, 'operation' | 'body'>): WatchedCall {
    const { telemetry, clock } = this.#dependencies;
    const { model } = (body ?? {}) as { readonly model?: string };
    return new WatchedCall(telemetry, clock, operation, model);
  }

  /** As {@link run}, but the caller says when it's over. */
  async runWatched<T>(call: Call, options: CallOptions, read: Reader<T>, watched: WatchedCall): Promise<T> {
    const faults = validateConversationId(options.conversationId);
    if (faults.length > 0) throw new InvalidRequestError(call.operation, faults);
    const request = this.#wireRequest(call, options);
    const { key, limits } = this.#dependencies;
    try {
      const result = await withRetries(
        (attempt) => this.#attempt(call, options, request, attempt, read, watched),
        {
          tries: limits.tries,
          paid: call.paid,
          pause: (error, attempt) => {
            watched.retried();
            return this.#pause(call, options, error, attempt);
          },
        },
      );
      key.succeeded(call.paid);
      return result;
    } catch (error) {
      key.failed(call.operation, error);
      throw error;
    }
  }

  async #attempt<T>(
    call: Call,
    options: CallOptions,
    request: WireRequest,
    attempt: number,
    read: Reader<T>,
    watched: WatchedCall,
  ): Promise<T> {
    const { clock, dispatcher, log } = this.#dependencies;
    const deadline = this.deadline(options);
    try {
      await watched.wait(call.group, () => this.#turn(call, options, deadline, attempt > 1));
      await readyToSend(call, options, deadline);
      const sentAt = clock.steady();
      deadline.start(call.open ? 'response' : 'total', call.limit + untilSent(request));
      const answer = await watched.send(() => exchange({ dispatcher, deadline }, request));
      const { status, requestId } = answer;
      const milliseconds = clock.steady() - sentAt;
      log('debug', 'request', { operation: call.operation, attempt, status, milliseconds, requestId });
      await requireSuccess(answer, clock.now());
      const result = await read(answer);
      if (!call.open) deadline.dispose();
      return result;
    } catch (error) {
      deadline.dispose();
      throw error;
    }
  }

  async #turn(call: Call, options: CallOptions, deadline: Deadline, again: boolean): Promise<void> {
    const { operation, group } = call;
    const {
      onWait,
      conversationId = '',
      fairnessKey: key = conversationId,
      fairnessPerson: person,
    } = options;
    const priority = options.priority ?? 'interactive';
    deadline.start('waiting', this.#dependencies.timeouts.waiting);
    await this.#dependencies.rateGates[group].enter(
      { operation, key, person, priority, onWait, again },
      deadline,
    );
    deadline.lift('waiting');
  }

  async #pause(call: Call, options: CallOptions, error: ServiceError, attempt: number): Promise<void> {
    const { clock, log, random, rateGates } = this.#dependencies;
    const milliseconds = pauseAfter(error, attempt, random);
    const { operation, group } = call;
    const { name, status, code } = error;
    log(options.priority === 'background' ? 'debug' : 'info', 'retry', {
      operation,
      attempt,
      milliseconds,
      error: name,
      status,
      code,
    });
    if (error.outcome === 'not-processed') await options.onNotProcessed?.();
    // A 429 applies to the key: the whole group waits, with this call at the head of its queue.
    if (error instanceof RateLimitError) return rateGates[group].pause(milliseconds);
    await pause(clock, milliseconds, {
      operation,
      deadline: this.deadline(options),
      sent: error.outcome === 'unknown',
    });
  }

  /** What may end a call early: its caller, or the client's closing. */
  deadline({ signal }: Pick<CallOptions, 'signal'>): Deadline {
    const { clock, closed } = this.#dependencies;
    return new Deadline(clock, { cancelled: signal, closed });
  }

  #wireRequest(call: Call, options: CallOptions): WireRequest {
    const { apiKey, base } = this.#dependencies;
    const headers: Record<string, string> = {
      accept: call.accept,
      authorization: `Bearer ${apiKey}`,
      'user-agent': 'troupe',
    };
    if (options.conversationId !== undefined) headers[conversationIdHeader] = options.conversationId;
    if (call.body) headers['content-type'] = 'application/json';
    return {
      operation: call.operation,
      method: call.method,
      url: new URL(base.pathname.replace(/\/$/, '') + call.path, base),
      headers,
      body: call.body && jsonBody(call.body),
    };
  }
}

/** What a slow line takes in a second, in bytes: a megabit. */
const leastPerSecond = 2 ** 17;

/** For how long a large body may be on its way, in milliseconds: nothing answers before it's there. */
function untilSent({ body }: WireRequest): number {
  return isStreamed(body) ? Math.ceil((body.bytes / leastPerSecond) * 1_000) : 0;
}

/** A call that's stopped meanwhile ends as one that was never sent. */
async function readyToSend(
  { operation }: Call,
  { beforeSending }: CallOptions,
  deadline: Deadline,
): Promise<void> {
  try {
    await beforeSending?.(deadline.signal);
  } catch (error) {
    throw deadline.interruption ? failure(error, { operation, deadline, sent: false }) : error;
  }
}

/** Shared dependencies of a client's operations. */
export interface Context extends ClientParts {
  calls: Calls;
  shapes: ShapeReporter;
}

/** `refused`: the key is wrong or revoked. `empty`: the account can't pay. */
export interface KeyTrouble {
  readonly kind: 'refused' | 'empty';
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/**
 * How long a refused payment counts, in milliseconds. The voice list shows for free whether a key is accepted;
 * whether the account can pay only shows in a paid call, so people must be able to try again.
 */
const emptyFor = 5 * 60_000;
/** How long an operation isn't tried again after its payment was refused, in milliseconds. */
const notTriedFor = 2 * 60_000;

/** A key's health, from the responses to its calls. */
export class KeyHealth {
  readonly #clock: Clock;
  #refusedSince: number | undefined;
  #emptySince: number | undefined;
  /** When each operation's payment was last refused, by the monotonic clock. */
  readonly #unpaid = new Map<Operation, number>();
  /** Called when trouble starts, changes its kind, or is over (undefined). */
  onChange: ((trouble: KeyTrouble | undefined) => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The current trouble, as far as is known. */
  get trouble(): KeyTrouble | undefined {
    if (this.#refusedSince !== undefined) return { kind: 'refused', since: this.#refusedSince };
    if (this.#emptySince === undefined || !this.#isRecent(emptyFor)) return undefined;
    return { kind: 'empty', since: this.#emptySince };
  }

  /** Whether trying this paid operation now is pointless. */
  blocks(operation: Operation): boolean {
    if (this.#refusedSince !== undefined) return true;
    const refusedAt = this.#unpaid.get(operation);
    return refusedAt !== undefined && this.#clock.steady() < refusedAt + notTriedFor;
  }

  /** Records a successful call. */
  succeeded(paid: boolean): void {
    const before = this.#unproved;
    this.#refusedSince = undefined;
    if (paid) {
      this.#emptySince = undefined;
      this.#unpaid.clear();
    }
    if (before && before !== this.#unproved) this.onChange?.(this.trouble);
  }

  /** Records a failed call. */
  failed(operation: Operation, error: unknown): void {
    const before = this.trouble;
    const now = this.#clock.now();
    if (this.#isRefusal(operation, error)) this.#refusedSince ??= now;
    if (error instanceof CreditError) {
      this.#emptySince = this.#isRecent(emptyFor) ? (this.#emptySince ?? now) : now;
      this.#unpaid.set(operation, this.#clock.steady());
    }
    const after = this.trouble;
    if (after && after.kind !== before?.kind) this.onChange?.(after);
  }

  /** Trouble that no success has disproved yet, even if it's too old to count. */
  get #unproved(): KeyTrouble['kind'] | undefined {
    if (this.#refusedSince !== undefined) return 'refused';
    return this.#emptySince === undefined ? undefined : 'empty';
  }

  /** A key that can't even list voices is invalid; one that only lacks another permission isn't. */
  #isRefusal(operation: Operation, error: unknown): boolean {
    if (error instanceof PermissionError) return operation === 'voices';
    return error instanceof AuthenticationError;
  }

  #isRecent(milliseconds: number): boolean {
    return this.#clock.steady() < Math.max(...this.#unpaid.values()) + milliseconds;
  }
}
