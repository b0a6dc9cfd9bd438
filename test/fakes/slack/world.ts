import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../src/lib/clock.ts';
import { Failure } from './http/failure.ts';
import type { AppSettings } from './http/manifest.ts';
import { type Readings, usualReadings } from './readings.ts';
import type {
  AgentSession,
  Channel,
  ChannelKind,
  Execution,
  Installation,
  Json,
  Message,
  SlackFile,
  Status,
  User,
  Workspace,
} from './records.ts';

/** A call's token and what it may reach. */
export interface Caller {
  readonly installation: Installation;
  /** Set for a step's own token, which is good for that step alone. */
  readonly execution?: Execution;
  readonly use: (scope: string) => void;
}

/** Everything the server knows: workspaces with their people, channels, messages and files. */
export class World {
  readonly clock: Clock;
  readonly settings: AppSettings;
  /** What is uncertain, as this server does it; tests change it. */
  readonly readings: Readings;
  readonly appId = 'A0TROUPE0';
  readonly workspaces = new Map<string, Workspace>();
  readonly installations = new Map<string, Installation>();
  readonly statuses: Status[] = [];
  readonly titles = new Map<string, string>();
  /** Agent sessions, by channel and the root of their thread. */
  readonly sessions = new Map<string, AgentSession>();
  readonly prompts = new Map<string, { title: string; message: string }[]>();
  /** Steps of workflows that were run, by `function_execution_id`. */
  readonly executions = new Map<string, Execution>();
  /** Scopes that something needed, by whatever needed them first. */
  readonly usedScopes = new Map<string, string>();
  /**
   * What is sent of what a message, a press, a form or a step may lack: nothing of `channel_type` and others, or that it’s null, as
   * some stand-ins do.
   */
  optionalFields: 'told' | 'absent' | 'null' = 'told';
  /** Whether a press names its channel by itself, or in its `container` alone: Bolt's type has both, and the first as optional. */
  pressedChannel: 'itself' | 'container' = 'itself';
  /** Where the server listens. */
  origin = '';
  /** Sends the app an event of what it did itself. */
  tell: (workspace: Workspace, event: Json) => void = () => {};
  #count = 0;
  #lastTs = 0;

  constructor(clock: Clock, settings: AppSettings, readings: Partial<Readings> = {}) {
    this.clock = clock;
    this.settings = settings;
    this.readings = { ...usualReadings, ...readings };
  }

  id(prefix: string): string {
    return prefix + (++this.#count).toString(36).toUpperCase().padStart(9, '0');
  }

  secret(prefix: string): string {
    return prefix + randomBytes(12).toString('hex');
  }

  /** A time stamp no other message has. */
  ts(): string {
    this.#lastTs = Math.max(this.#lastTs + 1, this.clock.now() * 1_000);
    const micro = String(this.#lastTs);
    return `${micro.slice(0, -6)}.${micro.slice(-6)}`;
  }

  useScope(scope: string, reason: string): void {
    if (!this.usedScopes.has(scope)) this.usedScopes.set(scope, reason);
  }

  addWorkspace(name: string, enterpriseId?: string): Workspace {
    const workspace: Workspace = {
      id: this.id('T'),
      name,
      enterpriseId,
      botUser: this.id('U'),
      botName: 'troupe',
      botId: this.id('B'),
      users: new Map(),
      channels: new Map(),
      groups: new Map(),
      files: new Map(),
      ephemerals: [],
      maxFileBytes: 1024 * 1024 * 1024,
      isLeftOut: false,
      uploadsDisabled: false,
      isStorageFull: false,
      editWindowMs: Number.POSITIVE_INFINITY,
      forbiddenEndings: new Set(),
      imagesOnly: false,
    };
    this.workspaces.set(workspace.id, workspace);
    this.#put(workspace, { id: workspace.botUser, name: 'troupe', bot: true });
    return workspace;
  }

  addUser(workspace: Workspace, user: Partial<User> & { name: string }): User {
    return this.#put(workspace, { id: this.id('U'), ...user });
  }

  #put(workspace: Workspace, user: Partial<User> & { id: string; name: string }): User {
    const full: User = {
      realName: user.name,
      locale: 'en-US',
      admin: false,
      owner: false,
      bot: false,
      guest: false,
      disabled: false,
      ...user,
      teamId: workspace.id,
    };
    workspace.users.set(full.id, full);
    return full;
  }

  /** A channel that a workspace sees; `owner` is where it was made, another workspace in Slack Connect. */
  addChannel(
    workspace: Workspace,
    kind: ChannelKind,
    name: string,
    members: readonly string[],
    owner: Workspace = workspace,
  ): Channel {
    const channel: Channel = {
      id: this.id(kind === 'im' ? 'D' : kind === 'mpim' ? 'G' : 'C'),
      teamId: owner.id,
      kind,
      name,
      members: new Set(members),
      archived: false,
      threads: 'allowed',
      readOnly: false,
      messages: new Map(),
    };
    workspace.channels.set(channel.id, channel);
    return channel;
  }

  /** Gives a channel another id, with all that's in it; the one before is nobody's. @returns both. */
  giveId(channel: Channel): { readonly from: string; readonly to: string } {
    const [from, to] = [channel.id, this.id('C')];
    const moved = (of: Iterable<{ channel: string }>) => {
      for (const one of of) if (one.channel === from) one.channel = to;
    };
    channel.id = to;
    moved(channel.messages.values());
    moved(this.statuses);
    for (const { channels, ephemerals, files } of this.workspaces.values()) {
      if (channels.delete(from)) channels.set(to, channel);
      moved(ephemerals);
      for (const { shares, seenIn } of files.values()) {
        moved(shares);
        if (seenIn.delete(from)) seenIn.add(to);
      }
    }
    for (const records of [this.sessions, this.titles, this.prompts] as Map<string, unknown>[])
      for (const [key, one] of records)
        if (key.startsWith(from) && records.delete(key)) records.set(`${to}${key.slice(from.length)}`, one);
    return { from, to };
  }

  /** The direct messages between a person and the bot; those of two people are others. */
  directMessages(workspace: Workspace, user: string): Channel {
    for (const channel of workspace.channels.values()) {
      const { kind, members } = channel;
      if (kind === 'im' && members.has(user) && members.has(workspace.botUser)) return channel;
    }
    return this.addChannel(workspace, 'im', 'directmessage', [user, workspace.botUser]);
  }

  install(target: { teamId?: string; enterpriseId?: string }, scopes = this.settings.scopes): Installation {
    const installation: Installation = {
      token: this.secret('xoxb-'),
      teamId: target.teamId,
      enterpriseId: target.enterpriseId,
      scopes: new Set(scopes),
      state: 'active',
    };
    this.installations.set(installation.token, installation);
    return installation;
  }

  /** The workspaces a token reaches. */
  reach(installation: Installation): Workspace[] {
    return [...this.workspaces.values()].filter((workspace) =>
      installation.teamId !== undefined
        ? workspace.id === installation.teamId
        : workspace.enterpriseId === installation.enterpriseId && !workspace.isLeftOut,
    );
  }

  workspace(id: string): Workspace {
    const workspace = this.workspaces.get(id);
    if (!workspace) throw new Error(`no workspace ${id}`);
    return workspace;
  }

  /** The workspace whose bot a channel's message would come from; undefined where the token cannot see it. */
  find(caller: Caller, channelId: string): { workspace: Workspace; channel: Channel } | undefined {
    for (const workspace of this.reach(caller.installation)) {
      const channel = workspace.channels.get(channelId);
      if (channel) return { workspace, channel };
    }
    const { enterpriseId } = caller.installation;
    const isLeftOut = (one: Workspace) => one.isLeftOut && one.enterpriseId === enterpriseId;
    const outside = [...this.workspaces.values()].filter(isLeftOut);
    if (outside.some(({ channels }) => channels.has(channelId))) throw new Failure('team_access_not_granted');
    return undefined;
  }

  /** A channel the bot may write into. */
  writable(caller: Caller, channelId: string): { workspace: Workspace; channel: Channel } {
    const found = this.find(caller, channelId);
    if (!found) throw new Failure('channel_not_found');
    const { workspace, channel } = found;
    if (!channel.members.has(workspace.botUser)) {
      throw new Failure(channel.kind === 'channel' ? 'not_in_channel' : 'channel_not_found');
    }
    if (channel.archived) throw new Failure('is_archived');
    if (channel.kind === 'im' && !this.settings.messagesTab) throw new Failure('messages_tab_disabled');
    return found;
  }

  /** A channel the bot may read; the scope for its kind is counted as used. */
  readable(caller: Caller, channelId: string, scope: 'history' | 'read') {
    const found = this.find(caller, channelId);
    if (!found) throw new Failure('channel_not_found');
    const kinds = { channel: 'channels', group: 'groups', im: 'im', mpim: 'mpim' } as const;
    caller.use(`${kinds[found.channel.kind]}:${scope}`);
    if (!found.channel.members.has(found.workspace.botUser)) {
      if (found.channel.kind !== 'channel') throw new Failure('channel_not_found');
      if (scope === 'history') throw new Failure('not_in_channel');
    }
    return found;
  }

  /** The root that `threadTs` names; refuses a reply's own time stamp, and what takes no replies. */
  root(channel: Channel, threadTs: string, code: string): Message {
    const root = channel.messages.get(threadTs);
    if (!root || (root.threadTs !== undefined && root.threadTs !== root.ts)) throw new Failure(code);
    if (root.isUnthreadable) throw new Failure(code);
    return root;
  }

  /**
   * The thread that a post under `threadTs` comes to; undefined for the channel itself, where Slack posts it without a word if
   * that message is gone. Refuses a reply's own time stamp.
   */
  threadFor(channel: Channel, threadTs: string | undefined, code: string): string | undefined {
    if (threadTs === undefined || !channel.messages.has(threadTs)) return undefined;
    return this.root(channel, threadTs, code).ts;
  }

  file(caller: Caller, id: string): { workspace: Workspace; file: SlackFile } {
    for (const workspace of this.reach(caller.installation)) {
      const file = workspace.files.get(id);
      if (file) return { workspace, file };
    }
    throw new Failure('file_not_found');
  }

  replies(channel: Channel, threadTs: string): Message[] {
    return [...channel.messages.values()].filter((message) => message.threadTs === threadTs);
  }
}
