export * from './conversations.ts';
export type { ChatMessage } from './history.ts';
export { estimateTokens, TokenCount } from './tokens.ts';
