export * from './admission.ts';
export * from './bring-notice.ts';
export type * from './command.ts';
export * from './command-watch.ts';
export * from './dispatcher.ts';
export type { MessageCommandRequest } from './message-commands.ts';
export { questionLife } from './questions.ts';
export * from './recovery.ts';
export * from './response-limit.ts';
