import { z } from 'zod';

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
export const meteredCall = z.object({
  operation: z.enum(operations),
  requestId: z.string(),
  conversation: z.string().optional(),
  /** Millionths of a credit, so that sums are exact. */
  microcredits: z.number(),
  /** The basis of the price: tokens, seconds, resolution. */
  detail: z.record(z.string(), z.unknown()).exactOptional(),
});
export type MeteredCall = Readonly<z.output<typeof meteredCall>>;

class Total {
  calls = 0;
  microcredits = 0;

  add({ calls, microcredits }: { readonly calls: number; readonly microcredits: number }): void {
    this.calls += calls;
    this.microcredits += microcredits;
  }

  toJSON(): object {
    return { calls: this.calls, credits: this.microcredits / 1e6 };
  }
}

const maxItems = 1_000;
const maxConversations = 1_000;

/**
 * The usage of one key. It lists the latest 1,000 paid calls and the 1,000 most recently used conversations; older
 * conversations are added up.
 */
export class Meter {
  readonly #all = new Total();
  readonly #operations = new Map<Operation, Total>();
  readonly #conversations = new Map<string, Total>();
  readonly #older = new Total();
  readonly #items: object[] = [];

  /** Credits used so far. */
  get credits(): number {
    return this.#all.microcredits / 1e6;
  }

  record({ operation, requestId, conversation, microcredits, detail }: MeteredCall, now: number): void {
    const one = { calls: 1, microcredits };
    this.#all.add(one);
    const total = this.#operations.get(operation) ?? new Total();
    total.add(one);
    this.#operations.set(operation, total);
    if (conversation !== undefined) this.#recordConversation(conversation, one);
    if (microcredits === 0) return;
    this.#items.push({
      request_id: requestId,
      time: new Date(now).toISOString(),
      operation,
      conversation_id: conversation ?? null,
      credits: microcredits / 1e6,
      ...detail,
    });
    if (this.#items.length > maxItems) this.#items.shift();
  }

  /** The usage as JSON, items oldest first. */
  report(): object {
    return {
      object: 'sandbox.meter',
      ...this.#all.toJSON(),
      operations: Object.fromEntries(this.#operations),
      conversations: Object.fromEntries(this.#conversations),
      older_conversations: this.#older,
      items: this.#items,
    };
  }

  #recordConversation(conversation: string, one: { readonly calls: number; readonly microcredits: number }) {
    const total = this.#conversations.get(conversation) ?? new Total();
    total.add(one);
    this.#conversations.delete(conversation);
    this.#conversations.set(conversation, total);
    const [oldest] = this.#conversations;
    if (this.#conversations.size <= maxConversations || !oldest) return;
    this.#older.add(oldest[1]);
    this.#conversations.delete(oldest[0]);
  }
}
