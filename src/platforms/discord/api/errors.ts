import { DiscordAPIError, HTTPError, RateLimitError } from '@discordjs/rest';
import { RESTJSONErrorCodes } from 'discord-api-types/v10';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { type Clock, systemClock } from '../../../lib/clock.ts';
import { PlatformError, type PlatformErrorKind, refusalOf } from '../../../port/index.ts';

/** The port's meaning of Discord's error codes. */
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
  // Direct messages were opened too fast; that passes.
  [RESTJSONErrorCodes.OpeningDirectMessagesTooFast, 'unreachable'],
  // Discord's own trouble, with whatever status (opcodes-and-status-codes).
  [RESTJSONErrorCodes.SendMessagesHasBeenTemporarilyDisabled, 'unreachable'],
  [RESTJSONErrorCodes.FeatureTemporarilyDisabledServerSide, 'unreachable'],
  [RESTJSONErrorCodes.ServiceResourceIsBeingRateLimited, 'unreachable'],
  [RESTJSONErrorCodes.CloudflareIsBlockingYourRequest, 'unreachable'],
  [RESTJSONErrorCodes.ApplicationNotYetAvailable, 'unreachable'],
  [RESTJSONErrorCodes.APIResourceOverloaded, 'unreachable'],
  // Five follow-ups per interaction where the bot isn't a member.
  [RESTJSONErrorCodes.ThisInteractionHasHitTheMaximumNumberOfFollowUpMessages, 'expired'],
  [RESTJSONErrorCodes.RequestEntityTooLarge, 'too-large'],
  [RESTJSONErrorCodes.FileUploadedExceedsMaximumSize, 'too-large'],
  [RESTJSONErrorCodes.ExplicitContentCannotBeSentToTheDesiredRecipient, 'file-not-allowed'],
  [RESTJSONErrorCodes.AccessToFileUploadsHasBeenLimitedForThisGuild, 'file-not-allowed'],
  // AutoMod blocked a message or a thread's name (resources/auto-moderation).
  [RESTJSONErrorCodes.MessageWasBlockedByAutomaticModeration, 'moderated'],
  [RESTJSONErrorCodes.TitleWasBlockedByAutomaticModeration, 'moderated'],
]);

/**
 * An error of a request as a {@link PlatformError}. Any status from 400 to 499 except 429 that isn't known is `refused`,
 * which is final. An error that is neither a refusal nor an unreachable Discord is returned unchanged.
 */
export function platformErrorOf(error: unknown): unknown {
  const kind = error instanceof PlatformError ? undefined : kindOf(error);
  const detail = kind === 'moderated' ? 'AutoMod' : undefined;
  return kind ? new PlatformError(kind, detail, { cause: error }) : error;
}

function kindOf(error: unknown): PlatformErrorKind | undefined {
  if (!(error instanceof DiscordAPIError)) {
    const isUnreachable =
      error instanceof HTTPError || error instanceof RateLimitError || isNetworkError(error);
    return isUnreachable ? 'unreachable' : undefined;
  }
  const { status } = error;
  const code = Number(error.code);
  if (isTokenRefused(error)) return 'unreachable';
  // Discord's own 413 has the code 40005 (reference, uploading files); a proxy's has none and means the same.
  if (status === 413) return 'too-large';
  // No code: a proxy in front of Discord answered, which blocks for a while or has trouble itself.
  if (!Number.isInteger(code)) return isBareFormError(error) ? 'refused' : 'unreachable';
  const isRefused = status >= 400 && status < 500 && status !== 429;
  return kinds.get(code) ?? (isRefused ? 'refused' : undefined);
}

/** Whether Discord doesn't accept the bot's token. */
export function isTokenRefused(error: unknown): boolean {
  return isGeneral(error, 401);
}

/** Whether something that stands in for Discord doesn't know a route: Discord's own 404s have a code for what's missing. */
export function isRouteUnknown(error: unknown): boolean {
  return isGeneral(error, 404);
}

/** Whether a request was refused with this status, and with the code that says nothing more (reference, JSON error codes). */
function isGeneral(error: unknown, status: number): boolean {
  const refusal = error instanceof PlatformError ? error.cause : error;
  return refusal instanceof DiscordAPIError && refusal.status === status && refusal.code === 0;
}

/** Discord's form error as requests by a token may get it, without a code: `{"components": ["0"]}`. A proxy sends a page. */
function isBareFormError({ status, rawError }: DiscordAPIError): boolean {
  return status === 400 && Object.values(rawError).some(Array.isArray);
}

/** A message that's published to other channels takes few edits, too. */
const publishedLimits: readonly unknown[] = [
  RESTJSONErrorCodes.AnnouncementEditLimitExceeded,
  RESTJSONErrorCodes.ChannelWriteRateLimit,
];

/**
 * Some final refusals have the status of a rate limit (429): the library would repeat the request endlessly. They become
 * a refusal (400).
 */
export function isFinal(method: string | undefined, text: string, longestWait: number): boolean {
  try {
    const { code, retry_after: seconds } = JSON.parse(text) as {
      readonly code?: unknown;
      readonly retry_after?: unknown;
    };
    if (code === RESTJSONErrorCodes.MaximumNumberOfEditsToMessagesOlderThanOneHourReached) return true;
    // The header says that it's over in a second (discord-api-docs#6109).
    return method === 'PATCH' && publishedLimits.includes(code) && Number(seconds) * 1_000 > longestWait;
  } catch {
    return false;
  }
}

/** A request that must not be repeated got no response: nobody knows whether it was carried out. */
export class UnconfirmedError extends PlatformError {
  constructor(cause: unknown) {
    super('unreachable', undefined, { cause });
    this.name = 'UnconfirmedError';
  }
}

/** @throws `expired` instead of an {@link UnconfirmedError}: by its token nothing more can be done. */
export function throwExpiredIfUnconfirmed(error: unknown): never {
  throw error instanceof UnconfirmedError ? new PlatformError('expired', undefined, { cause: error }) : error;
}

/** Errors of connections that were never established: nothing was sent. */
const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether a request that failed may have been carried out anyway. */
export function mayHaveArrived(error: unknown): boolean {
  if (error instanceof HTTPError) return error.status >= 500;
  if (!isNetworkError(error)) return false;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code !== 'string' || !neverConnected.has(code);
}

/** Discord's error code, also of an error that is the cause of a {@link PlatformError}. */
export function errorCode(error: unknown): number | undefined {
  const refusal = error instanceof PlatformError ? error.cause : error;
  return refusal instanceof DiscordAPIError ? Number(refusal.code) : undefined;
}

/** @throws `deleted` instead of an error with one of these codes. */
export function throwDeletedIf(error: unknown, codes: readonly (number | undefined)[]): never {
  if (!codes.includes(errorCode(error))) throw error;
  throw new PlatformError('deleted', undefined, {
    cause: error instanceof PlatformError ? error.cause : error,
  });
}

/** Whether the connection failed. */
export function isNetworkError(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof DiscordAPIError || error instanceof HTTPError)
    return false;
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return true;
  if (error instanceof TypeError) return error.cause !== undefined && isNetworkError(error.cause);
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^(UND_ERR_|E(?!RR_)[A-Z_]+$)/.test(code);
}

/** If a rate limit stopped a request: milliseconds until it ends. */
export function rateLimitWait(error: unknown): number | undefined {
  const refusal = error instanceof PlatformError ? error.cause : error;
  return refusal instanceof RateLimitError ? Math.max(refusal.retryAfter, refusal.timeToReset) : undefined;
}

/** The error with the names of the missing permissions as its detail, if it's about permissions. */
export function withMissingPermissions(error: unknown, missing: () => readonly string[]): unknown {
  if (!(error instanceof PlatformError) || error.detail !== undefined) return error;
  if (error.kind !== 'no-permission' && error.kind !== 'not-a-member') return error;
  const names = missing();
  return names.length === 0
    ? error
    : new PlatformError('no-permission', names.join(', '), { cause: error.cause });
}

/**
 * Whether a message can't be edited any more: it's gone, it's older than an hour and was edited too often, or a rate
 * limit lasts too long.
 */
export function takesNoMoreEdits(error: unknown): boolean {
  const code = errorCode(error);
  if (code === RESTJSONErrorCodes.MaximumNumberOfEditsToMessagesOlderThanOneHourReached) return true;
  const refusal = refusalOf(error);
  return refusal === 'gone' || refusal === 'expired' || rateLimitWait(error) !== undefined;
}

/** Whether words were refused: by AutoMod, or by Discord's filter of harmful links, which is for direct messages, too. */
export function areWordsRefused(error: unknown): boolean {
  return (
    refusalOf(error) === 'moderated' ||
    errorCode(error) === RESTJSONErrorCodes.MessageBlockedByHarmfulLinksFilter
  );
}

/** Codes with which a thread that's there refuses messages that its channel may accept. */
const closedThreadCodes: readonly (number | undefined)[] = [
  RESTJSONErrorCodes.ThreadLocked,
  RESTJSONErrorCodes.InvalidActionOnArchivedThread,
  // It's archived, and can't be unarchived where as many are active as a server may have.
  RESTJSONErrorCodes.MaximumActiveThreads,
  RESTJSONErrorCodes.MaximumActiveAnnouncementThreads,
  // Who writes in it is in it from then on; whether that's refused where it's full isn't documented.
  RESTJSONErrorCodes.MaximumThreadParticipantsReached,
  RESTJSONErrorCodes.MissingPermissions,
  RESTJSONErrorCodes.MissingAccess,
];

/** Whether a thread accepts no messages, while its channel may: not if somebody deleted it. */
export function isThreadClosed(error: unknown): boolean {
  return closedThreadCodes.includes(errorCode(error));
}

/** Channels remembered at once. */
const mostChannels = 1_000;
/** Milliseconds for which one is remembered: a server may invite the bot again, which makes its channels known. */
const lifetime = 10 * 60_000;

/** The bot lacks a permission, which somebody may give it the moment it's told: only what can be left out isn't tried again. */
const ofPermissions: readonly (number | undefined)[] = [
  RESTJSONErrorCodes.MissingAccess,
  RESTJSONErrorCodes.MissingPermissions,
];

/**
 * Channels, threads and posts that Discord doesn't know (any more), or in which the bot lacks a permission: it isn't asked
 * about them in vain for a while, because what it refuses is counted.
 */
export class ChannelRefusals {
  readonly #refusals: BoundedMap<string, { readonly refusal: unknown }>;

  constructor(clock: Pick<Clock, 'steady'> = systemClock) {
    this.#refusals = new BoundedMap({
      most: mostChannels,
      lifetime: { milliseconds: lifetime, clock },
    });
  }

  /**
   * Does work in a channel.
   * @throws Discord's refusal at once, if it has refused before: 10003; or 50001 and 50013 for what can be left out, until
   *   something else has worked there.
   */
  async unlessRefused<T>(channelId: string, isOptional: boolean, work: () => Promise<T>): Promise<T> {
    const known = this.#refusals.get(channelId);
    if (known && (isOptional || !ofPermissions.includes(errorCode(known.refusal)))) throw known.refusal;
    try {
      const done = await work();
      if (known && !isOptional) this.#refusals.delete(channelId);
      return done;
    } catch (error) {
      const code = errorCode(error);
      if (code === RESTJSONErrorCodes.UnknownChannel || ofPermissions.includes(code))
        this.#refusals.set(channelId, { refusal: error });
      throw error;
    }
  }
}

/**
 * Features that Discord's documentation leaves open or that are changing, by their names in `Capabilities`. The bot tries
 * the better way and remembers the outcome, per server unless noted; `npm run live:check` finds out beforehand. What
 * depends only on permissions isn't listed: those are known.
 */
export const discordFeatures = {
  /** Voice messages (flag 1<<13); else 50173 despite the permissions. */
  voiceMessage: 'voice-message',
  /**
   * Files of 10 to 20 MiB without boosts: documented since September 2026, but still 40005 (discord-api-docs#8572).
   */
  uploadOver10MiB: 'upload-over-10-mib',
  /** A gallery of files uploaded by the same edit (discord-api-docs#7529); new messages can have one. */
  galleryByEdit: 'gallery-by-edit',
  /** A follow-up returned by its enforced nonce; the same in all servers, found out only by the live check. */
  followUpNonce: 'follow-up-nonce',
} as const;

/** Whether it says that the bot isn't in the server that was asked for. */
export function isOutside(error: unknown): boolean {
  return error instanceof PlatformError && (error.kind === 'not-a-member' || error.kind === 'gone');
}
