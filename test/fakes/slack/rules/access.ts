import type { Json } from '../records.ts';
import type { Rule } from '../trial.ts';

const errors = 'Web API: errors';

/** Who may call, and where. */
export const accessRules: readonly Rule[] = [
  {
    rule: 'a call without a token',
    answer: 'not_authed',
    source: errors,
    attempt: (t) => t.call('auth.test', {}, ''),
  },
  {
    rule: 'an unknown token',
    answer: 'invalid_auth',
    source: errors,
    attempt: (t) => t.call('auth.test', {}, 'xoxb-unknown'),
  },
  {
    rule: 'a revoked token',
    answer: 'token_revoked',
    source: errors,
    attempt: (t) => {
      t.installation.state = 'token_revoked';
      return t.call('auth.test');
    },
  },
  {
    rule: 'the token of an app that was taken out',
    answer: 'account_inactive',
    source: errors,
    attempt: (t) => {
      t.slack.uninstall(t.workspace);
      return t.call('auth.test');
    },
  },
  {
    rule: 'an organization’s token in a workspace that isn’t let into its installation',
    answer: 'team_access_not_granted; elsewhere ok',
    source: 'Web API: common errors',
    attempt: async (t) => {
      const sister = t.slack.addWorkspace('sister', 'E0ORG');
      const channel = t.slack.channel(sister, 'general', []);
      const { token } = t.slack.world.install({ enterpriseId: 'E0ORG' });
      const post = ({ id }: { id: string }) => t.call('chat.postMessage', { channel: id, text: 'x' }, token);
      sister.isLeftOut = true;
      return `${await post(channel)}; elsewhere ${await post(t.general)}`;
    },
  },
  {
    rule: 'the workspaces of a token, by a limit above 1,000 or a made-up cursor',
    answer: 'invalid_limit; invalid_cursor; else ok',
    source: 'auth.teams.list',
    attempt: async (t) => {
      const [limit, cursor] = [{ limit: 1_001 }, { cursor: 'x' }].map((args) =>
        t.call('auth.teams.list', args),
      );
      return `${await limit}; ${await cursor}; else ${await t.call('auth.teams.list', { limit: 1_000 })}`;
    },
  },
  {
    rule: 'a method nobody knows',
    answer: 'unknown_method',
    source: errors,
    attempt: (t) => t.call('chat.shout'),
  },
  {
    rule: 'an app-level token for a method of the bot',
    answer: 'not_allowed_token_type',
    source: errors,
    attempt: (t) => t.call('auth.test', {}, t.slack.credentials.appToken),
  },
  {
    rule: 'a bot token for apps.connections.open',
    answer: 'not_allowed_token_type',
    source: 'apps.connections.open',
    attempt: (t) => t.call('apps.connections.open'),
  },
  {
    rule: 'a method whose scope was not granted',
    answer: 'missing_scope',
    source: 'scopes',
    attempt: (t) => {
      const { token } = t.slack.install(t.workspace, ['commands']);
      return t.call('chat.postMessage', { channel: t.general.id, text: 'x' }, token);
    },
  },
  {
    rule: 'reading a private channel without groups:history',
    answer: 'missing_scope',
    source: 'conversations.history',
    attempt: (t) => {
      const { token } = t.slack.install(t.workspace, ['channels:history']);
      return t.call('conversations.history', { channel: t.secret.id }, token);
    },
  },
  {
    rule: 'posting to a public channel the bot is not in',
    answer: 'not_in_channel',
    source: 'chat.postMessage',
    attempt: (t) => t.call('chat.postMessage', { channel: t.outside.id, text: 'x' }),
  },
  {
    rule: 'posting to a private channel the bot is not in',
    answer: 'channel_not_found',
    source: 'chat.postMessage',
    attempt: (t) => t.call('chat.postMessage', { channel: t.secret.id, text: 'x' }),
  },
  {
    rule: 'posting to a private channel that was shared since, by its id before and by the new one',
    answer: 'channel_not_found, ok',
    source: 'channel_id_changed',
    attempt: async (t) => {
      const channel = t.slack.channel(t.workspace, 'project', [t.ada], { kind: 'group' });
      const before = channel.id;
      t.ada.shares(channel);
      const post = (id: string) => t.call('chat.postMessage', { channel: id, text: 'x' });
      return `${await post(before)}, ${await post(channel.id)}`;
    },
  },
  {
    rule: 'posting to direct messages of two people, or of a group without the bot',
    answer: 'channel_not_found, channel_not_found',
    source: 'chat.postMessage; slash commands come from there all the same (seen)',
    attempt: async (t) => {
      const chief = t.slack.person(t.workspace, { name: 'chief' });
      const [two, group] = [
        t.slack.between(t.workspace, [t.ada, t.ben]),
        t.slack.between(t.workspace, [t.ada, t.ben, chief]),
      ];
      const post = ({ id }: { id: string }) => t.call('chat.postMessage', { channel: id, text: 'x' });
      return `${await post(two)}, ${await post(group)}`;
    },
  },
  {
    rule: 'opening direct messages with somebody who writes to others',
    answer: 'the bot’s own, not theirs',
    source: 'conversations.open',
    attempt: async (t) => {
      const two = t.slack.between(t.workspace, [t.ada, t.ben]);
      const { channel } = (await t.ask('conversations.open', { users: t.ada.user.id })) as { channel: Json };
      return channel.id === two.id ? 'theirs' : 'the bot’s own, not theirs';
    },
  },
  {
    rule: 'asking after somebody of another workspace in a shared channel',
    answer: 'their own team_id, is_stranger',
    source: 'users.info; Slack Connect',
    attempt: async (t) => {
      const other = t.slack.addWorkspace('other');
      const zoe = t.slack.visitor(t.workspace, t.slack.person(other, { name: 'zoe' }));
      const { user } = (await t.ask('users.info', { user: zoe.user.id })) as { user: Json };
      return user.team_id === other.id && user.is_stranger ? 'their own team_id, is_stranger' : 'a member';
    },
  },
  {
    rule: 'posting to a channel of another workspace',
    answer: 'channel_not_found',
    source: 'chat.postMessage',
    attempt: (t) => {
      const other = t.slack.addWorkspace('other');
      const channel = t.slack.channel(other, 'general', []);
      return t.call('chat.postMessage', { channel: channel.id, text: 'x' });
    },
  },
  {
    rule: 'posting to an archived channel',
    answer: 'is_archived',
    source: 'chat.postMessage',
    attempt: (t) => t.call('chat.postMessage', { channel: t.archived.id, text: 'x' }),
  },
  {
    rule: 'a reply in a channel without threads',
    answer: 'restricted_action_non_threadable_channel',
    source: 'chat.postMessage: errors',
    attempt: async (t) => {
      const thread_ts = await t.posted();
      t.general.threads = 'forbidden';
      await t.clock.advance(1_100);
      return t.call('chat.postMessage', { channel: t.general.id, text: 'x', thread_ts });
    },
  },
  {
    rule: 'a message outside the threads of a channel that takes them alone',
    answer: 'restricted_action_thread_only_channel',
    source: 'chat.postMessage: errors',
    attempt: (t) => {
      t.general.threads = 'only';
      return t.call('chat.postMessage', { channel: t.general.id, text: 'x' });
    },
  },
  {
    rule: 'a message in a channel whose settings keep the bot from posting',
    answer: 'restricted_action_read_only_channel; told beforehand: true',
    source: 'chat.postMessage: errors; conversation object: is_read_only',
    attempt: async (t) => {
      t.general.readOnly = true;
      const { channel } = await t.ask('conversations.info', { channel: t.general.id });
      const refused = await t.call('chat.postMessage', { channel: t.general.id, text: 'x' });
      return `${refused}; told beforehand: ${(channel as Json).is_read_only}`;
    },
  },
  {
    rule: 'the same where Slack does not tell beforehand',
    answer: 'restricted_action_read_only_channel; told beforehand: undefined',
    source: 'conversation object: is_read_only (uncertain: optional)',
    attempt: async (t) => {
      t.slack.world.readings.channelSettingsTold = 'refused';
      t.general.readOnly = true;
      const { channel } = await t.ask('conversations.info', { channel: t.general.id });
      const refused = await t.call('chat.postMessage', { channel: t.general.id, text: 'x' });
      return `${refused}; told beforehand: ${(channel as Json).is_read_only}`;
    },
  },
  {
    rule: 'a channel that takes replies alone, asked beforehand',
    answer: 'is_thread_only: true',
    source: 'conversation object: is_thread_only',
    attempt: async (t) => {
      t.general.threads = 'only';
      const { channel } = await t.ask('conversations.info', { channel: t.general.id });
      return `is_thread_only: ${(channel as Json).is_thread_only}`;
    },
  },
  {
    rule: 'the members of a channel come in pages',
    answer: '100; 999; invalid_limit',
    source: 'conversations.members',
    attempt: async (t) => {
      for (let number = 0; number < 1_200; number++) t.general.members.add(`U0CROWD${number}`);
      const channel = t.general.id;
      const few = await t.ask('conversations.members', { channel });
      const many = await t.ask('conversations.members', { channel, limit: 999 });
      const refused = await t.call('conversations.members', { channel, limit: 1_000 });
      return `${[few, many].map(({ members }) => (members as Json[]).length).join('; ')}; ${refused}`;
    },
  },
  {
    rule: 'reading the history of a public channel the bot is not in',
    answer: 'not_in_channel',
    source: 'conversations.history',
    attempt: (t) => t.call('conversations.history', { channel: t.outside.id }),
  },
  {
    rule: 'joining without channels:join',
    answer: 'missing_scope',
    source: 'conversations.join',
    attempt: (t) => {
      const { token } = t.slack.install(t.workspace, ['chat:write']);
      return t.call('conversations.join', { channel: t.outside.id }, token);
    },
  },
  {
    rule: 'joining direct messages',
    answer: 'method_not_supported_for_channel_type',
    source: 'conversations.join',
    attempt: (t) => t.call('conversations.join', { channel: t.ada.directMessages.id }),
  },
  {
    rule: 'joining an archived channel',
    answer: 'is_archived',
    source: 'conversations.join',
    attempt: (t) => {
      t.outside.archived = true;
      return t.call('conversations.join', { channel: t.outside.id });
    },
  },
  {
    rule: 'reading a thread of a public channel the bot is not in',
    answer: 'not_in_channel',
    source: 'conversations.replies: errors',
    attempt: (t) => {
      const { ts } = t.ada.says('root', t.outside).message;
      return t.call('conversations.replies', { channel: t.outside.id, ts });
    },
  },
  {
    rule: 'reading a thread without channels:history',
    answer: 'missing_scope',
    source: 'conversations.replies: errors',
    attempt: (t) => {
      const { token } = t.slack.install(t.workspace, ['groups:history']);
      const { ts } = t.ada.says('root', t.general).message;
      return t.call('conversations.replies', { channel: t.general.id, ts }, token);
    },
  },
  {
    rule: 'reading a thread that is not there',
    answer: 'thread_not_found',
    source: 'conversations.replies: errors',
    attempt: (t) => t.call('conversations.replies', { channel: t.general.id, ts: '1.000001' }),
  },
  {
    rule: 'joining a private channel',
    answer: 'channel_not_found',
    source: 'conversations.join',
    attempt: (t) => t.call('conversations.join', { channel: t.secret.id }),
  },
  {
    rule: 'opening direct messages with nobody',
    answer: 'users_list_not_supplied',
    source: 'conversations.open',
    attempt: (t) => t.call('conversations.open'),
  },
  {
    rule: 'opening direct messages with somebody whose account has ended',
    answer: 'user_disabled',
    source: 'conversations.open: errors',
    attempt: (t) => {
      t.ada.user.disabled = true;
      return t.call('conversations.open', { users: t.ada.user.id });
    },
  },
  {
    rule: 'its own bot’s app, by an organization’s token without and with its place; another’s',
    answer: 'its app; team_not_found; ok; bot_not_found',
    source: 'bots.info',
    attempt: async (t) => {
      const bot = t.workspace.botId;
      const { bot: own } = (await t.ask('bots.info', { bot })) as { bot: Json };
      const app = own.app_id === t.slack.world.appId ? 'its app' : 'another app';
      const { token } = t.slack.world.install({ enterpriseId: 'E0ORG' });
      const [without, named] = [{ bot }, { bot, team_id: 'E0ORG' }].map((args) =>
        t.call('bots.info', args, token),
      );
      return `${app}; ${await without}; ${await named}; ${await t.call('bots.info', { bot: 'B0' })}`;
    },
  },
  {
    rule: 'asking after an unknown person',
    answer: 'user_not_found',
    source: 'users.info',
    attempt: (t) => t.call('users.info', { user: 'U0NOBODY' }),
  },
  {
    rule: 'a language that was not asked for',
    answer: 'no locale; zh-CN where include_locale is set',
    source: 'users.info',
    attempt: async (t) => {
      const user = t.ben.user.id;
      const without = (await t.ask('users.info', { user })).user as { locale?: string };
      const asked = (await t.ask('users.info', { user, include_locale: true })).user as { locale?: string };
      return `${without.locale ?? 'no locale'}; ${asked.locale} where include_locale is set`;
    },
  },
];
