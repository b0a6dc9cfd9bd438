export { LiveReply, type LiveReplyOptions, type ReplyProgress } from './live-reply.ts';
export { smallestMaxLength } from './markdown/splitter.ts';
export { markdownAfter, sharedLength } from './markdown-after.ts';
export {
  type Allowance,
  Pacer,
  type Pacing,
  type Rate,
  type SlotOptions,
  type Urgency,
} from './pacer.ts';
export { Pacers } from './pacers.ts';
export {
  type Ending,
  type MessageContext,
  type ReplySink,
  RetryableWriteError,
  WriteTimeoutError,
  withNote,
} from './sink.ts';
export { firstMessages, mostMessages, type ShownText, splitMarkdown } from './split-markdown.ts';
