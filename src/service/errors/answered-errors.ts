import { ServiceError } from './service-error.ts';

/** 401: the key is missing, wrong or deleted. */
export class AuthenticationError extends ServiceError {}

/** 403: the key is right and may not do this. */
export class PermissionError extends ServiceError {}

/** 402, or a refusal whose code speaks of balance or credits: the account cannot pay. */
export class CreditError extends ServiceError {}

/** 400, 413, 422 and the other 4xx: the service does not accept the request as it stands. */
export class RejectedRequestError extends ServiceError {}

/** The service will not work on this content (its code speaks of policy, moderation or safety). */
export class ContentRefusedError extends RejectedRequestError {}

/** 404 or 410: no such task, or no such address under the base URL. */
export class NotFoundError extends ServiceError {}

/** A result that was there once is gone (404 or 410 when it is fetched). */
export class ResultGoneError extends NotFoundError {}

/** 429: the key's requests per minute are used up (service description, section 8). */
export class RateLimitError extends ServiceError {}

/** 5xx, 408, or an error the service reported in the body of an answer. */
export class ServerError extends ServiceError {}

/** The service answered 2xx with something that cannot be what was asked for. */
export class BadResponseError extends ServiceError {}

/** A chat stream ended before the answer did: neither `[DONE]` nor a `finish_reason`. */
export class TruncatedStreamError extends ServiceError {}
