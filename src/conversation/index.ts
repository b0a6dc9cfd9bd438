export * from './conversations.ts';
export type { ChatMessage } from './history.ts';
export { estimateTokens } from './tokens.ts';
