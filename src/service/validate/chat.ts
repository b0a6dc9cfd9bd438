import { type ChatModel, chatModels } from '../../service-rules/models.ts';
import type { Fault } from '../errors/fault.ts';
import { checkObject, listOf, oneOf, type Rules, required, text } from './rules.ts';

/** One message of a conversation (description, section 2, which doesn't list the roles). */
export interface ChatMessage {
  role: string;
  content: string;
}

/** Request of `chat.create` and `chat.stream` (description, POST /chat/completions). */
export interface ChatRequest {
  model: ChatModel;
  messages: readonly ChatMessage[];
}

const message: Rules<ChatMessage> = { role: required(text()), content: required(text({ blank: true })) };

const request: Rules<ChatRequest> = {
  model: required(oneOf(chatModels)),
  messages: required(listOf((value, field) => checkObject(message, value, field), { min: 1 })),
};

/** Validates a chat request; returns all faults. */
export function validateChat(value: unknown): Fault[] {
  return checkObject(request, value);
}
