export { LiveReply, type LiveReplyOptions, type ReplyProgress } from './live-reply.ts';
export { smallestMaxLength } from './markdown/splitter.ts';
export {
  type Allowance,
  Pacer,
  Pacers,
  type Pacing,
  type Rate,
  type SlotOptions,
  type Urgency,
} from './pacer.ts';
export {
  firstMessages,
  markdownAfter,
  mostMessages,
  type ShownText,
  sharedLength,
  splitMarkdown,
  withNoteBelow,
} from './split-markdown.ts';
export {
  type Ending,
  isInstead,
  type MessageContext,
  type ReplySink,
  RetryableWriteError,
  WriteTimeoutError,
  noteOf,
  withNote,
} from './writer.ts';
