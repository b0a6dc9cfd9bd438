import type { Clock } from '../../../../lib/clock.ts';
import { shortened } from '../../../../lib/text.ts';
import type { Address, Capabilities } from '../../../../port/index.ts';
import { slackCode, slackFeatures } from '../../api/errors.ts';
import type { Log } from '../../api/log.ts';
import type { RateLimits } from '../../api/rate-limits.ts';
import type { SlackApi } from '../../api/slack-api.ts';
import { threadOf } from '../../post/address.ts';

/** Longest status and longest loading message; longer ones are refused (letta-code#3553, junior#56). */
const maxText = 50;

/** A status cut to the length that Slack takes. */
export function statusText(text: string): string {
  return shortened(text, maxText);
}

/** Slack removes a status after two minutes; it’s renewed before that, in milliseconds. */
const renewEvery = 90_000;

interface StatusDependencies {
  readonly api: SlackApi;
  readonly rateLimits: RateLimits;
  readonly capabilities: Capabilities;
  readonly clock: Clock;
  readonly log: Log;
}

/** The text of a status after the bot’s name, and the loading messages that Slack shows in turn. */
interface StatusWords {
  readonly status: string;
  readonly hints: readonly string[];
}

/**
 * The status of a thread until the first words: that the bot is at work, or why it takes long. Slack removes it when the bot
 * posts there; but a status that is still on its way then would stay for two minutes, so in that case it’s cleared
 * once more.
 */
export class ThreadStatus {
  readonly #dependencies: StatusDependencies;
  readonly #address: Address;
  readonly #words: StatusWords;
  readonly #tried: (isShown: boolean) => void;
  #isOver: boolean;
  #cancel = () => {};
  #last: Promise<void> = Promise.resolve();
  #hint: string | undefined;
  /** A status was set, or may have been. */
  #isUp = false;
  /** Requests under way. */
  #sending = 0;
  /** One of them may arrive after the first message. */
  #mayOvertake = false;

  /** `tried`: told whether Slack shows it, each time; one that it doesn’t take isn’t tried again. */
  constructor(
    dependencies: StatusDependencies,
    address: Address,
    words: StatusWords,
    tried: (isShown: boolean) => void,
  ) {
    this.#dependencies = dependencies;
    this.#address = address;
    this.#words = words;
    this.#tried = tried;
    this.#isOver = threadOf(address) === undefined;
  }

  /** Sets the status, and renews it before Slack removes it. */
  begin(): void {
    if (this.#isOver) return;
    this.#set();
    this.#cancel();
    this.#cancel = this.#dependencies.clock.after(renewEvery, () => this.begin());
  }

  /** Shows another loading message from now on. */
  show(text: string): void {
    if (this.#isOver) return;
    this.#hint = text;
    this.begin();
  }

  /** The first message is about to be posted: no status is set any more. */
  hold(): void {
    this.#isOver = true;
    this.#cancel();
    this.#mayOvertake ||= this.#sending > 0;
  }

  /** The first words are posted, or none will be; `posted` tells which. Resolves when no status is shown any more. */
  async end(posted: boolean): Promise<void> {
    this.hold();
    await this.#last;
    if (this.#isUp && (!posted || this.#mayOvertake)) await this.#send('');
    this.#isUp = false;
    this.#mayOvertake = false;
  }

  #set(): void {
    this.#last = this.#last.then(() => this.#send(statusText(this.#words.status)));
  }

  async #send(status: string): Promise<void> {
    const { api, rateLimits, capabilities, log } = this.#dependencies;
    const { workspace, channel } = this.#address;
    const method = 'assistant.threads.setStatus';
    await rateLimits.of(method, workspace, channel).slot();
    const withHints = (await capabilities.find(workspace, slackFeatures.loadingMessages)) !== 'refused';
    // It ended meanwhile.
    if (status !== '' && this.#isOver) return;
    this.#sending += 1;
    if (status !== '') this.#isUp = true;
    try {
      await api.call(workspace, method, this.#args(status, withHints), { hasSlot: true, urgent: false });
      if (status !== '') this.#tried(true);
    } catch (error) {
      log.debug({ error: String(error) }, 'a status could not be set');
      if (status === '') return;
      if (withHints && slackCode(error) === 'invalid_arguments') {
        await capabilities.note(workspace, slackFeatures.loadingMessages, 'refused');
        this.#set();
        return;
      }
      if (this.#isOver) return;
      this.#isOver = true;
      this.#cancel();
      this.#tried(false);
    } finally {
      this.#sending -= 1;
    }
  }

  #args(status: string, withHints: boolean) {
    const hints = this.#hint === undefined ? this.#words.hints : [this.#hint];
    return {
      channel_id: this.#address.channel,
      thread_ts: threadOf(this.#address),
      status,
      ...(status !== '' && withHints && { loading_messages: hints.map(statusText) }),
    };
  }
}

/** Names a thread in the agent’s panel, where Slack has no sessions with titles. */
export function nameThread(
  { api, log }: { readonly api: SlackApi; readonly log: Log },
  address: Address,
  title: string,
): void {
  const args = { channel_id: address.channel, thread_ts: threadOf(address), title };
  api
    .call(address.workspace, 'assistant.threads.setTitle', args, { urgent: false })
    .catch((error: unknown) => log.debug({ error: String(error) }, 'a title could not be set'));
}
