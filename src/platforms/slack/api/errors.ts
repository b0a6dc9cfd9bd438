import { webApi } from '@slack/bolt';
import { waitAfter, type Waits } from '../../../lib/clock.ts';
import { ArchivedError, PlatformError, type PlatformErrorKind } from '../../../port/index.ts';

/** The token doesn’t work now: installing the app again helps. */
export const accessCodes: readonly string[] = [
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
];

/** An organization’s token works, but the app isn’t let into this workspace: letting it in helps. */
const notGranted = 'team_access_not_granted';

/** Of a channel that’s archived; somebody may restore it. */
const archivedCodes: readonly string[] = ['is_archived', 'is_inactive'];

/**
 * Slack’s error codes by what can be done about them. Any other code is a permanent refusal: `invalid_blocks`,
 * `msg_too_long`, `block_mismatch`, `streaming_mode_mismatch` and others.
 */
const kinds: Readonly<Record<string, PlatformErrorKind>> = {
  not_in_channel: 'not-a-member',
  channel_not_found: 'not-a-member',
  // Of an agent's session (agents.sessions.setStatus).
  not_authorized: 'not-a-member',
  message_not_found: 'gone',
  thread_not_found: 'gone',
  cannot_reply_to_message: 'gone',
  cant_update_message: 'gone',
  edit_window_closed: 'gone',
  file_not_found: 'gone',
  file_deleted: 'gone',
  posting_to_channel_denied: 'no-permission',
  posting_to_general_channel_denied: 'no-permission',
  messages_tab_disabled: 'no-permission',
  ekm_access_denied: 'no-permission',
  restricted_action: 'no-permission',
  // Administrators don't let the person use the app.
  app_access_restricted: 'no-permission',
  missing_scope: 'no-permission',
  no_permission: 'no-permission',
  access_denied: 'no-permission',
  file_type_not_allowed: 'file-not-allowed',
  blocked_file_type: 'file-not-allowed',
  file_uploads_disabled: 'file-not-allowed',
  file_uploads_except_images_disabled: 'file-not-allowed',
  // Administrators forbid them in channels shared with others; the workspace itself allows them.
  slack_connect_blocked_file_type: 'file-not-allowed',
  slack_connect_clip_sharing_blocked: 'file-not-allowed',
  slack_connect_file_link_sharing_blocked: 'file-not-allowed',
  slack_connect_file_upload_sharing_blocked: 'file-not-allowed',
  file_upload_size_restricted: 'too-large',
  storage_limit_reached: 'too-large',
  expired_trigger_id: 'expired',
  expired_url: 'expired',
  used_url: 'expired',
  ...asKind('unreachable', [
    // Slack’s own trouble.
    'fatal_error',
    'internal_error',
    'messaging_processing_failed',
    'update_failed',
    'fetch_members_failed',
    'service_unavailable',
    'request_timeout',
    'accesslimited',
    'rollup_error',
    'team_added_to_org',
    'org_login_required',
    'external_channel_migrating',
    // Too many calls.
    'ratelimited',
    'rate_limited',
    'message_limit_exceeded',
    ...accessCodes,
    notGranted,
  ]),
};

/** Errors that mean nothing can be posted in a channel. */
export const unpostableKinds: readonly PlatformErrorKind[] = ['not-a-member', 'gone', 'no-permission'];

function asKind(kind: PlatformErrorKind, codes: readonly string[]): Record<string, PlatformErrorKind> {
  return Object.fromEntries(codes.map((code) => [code, kind]));
}

/**
 * Slack’s warning with every response of `agents.sessions.setStatus` while the app’s settings lack the event
 * `agent_session_stopped`: people then see a loading indicator without a Stop button.
 */
export const stopEventMissing = 'missing_agent_session_stopped_event_subscription';

/** Errors that mean a method doesn’t work in a workspace, whatever its arguments. */
const missingFeature: readonly string[] = [
  'not_enabled',
  'unknown_method',
  'method_deprecated',
  'deprecated_endpoint',
  'feature_disabled',
  'feature_not_enabled',
  'not_agent_app',
  'not_allowed_token_type',
  'missing_scope',
  'channel_type_not_supported',
];

/** Whether Slack says that the feature doesn’t exist here. */
export function isFeatureMissing(error: unknown): boolean {
  return missingFeature.includes(slackCode(error) ?? '');
}

/** Errors about the format of what was sent: another format may be accepted. */
const formRefused: readonly string[] = [
  'invalid_arguments',
  'invalid_arg_name',
  'invalid_blocks',
  'invalid_blocks_format',
  'invalid_chunks',
  'block_mismatch',
  'markdown_text_conflict',
  'streaming_mode_mismatch',
  'msg_too_long',
  'msg_blocks_too_long',
  'no_text',
];

/** Whether Slack refuses the format, rather than the place, the time or the bot. */
export function isFormatRefused(error: unknown): boolean {
  return formRefused.includes(slackCode(error) ?? '');
}

/** Slack’s code of an error it returned; undefined for any other error. */
export function slackCode(error: unknown): string | undefined {
  const data = error instanceof webApi.WebAPIPlatformError ? error.data : undefined;
  return typeof data?.error === 'string' && /^\w+$/.test(data.error) ? data.error : undefined;
}

/** Whether the response wasn't Slack’s own, such as a proxy's page: its client takes whatever isn't JSON for a code. */
function isForeign(error: unknown): boolean {
  return error instanceof webApi.WebAPIPlatformError && slackCode(error) === undefined;
}

/** HTTP's status of a response that wasn't Slack's own; undefined where there was none. */
export function httpStatus(error: unknown): number | undefined {
  return error instanceof webApi.WebAPIHTTPError ? error.statusCode : undefined;
}

/** Whether the token no longer works: revoked, or the app was removed. */
export function isAccessLost(error: unknown): boolean {
  return accessCodes.includes(slackCode(error) ?? '');
}

/** Whether the bot has no access to the workspace of a call: its token no longer works, or not there. */
export function isWorkspaceLost(error: unknown): boolean {
  return isAccessLost(error) || slackCode(error) === notGranted;
}

/** Milliseconds to wait where Slack, or a proxy, says that calls are too frequent, and not how long: a minute and a half in all. */
const untoldWaits: Waits = { first: 500, longest: 30_000 };
/** The library has no type for a 429 that doesn't say it. */
const withoutWait = 'Retry header did not contain a valid timeout';

/** Seconds to wait where Slack says that calls are too frequent, `times` by now. */
export function retryAfter(error: unknown, times = 1): number | undefined {
  if (error instanceof webApi.WebAPIRateLimitedError) return error.retryAfter;
  const isWithout = error instanceof Error && error.message.startsWith(withoutWait);
  return isWithout || slackCode(error) === 'ratelimited' ? waitAfter(times, untoldWaits) / 1_000 : undefined;
}

/**
 * Slack failed on a call. Its pages say of the first two codes that “some aspect of the operation” may have succeeded before,
 * and nothing of the others (chat.startStream, chat.appendStream, chat.update: errors).
 */
const brokenCodes: readonly (string | undefined)[] = [
  'internal_error',
  'fatal_error',
  'messaging_processing_failed',
  'update_failed',
];

/** Whether it’s unknown if the call was carried out: no response, or one from a failing server. */
export function isAnswerLost(error: unknown): boolean {
  return (
    error instanceof webApi.WebAPIRequestError ||
    isForeign(error) ||
    isFailedStatus(httpStatus(error)) ||
    brokenCodes.includes(slackCode(error))
  );
}

/** Whether Slack failed: its servers give up waiting for one another with a 408, too, also of what was carried out (python-slack-sdk#1165). */
export function isFailedStatus(status = 0): boolean {
  return status >= 500 || status === 408;
}

/** Slack failed on a write at every try: a fault that passes, or content it can’t process. */
export class BrokenWriteError extends PlatformError {
  constructor(cause: unknown) {
    super('unreachable', slackCode(cause), { cause });
  }
}

/** The error of a write that was tried several times and certainly isn’t there. */
export function writeError(error: unknown): PlatformError {
  const isAnswered = isAnswerLost(error) && !(error instanceof webApi.WebAPIRequestError);
  return isAnswered ? new BrokenWriteError(error) : platformError(error);
}

/** The error of an edit: of a message whose time stamp is known, Slack doesn’t know only what was deleted. */
export function editError(error: unknown): PlatformError {
  return slackCode(error) === 'message_not_found'
    ? new PlatformError('deleted', 'message_not_found', { cause: error })
    : writeError(error);
}

/** The error of a deletion that Slack refused: whatever is gone besides, the message is still there. */
export function deletionError(error: unknown): PlatformError {
  const known = platformError(error);
  if (known instanceof ArchivedError) return known;
  return known.kind === 'gone' ? new PlatformError('refused', known.detail, { cause: error }) : known;
}

/** Whether another format of the same content may be accepted. */
export function mayBeContent(error: unknown): boolean {
  return isRefused(error) || error instanceof BrokenWriteError;
}

/** What takes no replies, by an error; the same may be accepted outside of the thread. */
export function threadForbidden(error: unknown): 'channel' | 'message' | undefined {
  const code = slackCode(error instanceof PlatformError ? error.cause : error);
  if (code === 'cannot_reply_to_message') return 'message';
  return code === 'restricted_action_non_threadable_channel' ? 'channel' : undefined;
}

/** The message can’t be edited: the workspace no longer allows it, or not in this way. */
const fixedCodes: readonly string[] = ['edit_window_closed', 'cant_update_message', 'block_mismatch'];

/** Whether a message can’t be edited any more, though its channel still takes others. */
export function isUneditable(error: unknown): boolean {
  return fixedCodes.includes(slackCode(error instanceof PlatformError ? error.cause : error) ?? '');
}

/** Whether the content itself was refused, for good. */
export function isRefused(error: unknown): boolean {
  return error instanceof PlatformError && error.kind === 'refused';
}

/** The error as the port knows it. */
export function platformError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  const code = slackCode(error);
  if (code === undefined) {
    const status = httpStatus(error);
    const isFinal = status !== undefined && !isFailedStatus(status);
    return new PlatformError(isFinal ? 'refused' : 'unreachable', undefined, { cause: error });
  }
  if (archivedCodes.includes(code)) return new ArchivedError(code, { cause: error });
  const kind = kinds[code] ?? (code.startsWith('restricted_action') ? 'no-permission' : 'refused');
  return new PlatformError(kind, detailOf(error, code), { cause: error });
}

function detailOf(error: unknown, code: string): string {
  const needed = error instanceof webApi.WebAPIPlatformError && 'needed' in error.data && error.data.needed;
  return typeof needed === 'string' ? needed : code;
}

/**
 * What Slack’s documentation leaves open, or what differs between workspaces; by the names that `Capabilities`
 * stores. The bot tries the better way and remembers the result; `npm run live:check` finds it out beforehand. All
 * are stored per workspace.
 */
export const slackFeatures = {
  /** `chat.startStream` with chunks in a direct message. */
  streamInDirectMessage: 'stream-in-direct-message',
  /** `chat.stopStream` with blocks, such as buttons. */
  blocksAtStreamStop: 'blocks-at-stream-stop',
  /** `markdown` blocks in a message by token. */
  markdownBlock: 'markdown-block',
  /** `feedback_buttons` in a message or at a stream’s end. */
  feedbackButtons: 'feedback-buttons',
  /** `loading_messages` of the status ("is thinking…"). */
  loadingMessages: 'loading-messages',
  /** `agents.sessions.setStatus` and `rename` in direct messages. */
  agentSessions: 'agent-sessions',
  /** The same in threads of channels. */
  agentSessionsInChannel: 'agent-sessions-in-channel',
  /** The event `agent_session_stopped`; without it, sessions have no Stop button. */
  stopEvent: 'stop-event',
  /** An `image` block of a never shared `slack_file`. */
  slackFileImage: 'slack-file-image',
  /** `conversations.replies` and `history` more than once a minute, with pages over 15 messages. */
  quickHistory: 'quick-history',
  /** Files of a type, where administrators chose some (`allowed_file_upload_types`). */
  mp3File: 'file-mp3',
  oggFile: 'file-ogg',
  wavFile: 'file-wav',
  pngFile: 'file-png',
  mp4File: 'file-mp4',
} as const;

/** The name of a feature of Slack. */
export type SlackFeature = (typeof slackFeatures)[keyof typeof slackFeatures];
