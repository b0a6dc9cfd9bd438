import { webApi } from '@slack/bolt';
import { isAccessLost, outletError, retryAfter, slackCode } from '../../platforms/slack/errors.ts';
import { needs, refused, type Seen, unclear } from '../step.ts';

/** What an error of Slack's means. */
export function explain(error: unknown): Seen {
  const code = slackCode(error);
  if (code === undefined)
    return unclear(
      retryAfter(error) === undefined ? 'no answer from Slack' : 'Slack is asked too often for now',
    );
  if (isAccessLost(error))
    return needs(`Slack refuses SLACK_BOT_TOKEN (${code}): install the app again and set its token`);
  if (code === 'missing_scope') return needs(`Give the app ${scopeOf(error)}: ${manifestHint}`);
  if (code === 'not_in_channel' || code === 'channel_not_found')
    return needs(`The bot is not in the channel (${code}): type /invite @troupe there`);
  // A fault of the moment, or no room: it tells nothing of what the workspace allows.
  if (['unreachable', 'too-large'].includes(outletError(error).kind))
    return unclear(`Slack answered ${code}`);
  return refused(`refused: ${code}`);
}

/** What mends a missing scope. */
export const manifestHint = 'put what npm run slack:manifest prints into its manifest, and install it again';

function scopeOf(error: unknown): string {
  const data = error instanceof webApi.WebAPIPlatformError ? error.data : undefined;
  return data && 'needed' in data ? `the scope ${String(data.needed)}` : 'the scope it lacks';
}

/** Does what Slack is expected to refuse with `code`. */
export async function expecting(code: string, work: () => Promise<unknown>): Promise<Seen> {
  try {
    await work();
  } catch (error) {
    if (slackCode(error) !== code) throw error;
    return refused(`refused: ${code}`);
  }
  return unclear('was done');
}
