/** A standalone client for the media-and-chat service: see {@link ServiceClient}. */

export type { ChatEvent } from './chat-stream.ts';
export { ServiceClient } from './client.ts';
export { LastingState } from './decode/lasting-state.ts';
export type { MediaResult } from './decode/media/media.ts';
export { isOfOtherKind } from './decode/media/media-kind.ts';
export type { TaskStatus } from './decode/task.ts';
export type { TaskState } from './decode/task-state.ts';
export type { ChatUsage } from './decode/usage.ts';
export type { Voice } from './decode/voices.ts';
export {
  AuthenticationError,
  BadResponseError,
  ContentRefusedError,
  CreditError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RejectedRequestError,
  ResultGoneError,
  ServerError,
  TruncatedStreamError,
} from './errors/answered-errors.ts';
export { describeFault, type Fault, type FaultCode } from './errors/fault.ts';
export {
  type AddressFault,
  AddressRefusedError,
  CancelledError,
  ClientClosedError,
  ConnectionError,
  InvalidRequestError,
  QueueFullError,
  type TimeLimit,
  TimeoutError,
  TooLargeError,
} from './errors/local-errors.ts';
export { type Operation, type Outcome, ServiceError } from './errors/service-error.ts';
export { KeyHealth, type KeyTrouble } from './key-health.ts';
export type { LogFields, ServiceLog } from './log.ts';
export type { ChatAnswer } from './operations/chat.ts';
export type { DownloadOptions } from './operations/download.ts';
export type { ImageResult } from './operations/images.ts';
export type { TaskRef, WaitOptions } from './operations/media-tasks.ts';
export type { Download } from './operations/result-stream.ts';
export type { AudioFormat, SpeechResult } from './operations/speech.ts';
export {
  type CallOptions,
  type ClientOptions,
  defaultLimits,
  defaultTimeouts,
  type Limits,
  type Timeouts,
} from './options.ts';
export type { Priority } from './rate-gate/rate-gate.ts';
export * from './rate-gate/rate-windows.ts';
export { type ChatMessage, type ChatRequest, validateChat } from './validate/chat.ts';
export {
  validateApiKey,
  validateBaseUrl,
  validateConversationId,
  validateTaskId,
} from './validate/identity.ts';
export { type ImageRequest, validateImage } from './validate/image.ts';
export { type SpeechRequest, validateSpeech } from './validate/speech.ts';
export { type VideoRequest, validateVideo } from './validate/video.ts';
