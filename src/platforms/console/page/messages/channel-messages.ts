import type { WireDraft, WireGone, WireMessage, WirePage } from '../../api/wire.ts';

/** The messages of one place that the page holds: the newest ones without a gap, oldest first. */
export class ChannelMessages {
  readonly #messages: WireMessage[] = [];
  /** Removed while a page of messages that still has them may be on its way. */
  readonly #gone = new Set<number>();
  /** Whether there are older ones than those held. */
  more = true;
  loaded = false;

  get all(): readonly WireMessage[] {
    return this.#messages;
  }

  get oldest(): number | undefined {
    return this.#messages[0]?.id;
  }

  find(id: number): WireMessage | undefined {
    const index = this.#indexOf(id);
    return index < 0 ? undefined : this.#messages[index];
  }

  /** Takes the newest messages, or those before the oldest one held. */
  addPage(page: WirePage): void {
    for (const message of page.messages) this.#put(message);
    this.more = page.more;
    this.loaded = true;
  }

  /** Takes a change; true where it shows here. */
  apply(message: WireMessage | WireGone): boolean {
    if ('gone' in message) {
      this.#gone.add(message.id);
      const index = this.#indexOf(message.id);
      if (index >= 0) this.#messages.splice(index, 1);
      return index >= 0;
    }
    const isHeld = this.#indexOf(message.id) >= 0;
    const isOlderThanHeld = this.oldest !== undefined && message.id < this.oldest;
    if (!isHeld && (!this.loaded || (isOlderThanHeld && this.more))) return false;
    return this.#put(message);
  }

  /** Takes the newest state of a message that is being written; true where it shows here. */
  grow(draft: WireDraft): boolean {
    const index = this.#indexOf(draft.id);
    const message = this.#messages[index];
    if (!message?.isDraft) return false;
    this.#messages[index] = { ...message, body: draft.body, buttons: draft.buttons };
    return true;
  }

  /** Lets go of all but the newest `count`. */
  keepNewest(count: number): void {
    if (this.#messages.length <= count) return;
    this.#messages.splice(0, this.#messages.length - count);
    this.more = true;
  }

  #put(message: WireMessage): boolean {
    if (this.#gone.has(message.id)) return false;
    const index = this.#indexOf(message.id);
    if (index >= 0) {
      const held = this.#messages[index];
      if (held && held.revision > message.revision) return false;
      this.#messages[index] = message;
    } else this.#messages.splice(~index, 0, message);
    return true;
  }

  /** Where a message is; where it is not, the complement of where it would be. */
  #indexOf(id: number): number {
    let low = 0;
    let high = this.#messages.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = this.#messages[middle]?.id ?? 0;
      if (found === id) return middle;
      if (found < id) low = middle + 1;
      else high = middle - 1;
    }
    return ~low;
  }
}
