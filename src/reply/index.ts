export { LiveReply, type LiveReplyOptions, type ReplyProgress } from './live-reply.ts';
export {
  firstMessages,
  markdownAfter,
  mostMessages,
  type ShownText,
  sharedLength,
  smallestMaxLength,
  splitMarkdown,
  withNoteBelow,
} from './markdown/splitter.ts';
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
  type Ending,
  isInstead,
  type MessageContext,
  type ReplySink,
  RetryableWriteError,
  WriteTimeoutError,
  noteOf,
  withNote,
} from './writer.ts';
