import { DiscordAPIError, HTTPError, RateLimitError, RESTJSONErrorCodes } from 'discord.js';
import { PlatformError, type PlatformErrorKind } from '../../../port/index.ts';

/** Discord's error codes that a person can be told something about. */
const kinds: ReadonlyMap<number, PlatformErrorKind> = new Map([
  [RESTJSONErrorCodes.UnknownChannel, 'gone'],
  [RESTJSONErrorCodes.UnknownGuild, 'gone'],
  [RESTJSONErrorCodes.UnknownMessage, 'gone'],
  [RESTJSONErrorCodes.UnknownInteraction, 'expired'],
  [RESTJSONErrorCodes.UnknownWebhook, 'expired'],
  [RESTJSONErrorCodes.InvalidWebhookToken, 'expired'],
  [RESTJSONErrorCodes.MissingAccess, 'not-a-member'],
  [RESTJSONErrorCodes.MissingPermissions, 'no-permission'],
  [RESTJSONErrorCodes.ThreadLocked, 'no-permission'],
  [RESTJSONErrorCodes.CannotSendMessagesToThisUser, 'no-permission'],
  [RESTJSONErrorCodes.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds, 'no-permission'],
  [RESTJSONErrorCodes.CannotReplyWithoutPermissionToReadMessageHistory, 'no-permission'],
  // It passes: direct messages were opened too fast.
  [RESTJSONErrorCodes.OpeningDirectMessagesTooFast, 'unreachable'],
  // So does what Discord says of itself (opcodes-and-status-codes), whatever the status it says it with.
  [RESTJSONErrorCodes.SendMessagesHasBeenTemporarilyDisabled, 'unreachable'],
  [RESTJSONErrorCodes.ServiceResourceIsBeingRateLimited, 'unreachable'],
  [RESTJSONErrorCodes.CloudflareIsBlockingYourRequest, 'unreachable'],
  [RESTJSONErrorCodes.ApplicationNotYetAvailable, 'unreachable'],
  [RESTJSONErrorCodes.APIResourceOverloaded, 'unreachable'],
  // The token of a user-installed bot's interaction has had its five follow-ups.
  [RESTJSONErrorCodes.ThisInteractionHasHitTheMaximumNumberOfFollowUpMessages, 'expired'],
  [RESTJSONErrorCodes.RequestEntityTooLarge, 'too-large'],
  [RESTJSONErrorCodes.FileUploadedExceedsMaximumSize, 'too-large'],
  [RESTJSONErrorCodes.ExplicitContentCannotBeSentToTheDesiredRecipient, 'file-not-allowed'],
]);

/** A server's own rules about words (resources/auto-moderation): of messages, and of threads' names. */
const moderated: readonly (number | undefined)[] = [
  RESTJSONErrorCodes.MessageWasBlockedByAutomaticModeration,
  RESTJSONErrorCodes.TitleWasBlockedByAutomaticModeration,
];

/**
 * What went wrong in the port's words: every answer of 400 to 499 but 429 that is nothing else is `refused`, for
 * good. What is neither a refusal nor an unreachable Discord stays as it is.
 */
export function platformErrorOf(error: unknown): unknown {
  if (error instanceof PlatformError) return error;
  if (error instanceof DiscordAPIError) {
    if (error.status === 401 && error.code === 0)
      return new PlatformError('unreachable', undefined, { cause: error });
    // Discord's own comes with 40005 (reference, uploading files); that of what stands before it has no code, and says
    // the same of a request that carries files.
    if (error.status === 413) return new PlatformError('too-large', undefined, { cause: error });
    // No code: it was answered by what stands before Discord, which blocks for a while, or by a gateway in trouble.
    if (!Number.isInteger(Number(error.code)))
      return new PlatformError('unreachable', undefined, { cause: error });
    if (moderated.includes(Number(error.code)))
      return new PlatformError('moderated', 'AutoMod', { cause: error });
    const refused = error.status >= 400 && error.status < 500 && error.status !== 429;
    const kind = kinds.get(Number(error.code)) ?? (refused ? 'refused' : undefined);
    return kind ? new PlatformError(kind, undefined, { cause: error }) : error;
  }
  if (error instanceof HTTPError || error instanceof RateLimitError || isNetworkError(error)) {
    return new PlatformError('unreachable', undefined, { cause: error });
  }
  return error;
}

/** What was sent, must not be sent twice, and got no answer: nobody knows whether it was done. */
export class UnconfirmedError extends PlatformError {
  constructor(cause: unknown) {
    super('unreachable', undefined, { cause });
    this.name = 'UnconfirmedError';
  }
}

/** @throws `expired` for what nobody knows the end of: by the token nothing more can be done about it. */
export function throwExpiredIfUnconfirmed(error: unknown): never {
  throw error instanceof UnconfirmedError ? new PlatformError('expired', undefined, { cause: error }) : error;
}

/** Connections that never came about, so that nothing was sent. */
const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether a request that failed may have been carried out all the same. */
export function mayHaveArrived(error: unknown): boolean {
  if (error instanceof HTTPError) return error.status >= 500;
  if (!isNetworkError(error)) return false;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code !== 'string' || !neverConnected.has(code);
}

/** Discord's code of a refusal, also of one that is the cause of an platform error. */
export function errorCode(error: unknown): number | undefined {
  const refusal = error instanceof PlatformError ? error.cause : error;
  return refusal instanceof DiscordAPIError ? Number(refusal.code) : undefined;
}

/** Whether a server's AutoMod blocked the words. */
export function isModerated(error: unknown): boolean {
  return error instanceof PlatformError && error.kind === 'moderated';
}

/** Whether the connection failed, so that nobody knows what became of the request. */
export function isNetworkError(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof DiscordAPIError || error instanceof HTTPError)
    return false;
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return true;
  if (error instanceof TypeError) return error.cause !== undefined && isNetworkError(error.cause);
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^(UND_ERR_|E(?!RR_)[A-Z_]+$)/.test(code);
}

/** For how long Discord takes no more of a request, in milliseconds, where that is why it was not made. */
export function rateLimitWait(error: unknown): number | undefined {
  const refusal = error instanceof PlatformError ? error.cause : error;
  return refusal instanceof RateLimitError ? Math.max(refusal.retryAfter, refusal.timeToReset) : undefined;
}

/** Says which permissions are missing, in an error that is about that. */
export function withMissingPermissions(error: unknown, missing: () => readonly string[]): unknown {
  if (!(error instanceof PlatformError) || error.detail !== undefined) return error;
  if (error.kind !== 'no-permission' && error.kind !== 'not-a-member') return error;
  const names = missing();
  return names.length === 0
    ? error
    : new PlatformError('no-permission', names.join(', '), { cause: error.cause });
}

/** Whether it came too late for an interaction: the person has seen that nothing came, and nothing was begun. */
export function isExpired(error: unknown): boolean {
  return error instanceof PlatformError && error.kind === 'expired';
}

/**
 * Whether a message takes no edits any more: it is gone, has its limit of edits for messages older than an hour, or
 * could not be changed for a while.
 */
export function takesNoMoreEdits(error: unknown): boolean {
  const code = errorCode(error);
  if (code === RESTJSONErrorCodes.MaximumNumberOfEditsToMessagesOlderThanOneHourReached) return true;
  return isGone(error) || isExpired(error) || rateLimitWait(error) !== undefined;
}

/** Whether Discord refuses to change a message so, while it may take the same as a new one. */
export function isRefused(error: unknown): boolean {
  return error instanceof PlatformError && error.kind === 'refused';
}

/** Whether what it was about is not there (any more). */
export function isGone(error: unknown): boolean {
  return error instanceof PlatformError && error.kind === 'gone';
}

/** A thread's own refusals: what was to stand in a public one is posted in its channel then. */
const threadShut: readonly (number | undefined)[] = [
  RESTJSONErrorCodes.UnknownChannel,
  RESTJSONErrorCodes.ThreadLocked,
  RESTJSONErrorCodes.InvalidActionOnArchivedThread,
  RESTJSONErrorCodes.MissingPermissions,
  RESTJSONErrorCodes.MissingAccess,
];

/** Whether a thread takes nothing, while its channel may. */
export function isThreadClosed(error: unknown): boolean {
  return threadShut.includes(errorCode(error));
}
