import { webApi } from '@slack/bolt';
import { OutletError, type OutletErrorKind } from '../../port/index.ts';

/** Slack's own error codes as what a person can be told, by what can be done about them. */
const kinds: Readonly<Record<string, OutletErrorKind>> = {
  not_in_channel: 'not-a-member',
  channel_not_found: 'not-a-member',
  is_archived: 'gone',
  is_inactive: 'gone',
  message_not_found: 'gone',
  thread_not_found: 'gone',
  cannot_reply_to_message: 'gone',
  cant_update_message: 'gone',
  cant_delete_message: 'gone',
  edit_window_closed: 'gone',
  file_not_found: 'gone',
  file_deleted: 'gone',
  posting_to_channel_denied: 'no-permission',
  restricted_action: 'no-permission',
  missing_scope: 'no-permission',
  no_permission: 'no-permission',
  access_denied: 'no-permission',
  file_type_not_allowed: 'file-not-allowed',
  blocked_file_type: 'file-not-allowed',
  file_uploads_disabled: 'file-not-allowed',
  file_uploads_except_images_disabled: 'file-not-allowed',
  file_upload_size_restricted: 'too-large',
  storage_limit_reached: 'too-large',
  expired_trigger_id: 'expired',
  expired_url: 'expired',
  used_url: 'expired',
};

const accessCodes: readonly string[] = [
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
];

/** Slack's code of an error it answered with; undefined for anything else. */
export function slackCode(error: unknown): string | undefined {
  const data = error instanceof webApi.WebAPIPlatformError ? error.data : undefined;
  return typeof data?.error === 'string' ? data.error : undefined;
}

/** The token is of no use any more: revoked, or the app was taken out. */
export function isAccessLost(error: unknown): boolean {
  return accessCodes.includes(slackCode(error) ?? '');
}

/** Seconds to wait where Slack said that it is asked too often. */
export function retryAfter(error: unknown): number | undefined {
  return error instanceof webApi.WebAPIRateLimitedError ? error.retryAfter : undefined;
}

/** Whether nobody can know if the call was carried out: no answer, or an answer from a broken server. */
export function isAnswerLost(error: unknown): boolean {
  return error instanceof webApi.WebAPIRequestError || error instanceof webApi.WebAPIHTTPError;
}

/** What went wrong in Slack, as the port tells it. */
export function outletError(error: unknown): OutletError {
  if (error instanceof OutletError) return error;
  const code = slackCode(error);
  if (code === undefined) return new OutletError('unreachable', undefined, { cause: error });
  const kind = kinds[code] ?? (code.startsWith('restricted_action') ? 'no-permission' : 'unreachable');
  return new OutletError(kind, detailOf(error, code), { cause: error });
}

function detailOf(error: unknown, code: string): string {
  const needed = error instanceof webApi.WebAPIPlatformError && 'needed' in error.data && error.data.needed;
  return typeof needed === 'string' ? needed : code;
}
