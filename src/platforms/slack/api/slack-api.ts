import { webApi } from '@slack/bolt';
import { type Clock, inTime, sleep, type UntilAlive, waitAfter, type Waits } from '../../../lib/clock.ts';
import { type Meter, noMeter, type RequestKind } from '../../../lib/telemetry.ts';
import { withoutNulls } from '../../../lib/text.ts';
import { type Address, PlatformError, undefinedIfRefused } from '../../../port/index.ts';
import type { AccessLosses } from './access-losses.ts';
import type { ChannelIds } from './channel-ids.ts';
import { httpStatus, isAnswerLost, isWorkspaceLost, platformError, retryAfter, slackCode } from './errors.ts';
import { type Method, type MethodRules, methods, type RateLimits } from './rate-limits.ts';

/** How long a Web API call waits for its response, in milliseconds. */
const answerLimit = 15_000;
/**
 * How often a call that may be repeated is tried again after it got no response, and how long it waits before that,
 * in milliseconds.
 */
const maxRepeats = 3;
const waits: Waits = { first: 500, longest: 5_000, factor: 4 };
/** How long it waits for the database to say whether its channel has another id, in milliseconds. */
const lookLimit = 1_000;
/** A call that Slack keeps refusing as too frequent is given up after this many tries. */
const maxRefusals = 8;

export type Arguments = Readonly<Record<string, unknown>>;
export type Answer = Readonly<Record<string, unknown>> & Pick<webApi.WebAPICallResult, 'response_metadata'>;

/** Shows that something is being done, until that itself is there. */
export interface Sign {
  /** Shows it when it’s time. */
  begin(): void;
  /** No sign comes any more. Resolves when one that’s on its way is there, or soon. */
  hold(): Promise<void>;
}

export interface CallOptions {
  /** False for intermediate states: everything else goes first. */
  readonly urgent?: boolean;
  /** The caller already holds a slot of this method’s budget. */
  readonly hasSlot?: boolean;
  /** Aborted when the caller no longer waits: then nothing is sent, which would come after what follows. */
  readonly signal?: AbortSignal;
  /** Another token than the workspace’s: what Slack says of it says nothing about the workspace. */
  readonly token?: string;
  /** Rejects where Slack asks to wait longer than this, in milliseconds. */
  readonly patience?: number;
  /** Awaited right before each try, after whatever that waits for: if it rejects, nothing is sent. */
  readonly beforeSending?: (() => Promise<void>) | undefined;
  /** What this call takes the place of: held right before each try, begun again while Slack asks to wait. */
  readonly sign?: Sign | undefined;
}

/**
 * Options of every client: no retries and no waiting in the library. Both are done here, where it’s known what may be
 * repeated and what shares the limit.
 */
export function clientOptions(apiUrl: string): webApi.WebClientOptions {
  return {
    slackApiUrl: apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: answerLimit,
  };
}

/** Gives the token for a workspace; undefined where troupe isn’t installed. */
export type Tokens = (workspace: string) => Promise<string | undefined>;

interface SlackApiDependencies {
  readonly clock: Clock;
  readonly apiUrl: string;
  readonly tokens: Tokens;
  readonly rateLimits: RateLimits;
  readonly losses: AccessLosses;
  readonly channelIds: ChannelIds;
  readonly logger: webApi.Logger;
  readonly meter?: Meter;
  readonly untilAlive?: UntilAlive | undefined;
  /** Called with every error that Slack returns. */
  readonly onError: (error: unknown) => void;
  /** Called with the outcome of every call; without `error` it succeeded. */
  readonly onAnswer: (workspace: string, method: Method, args: Arguments, error?: unknown) => Promise<void>;
}

/** Calls the Web API, within Slack’s rate limits; repeats calls where that changes nothing. */
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

  /** Makes no calls any more; what is under way ends with its next call. */
  close(): void {
    this.#closed = true;
  }

  /** The Web API’s URL; its host counts as Slack’s own. */
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
   * Calls a method when its rate limit allows it. Repeats a call that was refused as too frequent, and one that may
   * be carried out twice; the caller handles other calls that got no response (`isAnswerLost`).
   */
  async call(workspace: string, method: Method, args: Arguments, options: CallOptions = {}): Promise<Answer> {
    const { rateLimits, clock, onAnswer } = this.#dependencies;
    const { repeat, expires = Number.POSITIVE_INFINITY }: MethodRules = methods[method];
    const pacing = rateLimits.of(method, workspace, String(args.channel ?? ''));
    let hasSlot = options.hasSlot ?? false;
    const { losses, channelIds } = this.#dependencies;
    let refusals = 0;
    let lost = 0;
    for (;;) {
      if (this.delay(workspace, method) > expires) throw new PlatformError('expired', 'trigger_id');
      if (!hasSlot) await pacing.slot({ urgency: options.urgent === false ? 'growth' : 'final' });
      hasSlot = false;
      options.signal?.throwIfAborted();
      if (this.#closed) throw new PlatformError('unreachable', 'shutting down');
      const token = options.token ?? (await this.token(workspace));
      await options.sign?.hold();
      await options.beforeSending?.();
      const sent = channelIds.inCall(args);
      try {
        const answer = await this.#send(method, sent, token);
        if (options.token === undefined) await losses.over(workspace).catch(() => undefined);
        // The call succeeded, whether or not this can be noted.
        await onAnswer(workspace, method, args).catch(() => undefined);
        return answer;
      } catch (error) {
        if (slackCode(error) === 'channel_not_found' && (await this.#hasMoved(args, sent))) continue;
        if (options.token === undefined) this.#dependencies.onError(error);
        await onAnswer(workspace, method, args, error).catch(() => undefined);
        if (isWorkspaceLost(error) && options.token === undefined)
          throw await losses.note(workspace, token, error);
        const seconds = retryAfter(error, refusals + 1);
        if (seconds !== undefined) {
          pacing.pause(seconds * 1_000);
          options.sign?.begin();
        }
        const isTooLong = (seconds ?? 0) * 1_000 > (options.patience ?? Number.POSITIVE_INFINITY);
        if (seconds !== undefined && !isTooLong && ++refusals <= maxRefusals) continue;
        const isRefusedForGood = seconds !== undefined && refusals > maxRefusals;
        if (!isAnswerLost(error) || repeat === 'once' || ++lost > maxRepeats) {
          if (isRefusedForGood || lost > maxRepeats) this.#count('troupe_platform_given_up_total');
          throw error;
        }
        this.#count('troupe_platform_retries_total');
        await sleep(clock, waitAfter(lost, waits));
      }
    }
  }

  /** The same for what's only asked. @throws {PlatformError} whatever keeps it from being answered. */
  async ask(...call: Parameters<SlackApi['call']>): Promise<Answer> {
    return this.call(...call).catch((error: unknown) => {
      throw platformError(error);
    });
  }

  /** One try, which needs and changes nothing that's kept: for what a person must be told now. */
  callOnce(method: Method, args: Arguments, token: string): Promise<Answer> {
    return this.#send(method, this.#dependencies.channelIds.inCall(args), token);
  }

  /** All ids that a channel has had, the first one first: something of it may be kept under any. */
  channelIds(channel: string): readonly string[] {
    return this.#dependencies.channelIds.all(channel);
  }

  /** The id that a channel has now. */
  channelNow(channel: string): string {
    return this.#dependencies.channelIds.now(channel);
  }

  /** How many milliseconds until a method can be called for a workspace, at the soonest. */
  delay(workspace: string, method: Method): number {
    return this.#dependencies.rateLimits.delayOf(method, workspace, '');
  }

  /** Exchanges an OAuth code for a token. */
  exchange(args: Arguments): Promise<Answer> {
    return this.#send('oauth.v2.access', args, undefined);
  }

  /** Whose token it is. */
  whoAmI(token: string): Promise<Answer> {
    return this.#send('auth.test', {}, token);
  }

  /** The workspaces that a token reaches: those of its organization that the app has been let into. */
  async workspacesOf(token: string): Promise<readonly string[]> {
    const found: string[] = [];
    const read = (at: Arguments) => this.#send('auth.teams.list', { limit: 1_000, ...at }, token);
    for await (const { teams } of pagesOf(read))
      found.push(...((teams ?? []) as readonly { readonly id: string }[]).map(({ id }) => id));
    return found;
  }

  /** Whether the channel of a call has another id than was sent; another process may have been told of that. */
  async #hasMoved(args: Arguments, sent: Arguments): Promise<boolean> {
    const { channelIds, clock } = this.#dependencies;
    await inTime(
      clock,
      lookLimit,
      channelIds.load().catch(() => undefined),
      undefined,
    );
    const now = channelIds.inCall(args);
    return now.channel !== sent.channel || now.channel_id !== sent.channel_id;
  }

  async #send(method: string, args: Arguments, token: string | undefined): Promise<Answer> {
    const { meter = noMeter, untilAlive } = this.#dependencies;
    await untilAlive?.();
    const all = { ...wellFormed(args), ...(token !== undefined && { token }) };
    return withoutNulls({ ...(await measured(meter, method, () => this.#client.apiCall(method, all))) });
  }

  #count(name: 'troupe_platform_retries_total' | 'troupe_platform_given_up_total'): void {
    this.#dependencies.meter?.count(name, { platform: 'slack' });
  }
}

/** Whether a message stands in a thread, and not in the channel itself; taken to where Slack doesn't say. */
export async function isInThread(
  api: SlackApi,
  { workspace, channel }: Pick<Address, 'workspace' | 'channel'>,
  ts: string,
): Promise<boolean> {
  const link = api.ask(workspace, 'chat.getPermalink', { channel, message_ts: ts });
  const { permalink } = (await undefinedIfRefused(link)) ?? {};
  return typeof permalink !== 'string' || permalink.includes('thread_ts=');
}

/** The pages of a list, at most so many: `read` gets the argument that says where one begins. */
export async function* pagesOf(
  read: (at: Arguments) => Promise<Answer>,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<Answer> {
  let at: Arguments = {};
  for (let pages = 0; pages < most; pages++) {
    const page = await read(at);
    yield page;
    const cursor = page.response_metadata?.next_cursor;
    if (!cursor) return;
    at = { cursor };
  }
}

/** Texts without half an emoji: its other half would be made of what follows it, and at the end it couldn't be sent at all. */
function wellFormed(args: Arguments): Arguments {
  const fields = Object.entries(args);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, typeof value === 'string' ? value.toWellFormed() : value]),
  );
}

/** Makes a call to Slack, and counts it by what it's for. `refused` is Slack's own `ok: false`. */
async function measured<T>(meter: Meter, method: string, call: () => Promise<T>): Promise<T> {
  const count = (status: string) =>
    meter.count('troupe_platform_requests_total', {
      platform: 'slack',
      kind: kindOf(method),
      route: method,
      status,
    });
  try {
    const answer = await call();
    count('200');
    return answer;
  } catch (error) {
    count(statusOf(error));
    throw error;
  }
}

function statusOf(error: unknown): string {
  if (retryAfter(error) !== undefined) return '429';
  if (slackCode(error) !== undefined) return 'refused';
  return String(httpStatus(error) ?? 'error');
}

const kinds: readonly (readonly [RegExp, RequestKind])[] = [
  [/^(?:chat\.post|response_url$)/, 'post'],
  [/^chat\.update$/, 'edit'],
  [/^chat\.\w+Stream$/, 'stream'],
  [/delete$/, 'delete'],
  [/^(?:files\.(?:getUpload|completeUpload)|upload$)/, 'upload'],
  [/setStatus$/, 'typing'],
  [/\.(?:info|list|history|replies|getPermalink|test)$/, 'read'],
];

function kindOf(method: string): RequestKind {
  return kinds.find(([form]) => form.test(method))?.[1] ?? 'other';
}
