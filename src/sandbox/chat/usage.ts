import type { ChatModel } from '../../service-rules/models.ts';
import {
  type ChatTokenKind,
  type CreditRange,
  chatCreditsPerMillionTokens,
} from '../../service-rules/prices.ts';
import type { PromptTokens } from './prompt-cache.ts';

/** All tokens of one chat call. */
export interface ChatTokens extends PromptTokens {
  readonly output: number;
}

/**
 * The price of a chat call in millionths of a credit. The description gives ranges; the sandbox charges the
 * middle.
 */
export function chatPrice(model: ChatModel, tokens: ChatTokens): number {
  const rates = chatCreditsPerMillionTokens[model];
  const kinds: ChatTokenKind[] = ['input', 'cacheRead', 'cacheCreation', 'output'];
  return kinds.reduce((sum, kind) => sum + tokens[kind] * middle(rates[kind]), 0);
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

function middle({ low, high }: CreditRange): number {
  return (low + high) / 2;
}
