import { webApi } from '@slack/bolt';
import { type Clock, sleep } from '../../../lib/clock.ts';
import { PlatformError } from '../../../port/index.ts';
import type { AccessLosses } from '../connection/access-losses.ts';
import { isAccessLost, isAnswerLost, retryAfter } from './errors.ts';
import { type Method, type MethodRules, methods } from './methods.ts';
import type { RateLimits } from './rate-limits.ts';

/** No Web API call waits longer for its answer, in milliseconds. */
const answerLimit = 15_000;
/** Pauses before a call is tried again that may be, in milliseconds. */
const pauses = [500, 2_000, 5_000] as const;
/** A call that Slack keeps refusing as too frequent is given up after so many tries. */
const maxRefusals = 8;

export type Arguments = Readonly<Record<string, unknown>>;
export type Answer = Readonly<Record<string, unknown>>;

export interface CallOptions {
  /** False for what is only an intermediate state: it lets everything else go first. */
  readonly urgent?: boolean;
  /** The caller holds a slot of this method's budget already. */
  readonly hasSlot?: boolean;
  /** Aborted where the caller waits no longer: nothing is sent then, which would come after what follows. */
  readonly signal?: AbortSignal;
  /** Rejects where Slack says that it takes the call only after more milliseconds than these. */
  readonly patience?: number;
}

/**
 * Options of every client: no retries and no waiting of its own, for both are done here, where it is known
 * what may be repeated and what else shares the limit.
 */
export function clientOptions(apiUrl: string): webApi.WebClientOptions {
  return {
    slackApiUrl: apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: answerLimit,
  };
}

/** Gives the token for a workspace; undefined where troupe is not installed there. */
export type Tokens = (workspace: string) => Promise<string | undefined>;

export interface SlackApiDependencies {
  readonly clock: Clock;
  readonly apiUrl: string;
  readonly tokens: Tokens;
  readonly rateLimits: RateLimits;
  readonly losses: AccessLosses;
  readonly logger: webApi.Logger;
  /** Told of every error Slack answers with. */
  readonly onError: (error: unknown) => void;
  /** Told how every call was answered; without `error` it was carried out. */
  readonly onAnswer: (workspace: string, method: Method, args: Arguments, error?: unknown) => Promise<void>;
}

/** Calls of the Web API, kept under Slack's rate limits and repeated where that changes nothing. */
export class SlackApi {
  readonly #dependencies: SlackApiDependencies;
  #closed = false;
  readonly #client: webApi.WebClient;

  constructor(dependencies: SlackApiDependencies) {
    this.#dependencies = dependencies;
    this.#client = new webApi.WebClient(undefined, {
      ...clientOptions(dependencies.apiUrl),
      logger: dependencies.logger,
    });
  }

  /** Calls nothing any more; what is under way ends with its next call. */
  close(): void {
    this.#closed = true;
  }

  /** Where the Web API is; its host counts as Slack's own. */
  get apiUrl(): string {
    return this.#dependencies.apiUrl;
  }

  /** @throws {NoAccessError} where there is none, or one that Slack refused a short while ago. */
  async token(workspace: string): Promise<string> {
    const { losses, tokens } = this.#dependencies;
    const token = await tokens(workspace);
    if (token === undefined) throw await losses.note(workspace, undefined, undefined);
    losses.check(workspace, token);
    return token;
  }

  /**
   * Calls a method when its rate limit allows it. Repeats what was refused as too frequent, and what may be
   * carried out twice; the loss of another answer is the caller's to deal with (`isAnswerLost`).
   */
  async call(workspace: string, method: Method, args: Arguments, options: CallOptions = {}): Promise<Answer> {
    const { rateLimits, clock, onAnswer } = this.#dependencies;
    const { repeat }: MethodRules = methods[method];
    const pacing = rateLimits.of(method, workspace, String(args.channel ?? ''));
    let hasSlot = options.hasSlot ?? false;
    const { losses } = this.#dependencies;
    let refusals = 0;
    let lost = 0;
    for (;;) {
      if (!hasSlot) await pacing.slot({ urgent: options.urgent ?? true });
      hasSlot = false;
      options.signal?.throwIfAborted();
      if (this.#closed) throw new PlatformError('unreachable', 'shutting down');
      const token = await this.token(workspace);
      try {
        const answer = await this.#send(method, args, token);
        await losses.over(workspace).catch(() => undefined);
        // What is noted is a help for later: the call was carried out.
        await onAnswer(workspace, method, args).catch(() => undefined);
        return answer;
      } catch (error) {
        this.#dependencies.onError(error);
        await onAnswer(workspace, method, args, error).catch(() => undefined);
        if (isAccessLost(error)) throw await losses.note(workspace, token, error);
        const seconds = retryAfter(error);
        if (seconds !== undefined) pacing.pause(seconds * 1_000);
        const isTooLong = (seconds ?? 0) * 1_000 > (options.patience ?? Number.POSITIVE_INFINITY);
        if (seconds !== undefined && !isTooLong && ++refusals <= maxRefusals) continue;
        const pause = pauses[lost++];
        if (!isAnswerLost(error) || repeat === 'once' || pause === undefined) throw error;
        await sleep(clock, pause);
      }
    }
  }

  /** In how many milliseconds a method can be called for a workspace, at the soonest. */
  delay(workspace: string, method: Method): number {
    return this.#dependencies.rateLimits.delayOf(method, workspace, '');
  }

  /** OAuth's exchange of a code for a token. */
  exchange(args: Arguments): Promise<Answer> {
    return this.#send('oauth.v2.access', args, undefined);
  }

  /** Who a token is. */
  whoAmI(token: string): Promise<Answer> {
    return this.#send('auth.test', {}, token);
  }

  async #send(method: string, args: Arguments, token: string | undefined): Promise<Answer> {
    return { ...(await this.#client.apiCall(method, { ...args, ...(token !== undefined && { token }) })) };
  }
}
