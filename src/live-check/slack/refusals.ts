import { webApi } from '@slack/bolt';
import {
  isAccessLost,
  isFeatureMissing,
  isFormatRefused,
  isUneditable,
  retryAfter,
  slackCode,
} from '../../platforms/slack/api/errors.ts';
import { isKindRefused } from '../../platforms/slack/media/file-kinds.ts';
import { needs, refused, type Seen, unclear } from '../run-steps.ts';

/** How to fix a missing scope or event. */
export const manifestHint =
  'replace the app’s manifest with the output of npm run slack:manifest, and reinstall the app';

/** What an error says about a step. Only a refusal of the feature itself counts as refused and is remembered. */
export function explain(error: unknown): Seen {
  const code = slackCode(error);
  if (code === undefined)
    return unclear(
      retryAfter(error) === undefined ? 'no response from Slack' : 'Slack’s rate limit is reached',
    );
  if (isAccessLost(error))
    return needs(`Slack refused SLACK_BOT_TOKEN (${code}): reinstall the app and set its new token`);
  if (code === 'missing_scope') return needs(`Give the app ${scopeOf(error)}: ${manifestHint}`);
  const hint = hints[code] ?? (code.startsWith('restricted_action') ? settingsHint : undefined);
  if (hint !== undefined) return needs(`${hint} (${code})`);
  const isRefusal = [isFeatureMissing, isFormatRefused, isKindRefused, isUneditable].some((matches) =>
    matches(error),
  );
  // A temporary error, or an unknown code, says nothing about what the workspace allows.
  return isRefusal ? refused(`refused: ${code}`) : unclear(`Slack answered ${code}`);
}

const invite = 'The bot isn’t in the channel: type /invite @troupe there';
const settingsHint =
  'The channel’s settings don’t let the bot post: allow everyone to post and reply, or use another channel';
const archived = 'The channel is archived: use another one';
const shared =
  'Administrators don’t allow files in channels shared with other organizations: use a channel of this workspace only';
const administrators = 'Administrators don’t allow this: ask them to change it';

/** What to do about codes that concern the channel, the person or an administrator’s setting instead of the feature. */
const hints: Readonly<Record<string, string>> = {
  not_in_channel: invite,
  channel_not_found: invite,
  is_archived: archived,
  is_inactive: archived,
  posting_to_channel_denied: settingsHint,
  posting_to_general_channel_denied: settingsHint,
  restricted_action_non_threadable_channel:
    'The channel doesn’t allow threads, which the check needs: use another channel',
  messages_tab_disabled: `Turn on the Messages tab in the app’s settings: ${manifestHint}`,
  file_uploads_disabled: 'Administrators have disabled file uploads: ask them to enable them',
  slack_connect_blocked_file_type: shared,
  slack_connect_clip_sharing_blocked: shared,
  slack_connect_file_link_sharing_blocked: shared,
  slack_connect_file_upload_sharing_blocked: shared,
  ekm_access_denied: administrators,
  no_permission: administrators,
  access_denied: administrators,
};

function scopeOf(error: unknown): string {
  const data = error instanceof webApi.WebAPIPlatformError ? error.data : undefined;
  return data && 'needed' in data ? `the scope ${String(data.needed)}` : 'its missing scope';
}
