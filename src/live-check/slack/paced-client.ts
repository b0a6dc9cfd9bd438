import { webApi } from '@slack/bolt';
import { type Clock, sleep } from '../../lib/clock.ts';
import { isAnswerLost, retryAfter, slackCode } from '../../platforms/slack/api/errors.ts';
import { libraryLogger } from '../../platforms/slack/api/log.ts';
import { clientOptions } from '../../platforms/slack/api/slack-api.ts';

export type Answer = Readonly<Record<string, unknown>>;
type Arguments = Readonly<Record<string, unknown>>;

/** Milliseconds between calls of these methods: Slack allows one post a second per channel, and one edit in 1.2 s. */
const spacings: Readonly<Record<string, number>> = { 'chat.postMessage': 1_100, 'chat.update': 1_300 };
/** Milliseconds to wait for a rate limit at most. */
const longestWait = 61_000;
const maxTries = 3;
const silence = libraryLogger({ debug() {}, info() {}, warn() {}, error() {} });
/** Errors that mean something is gone or has ended already. */
const goneCodes: readonly string[] = [
  'message_not_found',
  'message_not_in_streaming_state',
  'file_not_found',
];

/** Calls the Web API within Slack's rate limits. */
export class PacedClient {
  readonly #client: webApi.WebClient;
  readonly #clock: Clock;
  readonly #last = new Map<string, number>();
  /** Whether the response to a call was lost. */
  lostResponses = false;

  constructor(apiUrl: string, token: string, clock: Clock) {
    this.#client = new webApi.WebClient(token, { ...clientOptions(apiUrl), logger: silence });
    this.#clock = clock;
  }

  /** Calls a method; waits for rate limits. */
  async call(method: string, args: Arguments = {}): Promise<Answer> {
    for (let left = maxTries; ; left--) {
      await this.#pause(method);
      try {
        return await this.once(method, args);
      } catch (error) {
        const seconds = retryAfter(error);
        if (seconds === undefined || left <= 1 || seconds * 1_000 > longestWait) throw error;
        await sleep(this.#clock, seconds * 1_000);
      }
    }
  }

  /** Calls a method without waiting. */
  async once(method: string, args: Arguments = {}): Promise<Answer> {
    try {
      return { ...(await this.#client.apiCall(method, { ...args })) };
    } catch (error) {
      if (isAnswerLost(error)) this.lostResponses = true;
      throw error;
    }
  }

  /** Calls a method that deletes or ends something, which may be gone already; repeats the call if its response is lost. */
  async callOrGone(method: string, args: Arguments): Promise<void> {
    for (let left = maxTries; ; left--) {
      try {
        await this.call(method, args);
        return;
      } catch (error) {
        if (goneCodes.includes(slackCode(error) ?? '')) return;
        if (!isAnswerLost(error) || left <= 1) throw error;
      }
    }
  }

  async #pause(method: string): Promise<void> {
    const spacing = spacings[method];
    if (spacing === undefined) return;
    const wait = (this.#last.get(method) ?? Number.NEGATIVE_INFINITY) + spacing - this.#clock.now();
    if (wait > 0) await sleep(this.#clock, wait);
    this.#last.set(method, this.#clock.now());
  }
}
