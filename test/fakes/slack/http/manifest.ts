import type { Json } from '../records.ts';
import { isJson } from './arguments.ts';
import { limits } from './limits.ts';

/** What an app's manifest allows it, as the server needs to know it. */
export interface AppSettings {
  readonly commands: ReadonlySet<string>;
  /** Commands whose texts come with the ids of people, groups and channels. */
  readonly escapedCommands: ReadonlySet<string>;
  /** Message shortcuts: their ids by their names in the menu. */
  readonly shortcuts: ReadonlyMap<string, string>;
  readonly events: ReadonlySet<string>;
  readonly scopes: readonly string[];
  readonly agent: boolean;
  readonly interactive: boolean;
  readonly messagesTab: boolean;
  readonly homeTab: boolean;
  /** Steps for Workflow Builder, by `callback_id`. */
  readonly functions: ReadonlyMap<string, StepDefinition>;
  readonly socketMode: boolean;
  readonly orgDeploy: boolean;
  readonly requestUrl: string | undefined;
  readonly interactivityUrl: string | undefined;
  readonly commandUrl: string | undefined;
  readonly redirectUrls: readonly string[];
}

/** A step's inputs and outputs, by name: their types, and whether they are required. */
export interface StepDefinition {
  readonly inputs: ReadonlyMap<string, { readonly type: string; readonly required: boolean }>;
  readonly outputs: ReadonlyMap<string, { readonly type: string; readonly required: boolean }>;
}

/** Which scope an event's subscription needs. */
export const eventScopes: Readonly<Record<string, string | undefined>> = {
  app_mention: 'app_mentions:read',
  'message.channels': 'channels:history',
  'message.groups': 'groups:history',
  'message.im': 'im:history',
  'message.mpim': 'mpim:history',
  app_home_opened: undefined,
  channel_deleted: 'channels:read',
  channel_id_changed: 'groups:read',
  channel_shared: 'channels:read',
  channel_unshared: 'channels:read',
  group_deleted: 'groups:read',
  agent_session_stopped: undefined,
  app_context_changed: 'assistant:write',
  assistant_thread_started: 'assistant:write',
  assistant_thread_context_changed: 'assistant:write',
  tokens_revoked: undefined,
  app_uninstalled: undefined,
  team_access_revoked: undefined,
  function_executed: undefined,
  file_deleted: 'files:read',
};

/** Refuses a manifest as Slack's settings page does: every limit, and scopes and events that do not fit. */
export function readManifest(manifest: Json): AppSettings {
  const display = part(manifest, 'display_information');
  const features = part(manifest, 'features');
  const settings = part(manifest, 'settings');
  const oauth = part(manifest, 'oauth_config');
  checkDisplay(display);
  const scopes = strings(part(oauth, 'scopes').bot);
  if (scopes.length > limits.manifest.scopes) fault('too many scopes');
  if (new Set(scopes).size !== scopes.length) fault('a scope stands twice');
  const subscriptions = part(settings, 'event_subscriptions');
  const events = strings(subscriptions.bot_events);
  const agent = checkAgent(features);
  checkEvents(events, scopes, agent);
  const socketMode = settings.socket_mode_enabled === true;
  const commands = checkCommands(features, scopes, socketMode);
  const interactivity = part(settings, 'interactivity');
  const shortcuts = checkShortcuts(features, scopes, interactivity.is_enabled === true);
  const requestUrl = optional(subscriptions.request_url);
  const interactivityUrl = optional(interactivity.request_url);
  if (!socketMode && events.length > 0 && !requestUrl) fault('event_subscriptions.request_url is missing');
  if (!socketMode && interactivity.is_enabled === true && !interactivityUrl) {
    fault('interactivity.request_url is missing');
  }
  const home = part(features, 'app_home');
  const functions = readFunctions(part(manifest, 'functions'), settings, events);
  return {
    commands: new Set(commands.map((command) => String(command.command))),
    escapedCommands: new Set(
      commands.filter((one) => one.should_escape === true).map((one) => String(one.command)),
    ),
    shortcuts,
    events: new Set(events),
    scopes,
    agent,
    interactive: interactivity.is_enabled === true,
    messagesTab: home.messages_tab_enabled === true && home.messages_tab_read_only_enabled !== true,
    homeTab: home.home_tab_enabled === true,
    functions,
    socketMode,
    orgDeploy: settings.org_deploy_enabled === true,
    requestUrl,
    interactivityUrl,
    commandUrl: optional(commands[0]?.url),
    redirectUrls: strings(oauth.redirect_urls),
  };
}

function checkDisplay(display: Json): void {
  text(display.name, 'display_information.name', 1, limits.manifest.name);
  if (display.description !== undefined) {
    text(display.description, 'display_information.description', 1, limits.manifest.description);
  }
  const [shortest, longest] = limits.manifest.longDescription;
  if (display.long_description !== undefined) {
    text(display.long_description, 'display_information.long_description', shortest, longest);
  }
  const color = display.background_color;
  if (color !== undefined && !/^#(?:[0-9a-fA-F]{3}){1,2}$/.test(String(color))) fault('background_color');
}

function checkAgent(features: Json): boolean {
  const bot = part(features, 'bot_user');
  if (
    !/^[A-Za-z0-9._-]+$/.test(text(bot.display_name, 'bot_user.display_name', 1, limits.manifest.botName))
  ) {
    fault('bot_user.display_name has characters that are not allowed');
  }
  if (features.assistant_view !== undefined) fault('assistant_view is deprecated: use agent_view');
  if (features.agent_view === undefined) return false;
  const agent = part(features, 'agent_view');
  text(agent.agent_description, 'agent_view.agent_description', 1, limits.manifest.agentDescription);
  const prompts = list(agent.suggested_prompts);
  if (prompts.length > limits.manifest.prompts) fault('agent_view.suggested_prompts: too many');
  for (const prompt of prompts) {
    text(prompt.title, 'suggested_prompts.title', 1, 75);
    text(prompt.message, 'suggested_prompts.message', 1, 3_000);
  }
  return true;
}

function checkEvents(events: readonly string[], scopes: readonly string[], agent: boolean): void {
  if (events.length > limits.manifest.events) fault('too many events');
  for (const event of events) {
    if (!(event in eventScopes)) fault(`unknown event ${event}`);
    const scope = eventScopes[event];
    if (scope && !scopes.includes(scope)) fault(`event ${event} needs the scope ${scope}`);
    if (agent && event.startsWith('assistant_thread_')) fault(`${event} is not for apps with agent_view`);
  }
  if (agent && !scopes.includes('assistant:write')) fault('agent_view needs the scope assistant:write');
  if (agent) {
    for (const event of ['app_home_opened', 'app_context_changed', 'message.im']) {
      if (!events.includes(event)) fault(`agent_view needs the event ${event}`);
    }
  }
}

function checkCommands(features: Json, scopes: readonly string[], socketMode: boolean): Json[] {
  const commands = list(features.slash_commands);
  if (commands.length > limits.manifest.commands) fault('too many slash commands');
  if (commands.length > 0 && !scopes.includes('commands')) fault('slash commands need the scope commands');
  for (const command of commands) {
    const name = text(command.command, 'slash_commands.command', 2, limits.manifest.command);
    if (!/^\/[a-z0-9_-]+$/.test(name)) fault(`slash command ${name}`);
    text(command.description, `${name}.description`, 1, limits.manifest.commandDescription);
    if (command.usage_hint !== undefined) {
      text(command.usage_hint, `${name}.usage_hint`, 1, limits.manifest.usageHint);
    }
    if (!socketMode && !optional(command.url)) fault(`${name}.url is missing`);
  }
  if (new Set(commands.map((command) => command.command)).size !== commands.length) fault('a command twice');
  return commands;
}

/** Shortcuts need the scope `commands`, and interactivity to arrive. */
function checkShortcuts(
  features: Json,
  scopes: readonly string[],
  interactive: boolean,
): Map<string, string> {
  const shortcuts = list(features.shortcuts);
  if (shortcuts.length > limits.manifest.shortcuts) fault('too many shortcuts');
  if (shortcuts.length > 0 && !scopes.includes('commands')) fault('shortcuts need the scope commands');
  if (shortcuts.length > 0 && !interactive) fault('shortcuts need interactivity');
  for (const shortcut of shortcuts) {
    const name = text(shortcut.name, 'shortcuts.name', 1, limits.manifest.shortcutName);
    text(shortcut.callback_id, `${name}.callback_id`, 1, limits.manifest.callbackId);
    text(shortcut.description, `${name}.description`, 1, limits.manifest.shortcutDescription);
    if (shortcut.type !== 'message' && shortcut.type !== 'global') fault(`${name}.type`);
  }
  const ids = shortcuts.map((shortcut) => shortcut.callback_id);
  if (new Set(ids).size !== ids.length) fault('a callback_id twice');
  const inMenus = shortcuts.filter(({ type }) => type === 'message');
  return new Map(inMenus.map((shortcut) => [String(shortcut.name), String(shortcut.callback_id)]));
}

/** What the types of a step's inputs and outputs can be, of those that apps with Bolt use. */
const parameterTypes = [
  'string',
  'integer',
  'number',
  'boolean',
  'slack#/types/user_id',
  'slack#/types/channel_id',
  'slack#/types/rich_text',
];

function readFunctions(
  functions: Json,
  settings: Json,
  events: readonly string[],
): ReadonlyMap<string, StepDefinition> {
  const definitions = Object.entries(functions);
  if (definitions.length === 0) return new Map();
  if (settings.org_deploy_enabled !== true) fault('functions need settings.org_deploy_enabled');
  if (settings.function_runtime !== 'remote') fault('functions need settings.function_runtime remote');
  if (!events.includes('function_executed')) fault('functions need the event function_executed');
  if (definitions.length > limits.manifest.functions) fault('too many functions');
  return new Map(
    definitions.map(([id, definition]) => {
      if (!/^[a-zA-Z0-9_-]{1,100}$/.test(id)) fault(`functions: callback_id ${id}`);
      if (!isJson(definition)) fault(`functions.${id} has to be an object`);
      const about = definition as Json;
      text(about.title, `functions.${id}.title`, 1, limits.manifest.functionTitle);
      text(about.description, `functions.${id}.description`, 1, limits.manifest.functionDescription);
      const inputs = readParameters(about.input_parameters, `functions.${id}.input_parameters`);
      const outputs = readParameters(about.output_parameters, `functions.${id}.output_parameters`);
      return [id, { inputs, outputs }];
    }),
  );
}

function readParameters(value: unknown, where: string): StepDefinition['inputs'] {
  if (!isJson(value)) return fault(`${where} has to be an object`);
  return new Map(
    Object.entries(value).map(([name, parameter]) => {
      if (!/^[a-zA-Z0-9_]{1,100}$/.test(name)) fault(`${where}.${name}`);
      const about = isJson(parameter) ? parameter : fault(`${where}.${name} has to be an object`);
      const type = String(about.type);
      if (!parameterTypes.includes(type)) fault(`${where}.${name}.type ${type}`);
      text(about.title, `${where}.${name}.title`, 1, limits.manifest.functionTitle);
      text(about.description, `${where}.${name}.description`, 1, limits.manifest.functionDescription);
      if (typeof about.is_required !== 'boolean') fault(`${where}.${name}.is_required`);
      return [name, { type, required: about.is_required === true }];
    }),
  );
}

function text(value: unknown, name: string, shortest: number, longest: number): string {
  if (typeof value !== 'string' || value.length < shortest || value.length > longest) {
    fault(`${name} has to be text of ${shortest} to ${longest} characters`);
  }
  return value as string;
}

function part(of: Json, name: string): Json {
  const value = of[name];
  if (value === undefined) return {};
  if (!isJson(value)) fault(`${name} has to be an object`);
  return value as Json;
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function optional(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function fault(what: string): never {
  throw new Error(`manifest: ${what}`);
}
