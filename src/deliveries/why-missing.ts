import { bringNotice } from '../engine/index.ts';
import type { Asked, Job, Locale, PlatformAdapters, PlatformError } from '../port/index.ts';
import type { DeliveryWords, PendingDelivery } from './pending-delivery.ts';

interface WhyMissingDependencies {
  readonly adapters: PlatformAdapters;
  readonly words: (locale: Locale) => DeliveryWords;
  /** Whose answer it is. */
  readonly asked: (job: Job) => Asked;
  /** Resolves once the job's question, which was answered, is closed: what's told here may come into its message. */
  readonly closed: () => Promise<void>;
  readonly log: { warn(data: object, message: string): void };
}

/** Tells people why an answer isn't where they look for it. */
export class WhyMissing {
  readonly #dependencies: WhyMissingDependencies;
  readonly #job: Job;
  readonly #pending: PendingDelivery;

  constructor(dependencies: WhyMissingDependencies, job: Job, pending: PendingDelivery) {
    this.#dependencies = dependencies;
    this.#job = job;
    this.#pending = pending;
  }

  /** Why it couldn't be posted anywhere, going by the channel's first refusal. */
  async nowhere(refusal: PlatformError | undefined): Promise<string> {
    const say = this.#dependencies.words(this.#job.requester.locale);
    const [file] = this.#pending.message.files ?? [];
    if (!file || refusal?.kind !== 'too-large') return say.postedNowhere;
    const limit = await this.#adapter?.maxFileBytes(this.#job.address, file.kind).catch(() => undefined);
    // A channel may accept less than it advertises.
    return say.tooLargeAnywhere(file.size, limit !== undefined && limit < file.size ? limit : undefined);
  }

  /** Posts what happened to it in its channel, once for each `name`. */
  async post(text: string, name: string): Promise<void> {
    const message = { text, whose: this.#dependencies.asked(this.#job) };
    const { shown = [], shownText = '' } = this.#pending;
    const answer =
      shown.length > 0 ? ({ messages: shown, lastText: shownText, kind: 'growing' } as const) : undefined;
    const adapter = this.#adapter;
    try {
      await this.#dependencies.closed();
      if (adapter) await bringNotice(adapter, this.#job, { message, name, answer });
    } catch (error) {
      this.#dependencies.log.warn({ job: this.#job.id, error }, "couldn't post why an answer is missing");
    }
  }

  /** Ends the platform's "still working" indicator, where only that can be replaced: people have the answer already. */
  async settle(text: string): Promise<void> {
    const { acknowledgement } = this.#job;
    if (!acknowledgement) return;
    const settled = async () => {
      await this.#dependencies.closed();
      await this.#adapter?.answerInterrupted?.(acknowledgement, { text });
    };
    await settled().catch(() => {});
  }

  get #adapter(): ReturnType<PlatformAdapters> {
    return this.#dependencies.adapters(this.#job.address.platform);
  }
}
