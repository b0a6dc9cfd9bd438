import { FakeClock } from '../clock.ts';
import type { FakePerson } from './person.ts';
import type { Channel, Installation, Json, Workspace } from './records.ts';
import { FakeSlack } from './slack.ts';

/** A manifest with everything the server knows, for trying its rules. */
export const everything: Json = {
  display_information: { name: 'troupe' },
  features: {
    app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
    bot_user: { display_name: 'troupe' },
    agent_view: { agent_description: 'Answers.', suggested_prompts: [{ title: 'Hello', message: 'Hello!' }] },
    slash_commands: [{ command: '/ask', description: 'Asks.', url: 'https://bot.example/slack/events' }],
  },
  functions: {
    ask: {
      title: 'Ask',
      description: 'Asks.',
      input_parameters: {
        prompt: { type: 'string', title: 'Prompt', description: 'The question.', is_required: true },
      },
      output_parameters: {
        answer: { type: 'string', title: 'Answer', description: 'The answer.', is_required: true },
      },
    },
  },
  oauth_config: {
    redirect_urls: ['https://bot.example/slack/install'],
    scopes: {
      bot: [
        'app_mentions:read',
        'assistant:write',
        'channels:history',
        'channels:join',
        'channels:read',
        'chat:write',
        'commands',
        'files:read',
        'files:write',
        'groups:history',
        'groups:read',
        'im:history',
        'im:read',
        'im:write',
        'mpim:history',
        'mpim:read',
        'usergroups:read',
        'users:read',
      ],
    },
  },
  settings: {
    org_deploy_enabled: true,
    socket_mode_enabled: true,
    function_runtime: 'remote',
    interactivity: { is_enabled: true },
    event_subscriptions: {
      bot_events: [
        'agent_session_stopped',
        'app_context_changed',
        'app_home_opened',
        'app_mention',
        'channel_shared',
        'channel_unshared',
        'app_uninstalled',
        'function_executed',
        'message.channels',
        'message.groups',
        'message.im',
        'message.mpim',
        'team_access_revoked',
        'tokens_revoked',
      ],
    },
  },
};

/** A server with a workspace, two people and four channels, and a caller of its methods. */
export interface Trial {
  readonly clock: FakeClock;
  readonly slack: FakeSlack;
  readonly workspace: Workspace;
  readonly installation: Installation;
  readonly ada: FakePerson;
  readonly ben: FakePerson;
  readonly general: Channel;
  /** A public channel without the bot. */
  readonly outside: Channel;
  /** A private channel without the bot. */
  readonly secret: Channel;
  readonly archived: Channel;
  /** `ok`, Slack's error, or the status with its Retry-After. */
  call(method: string, args?: Json, token?: string): Promise<string>;
  /** The whole answer. */
  ask(method: string, args?: Json): Promise<Json>;
  /** Posts a message of the bot in `general`; the clock moves on a second first. */
  posted(args?: Json): Promise<string>;
}

export async function startTrial(manifest: Json = everything): Promise<Trial> {
  const clock = new FakeClock();
  const slack = await FakeSlack.start({ manifest, clock });
  const workspace = slack.addWorkspace('acme', 'E0ORG');
  const installation = slack.install(workspace);
  const ada = slack.person(workspace, { name: 'ada' });
  const ben = slack.person(workspace, { name: 'ben', locale: 'zh-CN' });
  const archived = slack.channel(workspace, 'old', [ada]);
  archived.archived = true;
  const general = slack.channel(workspace, 'general', [ada, ben]);

  const ask = async (method: string, args: Json = {}, token = installation.token) => {
    const response = await fetch(slack.apiUrl + method, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(args),
    });
    const answer = (await response.json().catch(() => ({}))) as Json;
    return { response, answer };
  };

  return {
    clock,
    slack,
    workspace,
    installation,
    ada,
    ben,
    general,
    outside: slack.channel(workspace, 'outside', [ada], { withoutBot: true }),
    secret: slack.channel(workspace, 'secret', [ada], { withoutBot: true, kind: 'group' }),
    archived,
    async call(method, args, token) {
      const { response, answer } = await ask(method, args, token).catch(() => ({
        response: undefined,
        answer: {} as Json,
      }));
      if (!response) return 'connection cut';
      if (response.status === 429) return `429, Retry-After ${response.headers.get('retry-after')}`;
      if (response.status !== 200) return String(response.status);
      return answer.ok === true ? 'ok' : String(answer.error);
    },
    ask: async (method, args) => (await ask(method, args)).answer,
    async posted(args = {}) {
      await clock.advance(1_000);
      const { answer } = await ask('chat.postMessage', { channel: general.id, text: 'hello', ...args });
      if (typeof answer.ts !== 'string') throw new Error(`not posted: ${answer.error}`);
      return answer.ts;
    },
  };
}

/** A rule of Slack's: what is tried, and what the server has to answer. */
export interface Rule {
  readonly rule: string;
  readonly answer: string;
  /** The page of Slack's public documentation that says so, or what was seen. */
  readonly source: string;
  attempt(trial: Trial): Promise<string> | string;
}
