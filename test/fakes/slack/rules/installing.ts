import { Failure } from '../http/failure.ts';
import { readManifest } from '../http/manifest.ts';
import type { Json } from '../records.ts';
import { everything, type Rule, type Trial } from '../trial.ts';

const redirect = 'https://bot.example/slack/install/callback';

function link(t: Trial, over: Record<string, string> = {}): string {
  const url = new URL('https://slack.com/oauth/v2/authorize');
  const given = {
    client_id: t.slack.credentials.clientId,
    scope: 'chat:write',
    state: 's',
    redirect_uri: redirect,
  };
  for (const [name, value] of Object.entries({ ...given, ...over })) url.searchParams.set(name, value);
  return url.href;
}

function approve(t: Trial, over: Record<string, string> = {}): string {
  try {
    return t.slack.oauth.approve(link(t, over), t.ada.user);
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
}

function exchange(t: Trial, code: string, over: Json = {}): Promise<string> {
  const { clientId, clientSecret } = t.slack.credentials;
  const args = { client_id: clientId, client_secret: clientSecret, code, redirect_uri: redirect, ...over };
  return t.call('oauth.v2.access', args, '');
}

const codeOf = (t: Trial) => new URL(approve(t)).searchParams.get('code') ?? '';

function refusal(change: (manifest: Json) => void): string {
  const manifest = structuredClone(everything);
  change(manifest);
  try {
    readManifest(manifest);
    return 'taken';
  } catch (error) {
    return (error as Error).message;
  }
}
const features = (manifest: Json) => manifest.features as Record<string, Json[]>;
const settings = (manifest: Json) => manifest.settings as Record<string, Json>;

/** OAuth, and the manifest. */
export const installingRules: readonly Rule[] = [
  {
    rule: 'an install link with an unknown client',
    answer: 'invalid_client_id',
    source: 'installing with OAuth',
    attempt: (t) => approve(t, { client_id: 'x' }),
  },
  {
    rule: 'an install link with a scope that the manifest lacks',
    answer: 'invalid_scope',
    source: 'installing with OAuth',
    attempt: (t) => approve(t, { scope: 'admin' }),
  },
  {
    rule: 'an install link back to an address that the manifest lacks',
    answer: 'bad_redirect_uri',
    source: 'installing with OAuth',
    attempt: (t) => approve(t, { redirect_uri: 'https://evil.example/' }),
  },
  {
    rule: 'a wrong client secret',
    answer: 'bad_client_secret',
    source: 'oauth.v2.access: errors',
    attempt: (t) => exchange(t, codeOf(t), { client_secret: 'x' }),
  },
  {
    rule: 'another redirect_uri than in the link',
    answer: 'bad_redirect_uri',
    source: 'oauth.v2.access: errors',
    attempt: (t) => exchange(t, codeOf(t), { redirect_uri: 'https://bot.example/' }),
  },
  {
    rule: 'a code twice',
    answer: 'ok, invalid_code',
    source: 'oauth.v2.access: errors',
    attempt: async (t) => {
      const code = codeOf(t);
      return `${await exchange(t, code)}, ${await exchange(t, code)}`;
    },
  },
  {
    rule: 'a manifest whose name is over 35 characters',
    answer: 'manifest: display_information.name has to be text of 1 to 35 characters',
    source: 'app manifest reference',
    attempt: () => refusal((m) => Object.assign(m.display_information as Json, { name: 'x'.repeat(36) })),
  },
  {
    rule: 'a manifest with 51 slash commands',
    answer: 'manifest: too many slash commands',
    source: 'app manifest reference',
    attempt: () =>
      refusal((m) => {
        const [first] = features(m).slash_commands ?? [];
        features(m).slash_commands = Array.from({ length: 51 }, (_, n) => ({
          ...first,
          command: `/c${n}`,
        })) as never;
      }),
  },
  ...(
    [
      ['an eleventh shortcut', 'too many shortcuts', (one: Json) => Array.from({ length: 11 }, () => one)],
      [
        "a shortcut's name over 24 characters",
        'shortcuts.name has to be text of 1 to 24 characters',
        (one: Json) => [{ ...one, name: 'x'.repeat(25) }],
      ],
      [
        "a shortcut's description over 150 characters",
        'Ask.description has to be text of 1 to 150 characters',
        (one: Json) => [{ ...one, description: 'x'.repeat(151) }],
      ],
      [
        "a shortcut's callback_id over 255 characters",
        'Ask.callback_id has to be text of 1 to 255 characters',
        (one: Json) => [{ ...one, callback_id: 'x'.repeat(256) }],
      ],
      [
        'two shortcuts with one callback_id',
        'a callback_id twice',
        (one: Json) => [one, { ...one, name: 'Say' }],
      ],
    ] as const
  ).map(([rule, fault, shortcuts]): Rule => {
    const one = { name: 'Ask', type: 'message', callback_id: 'ask', description: 'Asks.' };
    return {
      rule,
      answer: `manifest: ${fault}`,
      source: 'app manifest: features.shortcuts',
      attempt: () =>
        refusal((m) => {
          features(m).shortcuts = shortcuts(one) as Json[];
        }),
    };
  }),
  {
    rule: 'a shortcut without the scope commands',
    answer: 'manifest: shortcuts need the scope commands',
    source: 'scopes: commands',
    attempt: () =>
      refusal((m) => {
        features(m).shortcuts = [{ name: 'Ask', type: 'message', callback_id: 'ask', description: 'Asks.' }];
        features(m).slash_commands = [];
        const { bot } = (m.oauth_config as { scopes: { bot: string[] } }).scopes;
        bot.splice(bot.indexOf('commands'), 1);
      }),
  },
  {
    rule: 'a slash command over 32 characters',
    answer: 'manifest: slash_commands.command has to be text of 2 to 32 characters',
    source: 'app manifest reference',
    attempt: () =>
      refusal((m) => {
        const [first] = features(m).slash_commands ?? [];
        if (first) first.command = `/${'x'.repeat(32)}`;
      }),
  },
  {
    rule: "an agent's description over 300 characters",
    answer: 'manifest: agent_view.agent_description has to be text of 1 to 300 characters',
    source: 'app manifest reference',
    attempt: () =>
      refusal((m) => Object.assign(features(m).agent_view as object, { agent_description: 'x'.repeat(301) })),
  },
  {
    rule: 'five suggested prompts in the manifest',
    answer: 'manifest: agent_view.suggested_prompts: too many',
    source: 'app manifest reference',
    attempt: () =>
      refusal((m) => {
        const prompt = { title: 'x', message: 'x' };
        const suggested_prompts = [prompt, prompt, prompt, prompt, prompt];
        Object.assign(features(m).agent_view as object, { suggested_prompts });
      }),
  },
  {
    rule: 'an event without the scope it needs',
    answer: 'manifest: event app_mention needs the scope app_mentions:read',
    source: 'events reference',
    attempt: () =>
      refusal((m) => {
        const scopes = (m.oauth_config as { scopes: { bot: string[] } }).scopes;
        scopes.bot = scopes.bot.filter((scope) => scope !== 'app_mentions:read');
      }),
  },
  {
    rule: 'HTTP mode without an address for events',
    answer: 'manifest: event_subscriptions.request_url is missing',
    source: 'app manifest reference',
    attempt: () => refusal((m) => Object.assign(settings(m), { socket_mode_enabled: false })),
  },
  {
    rule: 'an agent that does not hear of app_context_changed',
    answer: 'manifest: agent_view needs the event app_context_changed',
    source: 'agent_view',
    attempt: () =>
      refusal((m) => {
        const events = (settings(m).event_subscriptions ?? {}) as { bot_events: string[] };
        events.bot_events = events.bot_events.filter((name) => name !== 'app_context_changed');
      }),
  },
];
