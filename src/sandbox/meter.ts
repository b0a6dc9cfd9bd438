/** What is metered and what faults are planned for: the operations of the service's description, section 4. */
export const operations = [
  'chat',
  'voices',
  'speech',
  'image',
  'image_status',
  'video',
  'video_status',
] as const;
export type Operation = (typeof operations)[number];

/** One call that was answered or, for a task, one result that became ready. */
export interface MeteredCall {
  readonly operation: Operation;
  readonly requestId: string;
  readonly conversation?: string | undefined;
  /** Millionths of a credit. */
  readonly microcredits: number;
  /** What the price came from: tokens, seconds, resolution. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

interface Total {
  calls: number;
  microcredits: number;
}

const maxItems = 1_000;
const maxConversations = 1_000;

/**
 * The credits of one key, kept in millionths: every price is a whole number of their halves, so that the sums are
 * exact. Totals are kept for good; of the calls that cost something the latest
 * 1,000 are listed, and of the conversations the 1,000 used last, the older ones in one sum.
 */
export class Meter {
  readonly #all: Total = { calls: 0, microcredits: 0 };
  readonly #operations = new Map<Operation, Total>();
  readonly #conversations = new Map<string, Total>();
  readonly #older: Total = { calls: 0, microcredits: 0 };
  readonly #items: object[] = [];

  /** Credits used so far. */
  get credits(): number {
    return this.#all.microcredits / 1e6;
  }

  record(call: MeteredCall, now: number): void {
    add(this.#all, call.microcredits);
    add(entry(this.#operations, call.operation), call.microcredits);
    if (call.conversation !== undefined) this.#recordConversation(call.conversation, call.microcredits);
    if (call.microcredits > 0) this.#recordItem(call, now);
  }

  /** Everything above as JSON, items oldest first. */
  report(): object {
    return {
      object: 'sandbox.meter',
      calls: this.#all.calls,
      credits: this.credits,
      operations: totals(this.#operations),
      conversations: totals(this.#conversations),
      older_conversations: shown(this.#older),
      items: this.#items,
    };
  }

  #recordConversation(conversation: string, microcredits: number): void {
    const total = entry(this.#conversations, conversation);
    add(total, microcredits);
    this.#conversations.delete(conversation);
    this.#conversations.set(conversation, total);
    if (this.#conversations.size <= maxConversations) return;
    const [oldest] = this.#conversations;
    if (!oldest) return;
    this.#older.calls += oldest[1].calls;
    this.#older.microcredits += oldest[1].microcredits;
    this.#conversations.delete(oldest[0]);
  }

  #recordItem(call: MeteredCall, now: number): void {
    this.#items.push({
      request_id: call.requestId,
      time: new Date(now).toISOString(),
      operation: call.operation,
      conversation_id: call.conversation ?? null,
      credits: call.microcredits / 1e6,
      ...call.detail,
    });
    if (this.#items.length > maxItems) this.#items.shift();
  }
}

function add(total: Total, microcredits: number): void {
  total.calls += 1;
  total.microcredits += microcredits;
}

function entry<Name>(totals: Map<Name, Total>, name: Name): Total {
  const known = totals.get(name);
  if (known) return known;
  const fresh = { calls: 0, microcredits: 0 };
  totals.set(name, fresh);
  return fresh;
}

function shown(total: Total): object {
  return { calls: total.calls, credits: total.microcredits / 1e6 };
}

function totals(map: Map<string, Total>): object {
  return Object.fromEntries([...map].map(([name, total]) => [name, shown(total)]));
}
