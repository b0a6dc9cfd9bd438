/** A standalone client for the media-and-chat service: see {@link ServiceClient}. */

export { KeyHealth, type KeyTrouble } from './calls.ts';
export type { ChatUsage } from './chat-decoder.ts';
export { ServiceClient } from './client.ts';
export { isOfOtherKind, type MediaResult } from './decode/media.ts';
export { LastingState, type TaskState, type TaskStatus } from './decode/task.ts';
export {
  type AddressFault,
  AddressRefusedError,
  AuthenticationError,
  BadResponseError,
  CancelledError,
  ClientClosedError,
  ConnectionError,
  ContentRefusedError,
  CreditError,
  describeFault,
  type Fault,
  type FaultCode,
  InvalidRequestError,
  type LogFields,
  NotFoundError,
  type Operation,
  type Outcome,
  PermissionError,
  QueueFullError,
  RateLimitError,
  RejectedRequestError,
  ResultGoneError,
  ServerError,
  ServiceError,
  type ServiceLogger,
  type TimeLimit,
  TimeoutError,
  TooLargeError,
  TruncatedStreamError,
  UnreadBodyError,
} from './errors.ts';
export { isStreamed, type StreamedText } from './http/json-body.ts';
export {
  type ChatAnswer,
  type ChatEvent,
  type ChatMessage,
  type ChatRequest,
  validateChat,
} from './operations/chat.ts';
export type { DownloadOptions } from './operations/download.ts';
export { type ImageRequest, type ImageResult, validateImage } from './operations/images.ts';
export type { TaskRef, WaitOptions } from './operations/media-tasks.ts';
export type { Download } from './operations/result-stream.ts';
export {
  type AudioFormat,
  type SpeechRequest,
  type SpeechResult,
  validateSpeech,
} from './operations/speech.ts';
export { type VideoRequest, validateVideo } from './operations/videos.ts';
export type { Voice } from './operations/voices.ts';
export {
  type CallOptions,
  type ClientOptions,
  defaultLimits,
  defaultTimeouts,
  type Limits,
  type Timeouts,
} from './options.ts';
export * from './rate-gate/rate-gate.ts';
export { validateApiKey, validateBaseUrl, validateConversationId, validateTaskId } from './validation.ts';
