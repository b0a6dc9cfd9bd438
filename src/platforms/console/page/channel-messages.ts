import type { WireDeletedMessage, WireDraft, WireMessage, WirePage } from '../api/wire.ts';

/** The loaded messages of one place: the newest ones without a gap, oldest first. */
export class ChannelMessages {
  readonly #messages: WireMessage[] = [];
  /** Deleted messages, which a page of history in flight may still contain. */
  readonly #gone = new Set<number>();
  /** Whether the server has older messages. */
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

  /** Adds a page of the newest messages, or of those before the oldest. */
  addPage(page: WirePage): void {
    for (const message of page.messages) this.#put(message);
    this.more = page.more;
    this.loaded = true;
  }

  /** Applies a change; true if it is visible here. */
  apply(message: WireMessage | WireDeletedMessage): boolean {
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

  /** Applies a draft; true if it is visible here. */
  applyDraft(draft: WireDraft): boolean {
    const index = this.#indexOf(draft.id);
    const message = this.#messages[index];
    if (!message?.isDraft) return false;
    this.#messages[index] = { ...message, body: draft.body, buttons: draft.buttons };
    return true;
  }

  /** Drops all but the newest `count` messages. */
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

  /** Index of a message, or the bitwise complement of where it belongs. */
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
