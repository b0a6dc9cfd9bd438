import type { ChannelType, GuildPremiumTier, Locale } from 'discord.js';
import type { Fields } from './http/fields.ts';

/** Everything the server keeps. Ids are snowflakes; times are milliseconds since the epoch. */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly bot: boolean;
  locale: Locale;
  /** False: the user takes no direct messages from the bot (50007). */
  acceptsDirectMessages: boolean;
}

export interface Role {
  readonly id: string;
  readonly name: string;
  permissions: bigint;
  /** The bot whose own role it is: made when it is invited, under its name. */
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
  /** What its boosts are said to give; what a file may really have is another thing. */
  premiumTier: GuildPremiumTier;
  /** Where news about the server are posted. */
  systemChannelId: string | null;
  /** False: the bot is only user-installed and no member. */
  hasBot: boolean;
  /** What is refused here beyond the rules everybody has. */
  readonly moderation: {
    /** Words that AutoMod blocks, in messages (200000) and in threads' names (200001). */
    words: readonly string[];
    /** Components are refused. */
    buttons: boolean;
    /** New files are refused. */
    files: boolean;
    /** Edits are refused. */
    edits: boolean;
  };
  /** False: in an outage. The bot is told that it is in the server, and nothing else of it. */
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
  lastMessageId: string | undefined;
  messageCount: number;
}

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly description: string | undefined;
  readonly durationSeconds: number | undefined;
  readonly waveform: string | undefined;
  readonly url: string;
}

/** What of a message an edit can change. */
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
  /** Addresses that Discord fetched for a preview. */
  unfurled: readonly string[];
}

export interface Message extends MessageState {
  readonly id: string;
  readonly channelId: string;
  readonly authorId: string;
  readonly createdAt: number;
  readonly nonce: string | number | undefined;
  readonly replyTo: string | undefined;
  /** What it forwards; it has no words of its own then. */
  readonly forwardOf?: string;
  readonly interactionId: string | undefined;
  /** The one who sees it, where it is ephemeral. */
  readonly onlyFor: string | undefined;
  /** Every state before the present one, oldest first. */
  readonly history: MessageState[];
  editedAt: number | undefined;
  lateEdits: number;
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
  readonly appPermissions: bigint;
  readonly uploadLimit: number;
  /** The app is not installed in the place: five follow-ups, no bot routes. */
  readonly userInstallOnly: boolean;
  readonly owners: Readonly<Record<string, string>>;
  readonly commandName: string | undefined;
  /** The message a pressed button belongs to. */
  readonly sourceMessageId: string | undefined;
  acknowledgement: Acknowledgement | undefined;
  acknowledgedAt: number | undefined;
  responseMessageId: string | undefined;
  readonly followUpIds: string[];
  choices: readonly Fields[] | undefined;
  modal: Fields | undefined;
}
