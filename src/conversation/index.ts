export * from './conversations.ts';
export type { ChatMessage, KeptAnswer } from './history.ts';
export type { OwnThread } from './own-threads.ts';
export {
  contextTokens,
  messageSource,
  ownMessage,
  placeSource,
  type Quote,
  quoted,
  quotedFile,
  repliedTo,
  sourcesOfMessage,
} from './quoted.ts';
export { endOf, estimateTokens, TokenCount } from './tokens.ts';
export { SharedTurns } from './turns/shared-turns.ts';
export { LocalTurns, type Turns } from './turns/turns.ts';
