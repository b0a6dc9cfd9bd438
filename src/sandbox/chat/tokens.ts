import { createHash } from 'node:crypto';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ChatModel } from '../../service-rules/models.ts';
import { chatCreditsPerMillionTokens, type ChatTokenKind } from '../../service-rules/prices.ts';
import type { Message } from './writer/answer.ts';

/** All tokens of one chat call by price (service description, section 8). */
type ChatTokens = Readonly<Record<ChatTokenKind, number>>;

/** Those of its prompt. */
export type PromptTokens = Omit<ChatTokens, 'output'>;

const ideograph =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uffef]/gu;
const charactersPerToken = 4;
const tokensPerMessage = 4;

/** Estimates the tokens of a text: one per ideograph, one per four other characters. */
export function estimateTokens(text: string): number {
  const ideographs = text.match(ideograph)?.length ?? 0;
  return ideographs + Math.ceil((text.length - ideographs) / charactersPerToken);
}

/**
 * The price of a chat call in millionths of a credit. The description gives ranges; the sandbox charges the
 * middle.
 */
export function chatPrice(model: ChatModel, tokens: ChatTokens): number {
  const rates = chatCreditsPerMillionTokens[model];
  const kinds: ChatTokenKind[] = ['input', 'cacheRead', 'cacheCreation', 'output'];
  return kinds.reduce((sum, kind) => sum + (tokens[kind] * (rates[kind].low + rates[kind].high)) / 2, 0);
}

/** The `usage` object of the Chat Completions API. */
export function usageBody({ input, cacheRead, cacheCreation, output }: ChatTokens): object {
  const prompt = input + cacheRead + cacheCreation;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_creation_tokens: cacheCreation },
  };
}

const keptMilliseconds = 5 * 60_000;
const maxPrefixes = 2_000;

/**
 * The prompt cache of one account. All messages but the last are cached for five minutes; requests with the
 * same model and the same first messages read them from the cache. The last message is plain input.
 */
export class PromptCache {
  readonly #kept: BoundedMap<string, true>;

  constructor(clock: Clock) {
    this.#kept = new BoundedMap({ most: maxPrefixes, lifetime: { milliseconds: keptMilliseconds, clock } });
  }

  /** Counts a prompt's tokens and caches it. */
  count(model: ChatModel, messages: readonly Message[]): PromptTokens {
    const tokens = { input: 0, cacheRead: 0, cacheCreation: 0 };
    let prefix: string = model;
    let known = true;
    for (const [index, { role, content }] of messages.entries()) {
      const size = tokensPerMessage + estimateTokens(content);
      if (index === messages.length - 1) {
        tokens.input += size;
        break;
      }
      prefix = createHash('sha256')
        .update(JSON.stringify([prefix, role, content]))
        .digest('base64');
      known &&= this.#kept.has(prefix);
      tokens[known ? 'cacheRead' : 'cacheCreation'] += size;
      this.#kept.set(prefix, true);
    }
    return tokens;
  }
}
