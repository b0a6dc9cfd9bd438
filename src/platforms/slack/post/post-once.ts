import type { Clock } from '../../../lib/clock.ts';
import type { Address, MessageAddress } from '../../../port/index.ts';
import { messageAt } from './address.ts';
import { markOf, type PostedMessages, type PostedParts, type PostRecord } from './posted-messages.ts';

/** Posts once for each key: within this process, and across restarts by what is on record. */
export class PostOnce {
  readonly #postedMessages: PostedMessages;
  readonly #clock: Clock;
  readonly #underWay = new Map<string, Promise<MessageAddress>>();

  constructor(postedMessages: PostedMessages, clock: Clock) {
    this.#postedMessages = postedMessages;
    this.#clock = clock;
  }

  /**
   * Does `work`, which returns the messages it took. A post that was made before is returned from the record;
   * `work` gets the record of one that was begun before; one under way is waited for.
   */
  run(
    address: Address,
    key: string,
    work: (before: PostRecord | undefined) => Promise<PostedParts>,
  ): Promise<MessageAddress> {
    const mark = markOf(address, key);
    const running = this.#underWay.get(mark);
    if (running) return running;
    const done = this.#work(address, key, work).finally(() => this.#underWay.delete(mark));
    this.#underWay.set(mark, done);
    return done;
  }

  async #work(
    address: Address,
    key: string,
    work: (before: PostRecord | undefined) => Promise<PostedParts>,
  ): Promise<MessageAddress> {
    const before =
      (await this.#postedMessages.record(address, key)) ??
      (await this.#postedMessages.lostRecord(address, key));
    if (before?.ts !== undefined) return postedAt(address, { parts: [], ...before, ts: before.ts });
    if (!before) await this.#postedMessages.keep(address, key, { at: this.#clock.now(), files: {} });
    const posted = await work(before);
    const record = (await this.#postedMessages.record(address, key)) ?? { at: this.#clock.now(), files: {} };
    await this.#postedMessages.keep(address, key, { ...record, ...posted });
    return postedAt(address, posted);
  }
}

function postedAt(address: Address, { ts, parts }: PostedParts): MessageAddress {
  return { ...messageAt(address, ts), ...(parts.length > 0 && { parts }) };
}
