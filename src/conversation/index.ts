export * from './conversations.ts';
export type { ChatMessage, KeptAnswer, OwnThread } from './history.ts';
export {
  contextTokens,
  messageSource,
  othersIn,
  ownMessage,
  placeSource,
  type Quote,
  quoted,
  quotedFile,
  repliedTo,
  sourcesOf as sourcesOfQuotes,
  sourcesOfMessage,
  withoutOthers,
} from './quoted.ts';
export { SharedTurns } from './turns/shared-turns.ts';
export { AnswersInProgress, LocalTurns, type Turns } from './turns/turns.ts';
