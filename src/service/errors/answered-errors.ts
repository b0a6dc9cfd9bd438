import { ServiceError } from './service-error.ts';

/** 401: the key is missing, wrong or deleted. */
export class AuthenticationError extends ServiceError {}

/** 403: the key is valid but lacks permission for this. */
export class PermissionError extends ServiceError {}

/** 402, or an error code about balance or credits: the account can't pay. */
export class CreditError extends ServiceError {}

/** 400, 413, 422 and the other 4xx: the service rejects the request. */
export class RejectedRequestError extends ServiceError {}

/** The service refuses this content (its error code is about policy, moderation or safety). */
export class ContentRefusedError extends RejectedRequestError {}

/** 404 or 410: the task, or the path under the base URL, doesn't exist. */
export class NotFoundError extends ServiceError {}

/** A result no longer exists (404 or 410 on download). */
export class ResultGoneError extends NotFoundError {}

/** 429: the key's rate limit is exceeded (service description, section 8). */
export class RateLimitError extends ServiceError {}

/** 5xx, 408, or an error in the body of a successful response. */
export class ServerError extends ServiceError {}

/** The service's 2xx response isn't a valid one for the request. */
export class BadResponseError extends ServiceError {}

/** A chat stream ended without `[DONE]` or a `finish_reason`. */
export class TruncatedStreamError extends ServiceError {}
