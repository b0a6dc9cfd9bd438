export * from './conversations.ts';
export type { ChatMessage } from './history.ts';
export { contextTokens, type Quote, quoted, repliedTo } from './quoted.ts';
export { estimateTokens, TokenCount } from './tokens.ts';
