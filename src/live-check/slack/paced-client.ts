import { webApi } from '@slack/bolt';
import { type Clock, sleep } from '../../lib/clock.ts';
import { isAnswerLost, retryAfter, slackCode } from '../../platforms/slack/api/errors.ts';
import { clientOptions } from '../../platforms/slack/api/slack-api.ts';
import { libraryLogger } from '../../platforms/slack/connection/log.ts';

export type Answer = Readonly<Record<string, unknown>>;
type Arguments = Readonly<Record<string, unknown>>;

/** Pauses before these methods, in milliseconds: one post a second in a channel, one edit in 1.2 s. */
const pauses: Readonly<Record<string, number>> = { 'chat.postMessage': 1_100, 'chat.update': 1_300 };
/** Waited for at most so long where Slack is asked too often, in milliseconds, so many times. */
const longestWait = 61_000;
const tries = 3;
const silence = libraryLogger({ debug() {}, info() {}, warn() {}, error() {} });
/** What it is as good as: it is not there any more, or has ended. */
const goneCodes: readonly string[] = [
  'message_not_found',
  'message_not_in_streaming_state',
  'file_not_found',
];

/** Calls of the Web API, one after the other, at a pace that Slack takes. */
export class PacedClient {
  readonly #client: webApi.WebClient;
  readonly #clock: Clock;
  readonly #last = new Map<string, number>();
  /** Whether nobody knows what became of some call. */
  lostAnswers = false;

  constructor(apiUrl: string, token: string, clock: Clock) {
    this.#client = new webApi.WebClient(token, { ...clientOptions(apiUrl), logger: silence });
    this.#clock = clock;
  }

  /** Calls a method; waits where Slack says so. */
  async call(method: string, args: Arguments = {}): Promise<Answer> {
    for (let left = tries; ; left--) {
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

  /** Calls a method without any waiting. */
  async once(method: string, args: Arguments = {}): Promise<Answer> {
    try {
      return { ...(await this.#client.apiCall(method, { ...args })) };
    } catch (error) {
      if (isAnswerLost(error)) this.lostAnswers = true;
      throw error;
    }
  }

  /** Calls a method that takes something away; that it is gone already is as good. A lost answer is asked again. */
  async callOrGone(method: string, args: Arguments): Promise<void> {
    for (let left = tries; ; left--) {
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
    const spacing = pauses[method];
    if (spacing === undefined) return;
    const wait = (this.#last.get(method) ?? Number.NEGATIVE_INFINITY) + spacing - this.#clock.now();
    if (wait > 0) await sleep(this.#clock, wait);
    this.#last.set(method, this.#clock.now());
  }
}
