/** What the test server remembers. Plain records; the rules are elsewhere. */

export type Json = Record<string, unknown>;
export type ChannelKind = 'channel' | 'group' | 'im' | 'mpim';

export interface User {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  readonly realName: string;
  readonly locale: string;
  /** Slack’s name of it, nearly always an IANA one. */
  readonly timeZone?: string;
  readonly admin: boolean;
  readonly owner: boolean;
  readonly bot: boolean;
  /** A guest: in some channels alone. */
  readonly guest: boolean;
  /** Administrators have ended the account. */
  disabled: boolean;
}

export interface Metadata {
  readonly event_type: string;
  readonly event_payload: Json;
}

/** What a message showed at one time, for tests that look at how an answer grew. */
export interface Revision {
  readonly at: number;
  readonly text: string;
}

export interface Stream {
  readonly startedAt: number;
  readonly recipient: string | undefined;
  /** How its text comes, fixed by the first content. */
  mode: 'chunks' | 'markdown_text' | undefined;
  state: 'streaming' | 'stopped' | 'stopped by a person' | 'dead';
}

export interface Message {
  readonly ts: string;
  channel: string;
  readonly user: string;
  readonly byApp: boolean;
  readonly threadTs: string | undefined;
  text: string;
  /** Standard Markdown, where the message was written in it. */
  markdown: string | undefined;
  blocks: Json[];
  metadata: Metadata | undefined;
  files: string[];
  /** What is shared with it: other messages. */
  attachments: Json[];
  stream: Stream | undefined;
  edited: boolean;
  /** Deleted, but still the root of a thread. */
  tombstone: boolean;
  /** Of a kind that takes no replies, such as Slack’s own notice that a channel has another name. */
  isUnthreadable?: boolean;
  /** Everybody this text rang for, in any of its revisions: `channel`, `here`, user ids, … */
  readonly pings: string[];
  /** Addresses Slack fetched to show a preview of. */
  readonly unfurled: string[];
  readonly revisions: Revision[];
}

export interface Channel {
  /** Another one once it's shared with another workspace. */
  id: string;
  readonly teamId: string;
  kind: ChannelKind;
  readonly name: string;
  readonly members: Set<string>;
  archived: boolean;
  /** What its settings say of threads. */
  threads: 'allowed' | 'forbidden' | 'only';
  /** Its settings keep the bot from posting ("posting permissions"). */
  readOnly: boolean;
  readonly messages: Map<string, Message>;
}

/** A message that one person alone sees. */
export interface Ephemeral {
  channel: string;
  readonly user: string;
  readonly threadTs: string | undefined;
  readonly ts: string;
  text: string;
  blocks: Json[];
  readonly via: 'chat.postEphemeral' | 'response_url' | 'acknowledgement';
}

export interface Share {
  channel: string;
  readonly ts: string;
  readonly threadTs: string | undefined;
}

export interface SlackFile {
  readonly id: string;
  teamId: string;
  user: string;
  readonly name: string;
  readonly length: number;
  readonly altText: string | undefined;
  /** Where it is that another app has added it from (`files.remote.add`): anywhere. */
  readonly externalUrl?: string;
  title: string;
  mimetype: string;
  /** What more there is of an email that somebody forwarded to Slack. */
  email?: Json;
  bytes: Uint8Array | undefined;
  completed: boolean;
  /** When Slack knows what it is: a while after its completion. */
  readAt: number | undefined;
  readonly shares: Share[];
  /** The channels whose people can see it: where it was shared, or posted in a block. */
  readonly seenIn: Set<string>;
}

/** A token of the app in one workspace, or in all of an organization. */
export interface Installation {
  readonly token: string;
  readonly teamId: string | undefined;
  readonly enterpriseId: string | undefined;
  readonly scopes: ReadonlySet<string>;
  /** Another app's, whose token somebody has copied; this app's where absent. */
  otherApp?: string;
  state: 'active' | 'token_revoked' | 'account_inactive';
}

/** A user group. */
export interface Group {
  readonly id: string;
  readonly handle: string;
  readonly users: ReadonlySet<string>;
}

export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly enterpriseId: string | undefined;
  readonly botUser: string;
  /** As it is written after `@`; another where the name was taken. */
  botName: string;
  readonly botId: string;
  readonly users: Map<string, User>;
  readonly channels: Map<string, Channel>;
  readonly groups: Map<string, Group>;
  readonly files: Map<string, SlackFile>;
  readonly ephemerals: Ephemeral[];
  /** The organization has taken it out of the app's installation. */
  isLeftOut: boolean;
  /** Administrators have switched uploads off. */
  uploadsDisabled: boolean;
  /** A free workspace has used up its storage. */
  isStorageFull: boolean;
  /** In bytes. */
  maxFileBytes: number;
  /** For how long messages may be changed, in milliseconds: a setting of administrators. */
  editWindowMs: number;
  /** File name endings that administrators have forbidden. */
  readonly forbiddenEndings: Set<string>;
  /** Administrators allow no files but images. */
  imagesOnly: boolean;
}

/** A step of a workflow, while it runs and after. */
export interface Execution {
  readonly id: string;
  readonly step: string;
  readonly teamId: string;
  /** Its own token, which comes with its event. */
  readonly token: string;
  readonly startedAt: number;
  state: 'running' | 'done' | 'failed';
  outputs: Json | undefined;
  error: string | undefined;
}

/** A status under an assistant's thread, as people saw it come and go. */
export interface Status {
  channel: string;
  readonly threadTs: string;
  readonly text: string;
  readonly from: number;
  until: number | undefined;
  endedBy: 'cleared' | 'replaced' | 'post' | 'timeout' | undefined;
}

/** An agent's session in a thread. */
export interface AgentSession {
  status: string;
  title: string | undefined;
  readonly initiator: string | undefined;
}
