import type { CommandAbout, Locale } from '../../../port/index.ts';
import { suggestedQuestions } from '../../../words/spoken-request.ts';
import type { Log } from '../api/log.ts';
import type { Answer } from '../api/slack-api.ts';
import { messageShortcuts, slashCommands } from '../commands/slash-commands.ts';
import { stepDefinitions } from '../steps/step-definitions.ts';
import type { Installation } from './installations.ts';

/** The purpose of each of the bot’s scopes. All are used; a test checks it. */
export const botScopes = {
  'app_mentions:read': 'to see when it is mentioned',
  'assistant:write': "to show that it is thinking, and titles and suggestions in the agent's panel",
  'channels:history': 'to read threads it takes part in, and to find what it has posted already',
  'channels:join': 'to join a public channel when somebody there asks for it (Add me here)',
  'channels:read': 'to show a channel by its name in /usage, and to be told when one is deleted',
  'chat:write': 'to answer',
  commands: 'to receive commands',
  'files:read': 'to see the images people give it, and whether its own files have arrived',
  'files:write': 'to post clips, images and videos',
  'groups:history': 'the same as channels:history, in private channels it was invited to',
  'groups:read': 'the same as channels:read, in private channels it was invited to',
  'im:history': 'to read direct messages',
  'im:write': 'to send people directly what could not be posted in a channel',
  'mpim:history': 'the same as channels:history, in group messages it was invited to',
  'mpim:read': 'to know whether it is in a group message before anything is spent',
  'usergroups:read': 'to know who is in a group that /settings limits a command to',
  'users:read': "to know a person's name and language, and who administers the workspace",
} as const;

/** Events the bot listens to. */
export const botEvents = [
  'agent_session_stopped',
  'app_context_changed',
  'app_home_opened',
  'app_mention',
  'app_uninstalled',
  'channel_deleted',
  'channel_id_changed',
  'channel_shared',
  'channel_unshared',
  'file_deleted',
  'function_executed',
  'group_deleted',
  'message.channels',
  'message.groups',
  'message.im',
  'message.mpim',
  'team_access_revoked',
  'tokens_revoked',
] as const;

/** Where an app’s settings are. */
export const appsPage = 'https://api.slack.com/apps';
/** How to add what an app’s settings lack: the manifest has every scope and event. */
export const pasteManifest = `paste what npm run slack:manifest prints at ${appsPage}, page App Manifest`;
export const installAgain = 'install the app again on the page Install App';

/** How to add an event that the app’s settings lack. */
export const lackedEvent = `add it at ${appsPage}, page Event Subscriptions, or ${pasteManifest}`;

/** How to turn on the Home tab, which an older app’s settings have off. */
export const lackedHomeTab = `turn it on at ${appsPage}, page App Home, or ${pasteManifest}`;

/** The manifest’s scopes that aren’t among these, each with what it’s for. */
export function missingScopes(granted: readonly string[]): readonly string[] {
  const missing = Object.entries(botScopes).filter(([scope]) => !granted.includes(scope));
  return missing.map(([scope, purpose]) => `${scope} (${purpose})`);
}

/** The paths where the bot’s HTTP server answers Slack. */
export const paths = {
  events: '/slack/events',
  install: '/slack/install',
  installed: '/slack/install/callback',
} as const;

/** The same for workspaces that installed the app themselves. */
export const installThereAgain = `have it installed there again at ${paths.install} of this bot's address`;

interface ManifestOptions {
  readonly prefix: string;
  /** The bot's public https address: HTTP mode. Without it the manifest is for Socket Mode. */
  readonly url?: string;
}

/** The app’s manifest, made from the commands (app manifest reference). */
export function slackManifest(commands: readonly CommandAbout[], { prefix, url }: ManifestOptions) {
  const origin = url?.replace(/(?<!\/)\/+$/, '');
  const events = origin === undefined ? undefined : `${origin}${paths.events}`;
  return {
    _metadata: { major_version: 2, minor_version: 1 },
    display_information: {
      name: 'troupe',
      description: 'Chats, speaks, draws and films',
      background_color: '#4a154b',
    },
    features: {
      app_home: {
        home_tab_enabled: true,
        messages_tab_enabled: true,
        messages_tab_read_only_enabled: false,
      },
      bot_user: { display_name: 'troupe', always_online: true },
      agent_view: {
        agent_description: 'Answers questions, speaks texts, draws images and makes videos.',
        suggested_prompts: suggestedPrompts('en'),
      },
      slash_commands: slashCommands(commands, prefix).map(({ name, command }) => ({
        command: name,
        description: command?.description.en ?? 'Everything else: help, reset, …',
        usage_hint: usageHint(command, commands),
        // Mentions of people and groups come with their ids.
        should_escape: true,
        ...(events !== undefined && { url: events }),
      })),
      shortcuts: messageShortcuts(commands),
    },
    functions: stepDefinitions(commands),
    oauth_config: {
      ...(origin !== undefined && { redirect_urls: [`${origin}${paths.installed}`] }),
      scopes: { bot: Object.keys(botScopes) },
    },
    settings: {
      event_subscriptions: {
        ...(events !== undefined && { request_url: events }),
        bot_events: [...botEvents],
      },
      interactivity: { is_enabled: true, ...(events !== undefined && { request_url: events }) },
      org_deploy_enabled: true,
      // Steps are carried out by this bot, not by Slack.
      function_runtime: 'remote',
      socket_mode_enabled: origin === undefined,
      token_rotation_enabled: false,
    },
  };
}

function usageHint(command: CommandAbout | undefined, all: readonly CommandAbout[]): string {
  if (!command) {
    const own = slashCommands(all, '').map((one) => one.command);
    return all
      .filter((one) => !own.includes(one))
      .map(({ name }) => name)
      .join(' | ');
  }
  const options = Object.entries(command.options)
    .filter(([name, { type }]) => name !== command.textOption && type !== 'file')
    .map(([name]) => `[--${name}]`);
  return [`[${command.textOption ?? ''}]`, ...options].join(' ');
}

/** How many workspaces are named. */
export const named = 5;

/** Warns where the bot’s token has fewer scopes than the manifest asks for, by the response of `auth.test`. */
export function warnOfMissingScopes(me: Answer, log: Log): void {
  const granted = me.response_metadata?.scopes;
  // Slack names the scopes in a header; without it nothing is known to be missing.
  const missing = granted === undefined ? [] : missingScopes(granted);
  if (missing.length > 0)
    log.warn({ missing }, `SLACK_BOT_TOKEN lacks scopes: ${pasteManifest}, and ${installAgain}`);
}

/** The same for workspaces and organizations that installed the app before it asked for all of them. */
export function warnOfOldInstallations(installations: readonly Installation[], log: Log): void {
  const old = installations
    .map(({ team, enterprise, scopes }) => ({
      workspace: team?.id ?? enterprise?.id,
      missing: missingScopes(scopes),
    }))
    .filter(({ missing }) => missing.length > 0);
  if (old.length === 0) return;
  log.warn(
    { installations: old.length, where: old.slice(0, named) },
    `installations lack scopes: ${pasteManifest}, and ${installThereAgain}`,
  );
}

/** Suggested prompts in the bot’s direct messages: pressing one sends its message. */
export function suggestedPrompts(locale: Locale): { title: string; message: string }[] {
  return suggestedQuestions[locale].map(({ title, message }) => ({ title, message }));
}
