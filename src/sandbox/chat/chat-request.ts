import { chatModels } from '../../service-rules/models.ts';
import { type Call, meter } from '../http/call.ts';
import { Parameters } from '../http/parameters.ts';
import { chatPrice, estimateTokens, type PromptTokens } from './tokens.ts';

/** Roles of the Chat Completions API; the description doesn't list them. */
export const roles = ['system', 'developer', 'user', 'assistant', 'tool'] as const;

/** One message of a conversation. */
export interface Message {
  readonly role: (typeof roles)[number];
  readonly content: string;
}

/** A valid request of POST /chat/completions. */
type ChatRequest = ReturnType<typeof readChatRequest>;

/** An answer being sent. */
export interface ChatAnswer {
  readonly id: string;
  readonly request: ChatRequest;
  readonly text: string;
  /** Why it ended. */
  readonly finish: 'stop' | 'length' | 'content_filter';
  readonly prompt: PromptTokens;
  /** Seconds since the epoch. */
  readonly created: number;
}

const maxMessages = 10_000;

/** Validates the body of a chat request. */
export function readChatRequest(body: Parameters) {
  const model = body.choice('model', chatModels);
  const messages = body.list('messages', maxMessages);
  if (messages.length === 0) throw body.invalid('messages', 'an array of at least one message');
  return {
    model,
    messages: messages.map((given, index): Message => {
      const message = new Parameters(given, `messages[${index}]`);
      return { role: message.choice('role', roles), content: message.string('content') };
    }),
    stream: body.flag('stream', false),
    /** Whether a streamed answer includes usage: yes unless `stream_options` says no. */
    usage: body.inner('stream_options').flag('include_usage', true),
  };
}

/** Meters an answer by the text that was written of it. */
export function meterChat(call: Call, { request: { model }, prompt }: ChatAnswer, written: string): void {
  const output = estimateTokens(written);
  const { input, cacheRead, cacheCreation } = prompt;
  const tokens = { input, cache_read: cacheRead, cache_creation: cacheCreation, output };
  const microcredits = chatPrice(model, { ...prompt, output });
  meter(call, { operation: 'chat', microcredits, detail: { model, tokens } });
}
