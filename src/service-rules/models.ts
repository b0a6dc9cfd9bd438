/** Chat models of the service (description, section 1), the recommended one first. */
export const chatModels = ['svc-llm-1.5', 'svc-llm-1.5-pro'] as const;
export type ChatModel = (typeof chatModels)[number];

/** The only speech model (description, POST /audio/speech). */
export const speechModel = 'svc-tts-1';

/** `X-Svc-Conversation-Id`: letters, digits, `-` and `_`, at most 64 characters (description, section 5). */
export const conversationIdPattern = /^[A-Za-z0-9_-]{1,64}$/;
export const conversationIdHeader = 'x-svc-conversation-id';

/** Keys have the form `sk-svc-<key_body>` (description, section 5). */
export const apiKeyPattern = /^sk-svc-[A-Za-z0-9_-]+$/;
