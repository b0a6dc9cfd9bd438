/** The operations of the service's description, section 4. */
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

/** One answered call or, for a task, one finished result. */
export interface MeteredCall {
  readonly operation: Operation;
  readonly requestId: string;
  readonly conversation?: string | undefined;
  /** Millionths of a credit. */
  readonly microcredits: number;
  /** What the price is based on: tokens, seconds, resolution. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

interface Total {
  calls: number;
  microcredits: number;
}

const maxItems = 1_000;
const maxConversations = 1_000;

/**
 * The usage of one key, in millionths of a credit, so that sums are exact. It lists the latest 1,000 paid calls
 * and the 1,000 most recently used conversations; older conversations are added up.
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

  /** The usage as JSON, items oldest first. */
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
