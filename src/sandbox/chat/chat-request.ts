import { type ChatModel, chatModels } from '../../service-rules/models.ts';
import { Parameters } from '../http/parameters.ts';

/** Roles of the Chat Completions API; the description doesn't list them. */
export const roles = ['system', 'developer', 'user', 'assistant', 'tool'] as const;
export type Role = (typeof roles)[number];

/** One message of a conversation. */
export interface Message {
  readonly role: Role;
  readonly content: string;
}

/** A valid request of POST /chat/completions. */
export interface ChatRequest {
  readonly model: ChatModel;
  readonly messages: readonly Message[];
  readonly stream: boolean;
  /** Whether a streamed answer includes usage: yes unless `stream_options` says no. */
  readonly usage: boolean;
}

const maxMessages = 10_000;

/** Validates the body of a chat request. */
export function readChatRequest(body: Parameters): ChatRequest {
  const model = body.choice('model', chatModels);
  const messages = body.list('messages', maxMessages);
  if (messages.length === 0) throw body.invalid('messages', 'an array of at least one message');
  return {
    model,
    messages: messages.map((message, index) => readMessage(message, index)),
    stream: body.flag('stream', false),
    usage: body.inner('stream_options')?.flag('include_usage', true) ?? true,
  };
}

function readMessage(given: unknown, index: number): Message {
  const message = new Parameters(given, `messages[${index}]`);
  return { role: message.choice('role', roles), content: message.string('content') };
}
