import type { Clock } from '../../../../lib/clock.ts';
import type { Address, Capabilities, Locale } from '../../../../port/index.ts';
import { slackCode } from '../../api/errors.ts';
import { slackFeatures } from '../../api/features.ts';
import type { RateLimits } from '../../api/rate-limits.ts';
import type { SlackApi } from '../../api/slack-api.ts';
import type { Log } from '../../connection/log.ts';
import { threadOf } from '../../post/address.ts';
import { slackWords } from '../../words.ts';

/** Longest status and longest waiting message; longer ones are refused (letta-code#3553, junior#56). */
const maxText = 50;

/** A status as Slack takes it. */
export function statusText(text: string): string {
  return text.length > maxText ? `${text.slice(0, maxText - 1)}…` : text;
}

/** Slack takes a status down after two minutes; it is put up again before, in milliseconds. */
const renewEvery = 90_000;

export interface StatusDependencies {
  readonly api: SlackApi;
  readonly rateLimits: RateLimits;
  readonly capabilities: Capabilities;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * What stands in a thread until the first words: “is thinking …”, or why it takes long. Slack takes it down when
 * the bot posts there; but a status that is still on its way then would stand there for two minutes, so after
 * such a one it is taken down once more.
 */
export class ThreadStatus {
  readonly #dependencies: StatusDependencies;
  readonly #address: Address;
  readonly #locale: Locale;
  #isOver: boolean;
  #cancel = () => {};
  #last: Promise<void> = Promise.resolve();
  #hint: string | undefined;
  /** A status was put up, or may have been. */
  #isUp = false;
  /** Statuses on their way to Slack. */
  #sending = 0;
  /** One of them may arrive after the first message. */
  #mayOvertake = false;

  constructor(dependencies: StatusDependencies, address: Address, locale: Locale) {
    this.#dependencies = dependencies;
    this.#address = address;
    this.#locale = locale;
    this.#isOver = threadOf(address) === undefined;
  }

  /** Puts up “is thinking …”, and again before Slack takes it down. */
  think(): void {
    if (this.#isOver) return;
    this.#set();
    this.#cancel();
    this.#cancel = this.#dependencies.clock.after(renewEvery, () => this.think());
  }

  /** Shows another sentence from now on; false where there is no status to be seen. */
  show(text: string): boolean {
    if (this.#isOver) return threadOf(this.#address) !== undefined;
    this.#hint = text;
    this.think();
    return true;
  }

  /** The first message is about to be posted: nothing is put up any more. */
  hold(): void {
    this.#isOver = true;
    this.#cancel();
    this.#mayOvertake ||= this.#sending > 0;
  }

  /** Words have come, or nothing will; `posted` tells which. Resolves when nothing is up any more. */
  async end(posted: boolean): Promise<void> {
    this.hold();
    await this.#last;
    if (this.#isUp && (!posted || this.#mayOvertake)) await this.#send('');
    this.#isUp = false;
    this.#mayOvertake = false;
  }

  #set(): void {
    const { thinking } = slackWords(this.#locale);
    this.#last = this.#last.then(() => this.#send(statusText(thinking)));
  }

  async #send(status: string): Promise<void> {
    const { api, rateLimits, capabilities, log } = this.#dependencies;
    const { workspace, channel } = this.#address;
    const method = 'assistant.threads.setStatus';
    await rateLimits.of(method, workspace, channel).slot();
    const withHints = (await capabilities.find(workspace, slackFeatures.loadingMessages)) !== 'refused';
    // What is over by now is not put up any more.
    if (status !== '' && this.#isOver) return;
    this.#sending += 1;
    if (status !== '') this.#isUp = true;
    try {
      await api.call(workspace, method, this.#args(status, withHints), { hasSlot: true, urgent: false });
    } catch (error) {
      log.debug({ error: String(error) }, 'a status could not be set');
      if (withHints && status !== '' && slackCode(error) === 'invalid_arguments') {
        await capabilities.note(workspace, slackFeatures.loadingMessages, 'refused');
        this.#set();
      }
    } finally {
      this.#sending -= 1;
    }
  }

  #args(status: string, withHints: boolean) {
    const { waits } = slackWords(this.#locale);
    const hints = this.#hint === undefined ? waits : [this.#hint];
    return {
      channel_id: this.#address.channel,
      thread_ts: threadOf(this.#address),
      status,
      ...(status !== '' && withHints && { loading_messages: hints.map(statusText) }),
    };
  }
}
