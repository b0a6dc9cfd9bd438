import type { ChannelType, GuildPremiumTier, Locale } from 'discord-api-types/v10';
import type { Fields } from './http/fields.ts';

/** Everything the server keeps. Ids are snowflakes; times are milliseconds since the epoch. */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly bot: boolean;
  locale: Locale;
  /** False: the user accepts no direct messages from the bot (50007). */
  acceptsDirectMessages: boolean;
}

export interface Role {
  readonly id: string;
  readonly name: string;
  permissions: bigint;
  /** The bot whose own role it is, created with its name when it's invited. */
  readonly botId?: string;
}

export interface Member {
  readonly userId: string;
  readonly roles: string[];
  readonly joinedAt: number;
  /** Timed out until then. */
  timedOutUntil: number | undefined;
}

export interface Guild {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly preferredLocale: Locale;
  readonly roles: Map<string, Role>;
  readonly members: Map<string, Member>;
  /** Bytes a file may have here: 10 MiB unless the server is boosted. */
  uploadLimit: number;
  /** The limit by its boosts; the actual one may differ. */
  premiumTier: GuildPremiumTier;
  /** The system channel. */
  systemChannelId: string | null;
  /** The channel of its rules. */
  rulesChannelId: string | null;
  /** False: the bot isn't a member; people may have installed it for themselves. */
  hasBot: boolean;
  /** What this server refuses in addition to Discord's rules. */
  readonly moderation: {
    /** Words that AutoMod blocks, in messages (200000) and in threads' names (200001). */
    words: readonly string[];
    /** Words that channels of a community may not have in their names (50035). */
    names: readonly string[];
    /** Components are refused. */
    buttons: boolean;
    /** New files are refused (400001). */
    files: boolean;
    /** Edits are refused. */
    edits: boolean;
  };
  /** How many threads may be active at once (resources/channel, threads). */
  mostActiveThreads: number;
  /** False: in an outage. The bot learns only that it's in the server. */
  available: boolean;
}

export interface Overwrite {
  readonly id: string;
  readonly type: 'role' | 'member';
  allow: bigint;
  deny: bigint;
}

export interface ThreadState {
  readonly ownerId: string;
  readonly createdAt: number;
  readonly members: Set<string>;
  archived: boolean;
  locked: boolean;
  autoArchiveMinutes: number;
}

export interface Channel {
  readonly id: string;
  readonly type: ChannelType;
  readonly guildId: string | undefined;
  readonly parentId: string | undefined;
  readonly recipients: readonly string[];
  readonly overwrites: Overwrite[];
  readonly thread: ThreadState | undefined;
  name: string;
  /** Where it stands in its category, or above all categories. */
  position?: number;
  lastMessageId: string | undefined;
  messageCount: number;
}

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  /** Empty where Discord doesn't tell it. */
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly description: string | undefined;
  readonly durationSeconds: number | undefined;
  readonly waveform: string | undefined;
  /** Hidden until somebody clicks it: `is_spoiler`, or its name begins with SPOILER_. */
  readonly spoiler: boolean;
  readonly url: string;
}

/** The parts of a message that an edit can change. */
export interface MessageState {
  content: string;
  embeds: readonly Fields[];
  components: readonly Fields[];
  files: readonly StoredFile[];
  flags: number;
  /** Users who were notified, or would be marked, by this state of the message. */
  mentions: readonly string[];
  mentionRoles: readonly string[];
  mentionEveryone: boolean;
  /** Links that Discord fetched for a preview. */
  unfurled: readonly string[];
}

/** What stands in a poll's answer: words, an emoji, or both (resources/poll, poll media object). */
interface PollMedia {
  readonly text?: string;
  /** `id`: null for a character; `name`: null of one that its server has deleted (resources/emoji). */
  readonly emoji?: { readonly id: string | null; readonly name: string | null };
}

export interface Message extends MessageState {
  readonly id: string;
  readonly channelId: string;
  readonly authorId: string;
  readonly createdAt: number;
  /** Of a message that Discord itself makes. */
  readonly type?: number;
  readonly nonce: string | number | undefined;
  readonly replyTo: string | undefined;
  /** The message it forwards; it has no text of its own then. */
  readonly forwardOf?: string;
  /** The question of a poll and its answers, in words or with an emoji; it can't be edited or forwarded. */
  readonly poll?: { readonly question: string; readonly answers: readonly (string | PollMedia)[] };
  /** The names of its stickers. */
  readonly stickers?: readonly string[];
  /** The published message that it's a copy of, in a channel that follows the other's. */
  readonly copyOf?: string;
  readonly interactionId: string | undefined;
  /** The only person who sees it, if it's ephemeral. */
  readonly onlyFor: string | undefined;
  /** Every state before the present one, oldest first. */
  readonly history: MessageState[];
  editedAt: number | undefined;
  lateEdits: number;
  /** When it was published to the channels that follow its own, and when it was edited since. */
  published?: { readonly edits: number[] };
  deleted: boolean;
}

export type InteractionKind = 'command' | 'component' | 'autocomplete' | 'modal';
export type Acknowledgement = 'message' | 'deferred' | 'deferred-update' | 'update' | 'choices' | 'modal';

export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly kind: InteractionKind;
  readonly userId: string;
  readonly channelId: string;
  readonly guildId: string | undefined;
  readonly createdAt: number;
  appPermissions: bigint;
  readonly uploadLimit: number;
  /** The bot isn't a member: five follow-ups, no requests with the bot's token. */
  readonly userInstallOnly: boolean;
  readonly owners: Readonly<Record<string, string>>;
  readonly commandName: string | undefined;
  /** The message a pressed button belongs to. */
  readonly sourceMessageId: string | undefined;
  /** The interaction that opened the form that was sent. */
  readonly openedBy: string | undefined;
  acknowledgement: Acknowledgement | undefined;
  acknowledgedAt: number | undefined;
  responseMessageId: string | undefined;
  readonly followUpIds: string[];
  /** Sent to the application's URL, not over the gateway. */
  readonly byHttp: boolean;
  /** How many more requests by its token find none. */
  tokenUnknownFor: number;
  choices: readonly Fields[] | undefined;
  modal: Fields | undefined;
}
