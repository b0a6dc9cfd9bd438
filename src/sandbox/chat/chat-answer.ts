import { type Call, type Dependencies, meter } from '../http/call.ts';
import type { ChatRequest } from './chat-request.ts';
import type { PromptTokens } from './prompt-cache.ts';
import { chatPrice } from './usage.ts';

/** Why an answer ended. */
export type FinishReason = 'stop' | 'length' | 'content_filter';

/** An answer being sent. */
export interface ChatAnswer {
  readonly id: string;
  readonly request: ChatRequest;
  readonly text: string;
  readonly finish: FinishReason;
  readonly prompt: PromptTokens;
  /** Seconds since the epoch. */
  readonly created: number;
}

/** Meters an answer with its written output tokens. */
export function meterChat(
  dependencies: Dependencies,
  call: Call,
  { request, prompt }: ChatAnswer,
  output: number,
): void {
  const tokens = { ...prompt, output };
  const microcredits = chatPrice(request.model, tokens);
  const { input, cacheRead, cacheCreation } = prompt;
  const shown = { input, cache_read: cacheRead, cache_creation: cacheCreation, output };
  meter(dependencies, call, {
    operation: 'chat',
    microcredits,
    detail: { model: request.model, tokens: shown },
  });
}
