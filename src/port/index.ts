export * from './address.ts';
export * from './capabilities.ts';
export type { SpokenForm } from './command-line/intent.ts';
export type * from './commands/asked.ts';
export * from './commands/asked-in.ts';
export * from './commands/command.ts';
export type * from './commands/command-end.ts';
export * from './commands/command-line.ts';
export * from './commands/from-message.ts';
export * from './commands/message.ts';
export * from './commands/option.ts';
export * from './commands/paid-commands.ts';
export * from './commands/parse-options.ts';
export * from './commands/private.ts';
export * from './commands/reply.ts';
export * from './commands/timestamps.ts';
export * from './dispatch/bring-notice.ts';
export * from './dispatch/command-watch.ts';
export * from './dispatch/dispatcher.ts';
export * from './dispatch/dispatcher-dependencies.ts';
export type { Draft, Drafts } from './dispatch/drafts.ts';
export * from './dispatch/held-to-limit.ts';
export {
  draftFormId,
  type MessageCommandRequest,
  parseDraftFormId,
} from './dispatch/message-commands.ts';
export type { StartTurn } from './dispatch/order/ordered-start.ts';
export type * from './dispatch/outcome.ts';
export { isQuestion, questionLife } from './dispatch/questions/question.ts';
export * from './dispatch/recovery.ts';
export * from './dispatch/response-limit.ts';
export * from './dispatch/rules.ts';
export * from './dispatch/settles-press.ts';
export type * from './home.ts';
export * from './locale.ts';
export * from './platform.ts';
export * from './post/after-question.ts';
export * from './post/climb.ts';
export type * from './post/door.ts';
export * from './post/held.ts';
export * from './post/ladder.ts';
export * from './post/late-notice.ts';
export * from './post/no-access.ts';
export * from './post/platform-adapter.ts';
export * from './post/platform-error.ts';
export * from './post/post-directly.ts';
export * from './post/search-result.ts';
export * from './post/when-deleted.ts';
