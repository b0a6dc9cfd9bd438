import { slackFeatures } from '../platforms/slack/api/features.ts';
import { appsPage, botEvents, lackedEvent, pasteManifest } from '../platforms/slack/setup/manifest.ts';
import { type Finding, fine, wrong } from './finding.ts';
import { storedInPeace } from './stored.ts';

const subject = 'Slack events';

/**
 * The bot's tokens can't read the app's settings (apps.manifest.export takes a configuration token alone). Of one
 * event Slack tells the running bot, or the live check, that it is missing.
 */
export async function checkEvents(databaseUrl: string): Promise<Finding> {
  const { stopEvent } = slackFeatures;
  const stored = await storedInPeace(databaseUrl, 'capability-slack', '');
  const lacking = stored
    .filter(({ key, value }) => key.endsWith(` ${stopEvent}`) && value === 'refused')
    .map(({ key }) => key.slice(0, -stopEvent.length - 1));
  if (lacking.length > 0)
    return wrong(
      subject,
      `the app lacks agent_session_stopped, so Slack doesn't show its own Stop button (seen in ${counted(lacking)})`,
      lackedEvent,
    );
  return fine(
    subject,
    `this token can't list the app's events; it needs ${botEvents.join(', ')}: compare at ${appsPage}, page Event Subscriptions, or ${pasteManifest}`,
  );
}

/** One workspace by its id, more by their number: the event is a setting of the app, not of a workspace. */
function counted([first = '', ...more]: readonly string[]): string {
  return more.length === 0 ? first : `${more.length + 1} workspaces`;
}
