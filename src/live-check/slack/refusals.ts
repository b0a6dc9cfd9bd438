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
import { needs, refused, type StepResult, unclear } from '../step.ts';

/** What mends a missing scope. */
export const manifestHint = 'put what npm run slack:manifest prints into its manifest, and install it again';

/** What an error of Slack's means; only what it says of a feature itself counts as refused, and may be remembered. */
export function explain(error: unknown): StepResult {
  const code = slackCode(error);
  if (code === undefined)
    return unclear(
      retryAfter(error) === undefined ? 'no answer from Slack' : 'Slack is asked too often for now',
    );
  if (isAccessLost(error))
    return needs(`Slack refuses SLACK_BOT_TOKEN (${code}): install the app again and set its token`);
  if (code === 'missing_scope') return needs(`Give the app ${scopeOf(error)}: ${manifestHint}`);
  const hint = hints[code] ?? (code.startsWith('restricted_action') ? settingsHint : undefined);
  if (hint !== undefined) return needs(`${hint} (${code})`);
  const isLearnt = [isFeatureMissing, isFormatRefused, isKindRefused, isUneditable].some((tells) =>
    tells(error),
  );
  // A fault of the moment, no room, or a code nobody knows: it tells nothing of what the workspace allows.
  return isLearnt ? refused(`refused: ${code}`) : unclear(`Slack answered ${code}`);
}

const invite = 'The bot is not in the channel: type /invite @troupe there';
const settingsHint =
  'The channel’s settings keep the bot from posting: let everyone post and reply there, or try in another channel';
const archived = 'The channel is archived: try in another one';
const shared =
  'Administrators keep files out of channels that are shared with other organizations: try in a channel of the workspace’s own';
const administrators = 'Administrators keep the bot from this: ask them to allow it';

/** Codes of the place, the person or an administrator’s switch: what to do, so that the feature itself can be tried. */
const hints: Readonly<Record<string, string>> = {
  not_in_channel: invite,
  channel_not_found: invite,
  is_archived: archived,
  is_inactive: archived,
  posting_to_channel_denied: settingsHint,
  posting_to_general_channel_denied: settingsHint,
  restricted_action_non_threadable_channel:
    'The channel forbids threads, and everything is tried in a thread: try in another channel',
  messages_tab_disabled: `Turn on the Messages tab in the app’s settings: ${manifestHint}`,
  file_uploads_disabled: 'Administrators have turned file uploads off: ask them to turn them on',
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
  return data && 'needed' in data ? `the scope ${String(data.needed)}` : 'the scope it lacks';
}

/** Does what Slack is expected to refuse with `code`. */
export async function expectRefusal(code: string, work: () => Promise<unknown>): Promise<StepResult> {
  try {
    await work();
  } catch (error) {
    if (slackCode(error) !== code) throw error;
    return refused(`refused: ${code}`);
  }
  return unclear('was done');
}
