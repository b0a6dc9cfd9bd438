import { createHash } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { ChatModel } from '../../service-rules/models.ts';
import { estimateTokens } from './tokens.ts';

/** Tokens of a prompt by price (service description, section 8). */
export interface PromptTokens {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheCreation: number;
}

/** The part of a message that counts as tokens. */
export interface CachedMessage {
  readonly role: string;
  readonly content: string;
}

const keptMilliseconds = 5 * 60_000;
const maxPrefixes = 2_000;
const tokensPerMessage = 4;

/**
 * The prompt cache of one account. All messages but the last are cached for five minutes; requests with the
 * same model and the same first messages read them from the cache. The last message is plain input.
 */
export class PromptCache {
  readonly #clock: Clock;
  readonly #keptUntil = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a prompt's tokens and caches it. */
  count(model: ChatModel, messages: readonly CachedMessage[]): PromptTokens {
    const tokens = { input: 0, cacheRead: 0, cacheCreation: 0 };
    let prefix: string = model;
    let known = true;
    messages.forEach((message, index) => {
      const size = tokensPerMessage + estimateTokens(message.content);
      if (index === messages.length - 1) {
        tokens.input += size;
        return;
      }
      prefix = createHash('sha256')
        .update(JSON.stringify([prefix, message.role, message.content]))
        .digest('base64');
      known &&= (this.#keptUntil.get(prefix) ?? 0) > this.#clock.now();
      tokens[known ? 'cacheRead' : 'cacheCreation'] += size;
      this.#keep(prefix);
    });
    return tokens;
  }

  #keep(prefix: string): void {
    this.#keptUntil.delete(prefix);
    this.#keptUntil.set(prefix, this.#clock.now() + keptMilliseconds);
    if (this.#keptUntil.size <= maxPrefixes) return;
    const [oldest] = this.#keptUntil.keys();
    if (oldest !== undefined) this.#keptUntil.delete(oldest);
  }
}
