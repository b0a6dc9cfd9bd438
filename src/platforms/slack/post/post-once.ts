import type { Clock } from '../../../lib/clock.ts';
import type { Address, MessageAddress } from '../../../port/index.ts';
import { messageAt } from './address.ts';
import { markOf, type PostedMessages, type PostRecord } from './posted-messages.ts';

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
   * Does `work`, which returns a message’s time stamp. A post that was made before is returned from the record;
   * `work` gets the record of one that was begun before; one under way is waited for.
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
    const before =
      (await this.#postedMessages.record(address, key)) ??
      (await this.#postedMessages.lostRecord(address, key));
    if (before?.ts !== undefined) return messageAt(address, before.ts);
    if (!before) await this.#postedMessages.keep(address, key, { at: this.#clock.now(), files: {} });
    const ts = await work(before);
    const record = (await this.#postedMessages.record(address, key)) ?? { at: this.#clock.now(), files: {} };
    await this.#postedMessages.keep(address, key, { ...record, ts });
    return messageAt(address, ts);
  }
}
