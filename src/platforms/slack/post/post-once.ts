import type { Clock } from '../../../lib/clock.ts';
import type { Address, MessageAddress } from '../../../port/index.ts';
import { messageAt } from './address.ts';
import { markOf, type PostedMessages, type PostRecord } from './posted-messages.ts';

/** Posts under a key at most once: in this process, and over restarts by what is on record. */
export class PostOnce {
  readonly #postedMessages: PostedMessages;
  readonly #clock: Clock;
  readonly #underWay = new Map<string, Promise<MessageAddress>>();

  constructor(postedMessages: PostedMessages, clock: Clock) {
    this.#postedMessages = postedMessages;
    this.#clock = clock;
  }

  /**
   * Does `work`, which answers a message's time stamp. What was done before is answered from the record; what
   * was begun before is told to `work`, and what is under way is waited for.
   */
  run(
    address: Address,
    key: string,
    work: (before: PostRecord | undefined) => Promise<string>,
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
    work: (before: PostRecord | undefined) => Promise<string>,
  ): Promise<MessageAddress> {
    const before = await this.#postedMessages.record(address, key);
    if (before?.ts !== undefined) return messageAt(address, before.ts);
    if (!before) await this.#postedMessages.keep(address, key, { at: this.#clock.now(), files: {} });
    const ts = await work(before);
    const record = (await this.#postedMessages.record(address, key)) ?? { at: this.#clock.now(), files: {} };
    await this.#postedMessages.keep(address, key, { ...record, ts });
    return messageAt(address, ts);
  }
}
