import type { Address, MessageAddress, Place, PlatformName } from './address.ts';
import type { PlatformAdapter } from './post/platform-adapter.ts';
import { PlatformError } from './post/platform-error.ts';

/** A person who runs the bot. Only operators are notified about its key and account. */
export interface Operator {
  readonly platform: PlatformName;
  /** Where the platform knows them: Slack's workspace or organization; empty where ids are the same everywhere. */
  readonly workspace: string;
  readonly person: string;
}

/** Whether this is one person. */
export function isSamePerson({ platform, workspace, person }: Operator, id: string, at: Place): boolean {
  return platform === at.platform && person === id && (workspace === '' || workspace === at.workspace);
}

/**
 * Where the bot is, as platforms find out: some time after it was removed from a place, what's kept of that is deleted. Each
 * resolves once that's on record.
 */
export interface Places {
  /** It was added to a place: what was to be deleted of it stays. `account`: as what on the platform, where that's known. */
  joined(place: Place, account?: string): Promise<void>;
  /** It was removed from a place just now. */
  left(place: Place): Promise<void>;
  /** A list of the platform's doesn't name a place any more, or its token is refused there: it was removed some time ago. */
  isMissing(place: Place): Promise<void>;
  /** The workspaces that it was removed from where something is under way still: the process that was to stop it may have died. */
  leftUnderWay(platform: PlatformName): Promise<readonly string[]>;
  /**
   * All workspaces that a list of the platform's names. Those that it named before for the same account were left meanwhile;
   * `isListed`: whether it would name one.
   */
  are(list: {
    readonly platform: PlatformName;
    readonly account: string;
    readonly workspaces: readonly string[];
    readonly isListed: (workspace: string) => boolean;
  }): Promise<void>;
}

/** Where an address isn't heard yet ({@link Platform.hears}), it's asked again after so many milliseconds. */
export const untilHeard = 1_000;

/** A running platform, as main sees it. */
export interface Platform {
  readonly adapter: PlatformAdapter;
  /** Who runs the bot as far as the platform knows: who owns the app there, or has installed it, in a workspace or anywhere. */
  operators(workspace?: string): Promise<readonly Operator[]>;
  /** Why it is not ready, in words; undefined when it is. */
  notReady(): string | undefined;
  /**
   * Resolves once what happened while nobody listened is known as far as the platform tells of it later, such as deletions;
   * as long as the platform can't be reached, it waits. Absent where nothing is told later.
   */
  caughtUp?(): Promise<void>;
  /**
   * Whether what happens at an address now, such as a deletion, comes to one of the bot's processes, and what was missed
   * there is known; true, too, once that can't be known any more. Rejects if the database is away. Absent where it always does.
   */
  hears?(address: Address): Promise<boolean>;
  /**
   * Whether the bot is in a server or workspace now; asked before what's kept of it is deleted. Rejects if the platform doesn't
   * say so. Absent where it's never removed.
   */
  isIn?(workspace: string): Promise<boolean>;
  /** Forgets what it keeps of a workspace from which the bot was removed, such as a token. */
  forget?(workspace: string): Promise<void>;
  /** Forgets what it keeps of a person besides where they're reached, such as their language. Absent where that's nothing. */
  forgetPerson?(person: string): Promise<void>;
  /**
   * Takes up what processes that don't live any more left open on the platform itself. Resolves when it's known what that
   * is; it's ended after that.
   */
  takeUp?(): Promise<void>;
  /** Connections for events: how many are ready, and how many there should be. Absent where there are none. */
  connections?(): { readonly ready: number; readonly wanted: number };
  /** Other processes receive the same: from now on, what still comes is left or handed to them where that's possible. */
  leaveToOthers?(): void;
  /** Stops receiving; what is under way can still post. */
  stopReceiving(): Promise<void>;
  /** Closes everything. */
  close(): Promise<void>;
}

/** The outcome of a command, whichever process carried it out. */
export type CommandOutcome =
  /** No command of this event is on record. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'running' }
  /** `text`: a chat answer, whole. `message`: where a result was posted, as far as that's on record. */
  | { readonly kind: 'done'; readonly text?: string; readonly message?: MessageAddress }
  /** `text`: why, in the requester's language; where that's not `onRecord`, its last message may say more. */
  | { readonly kind: 'failed'; readonly text: string; readonly onRecord: boolean };

/** Finds out what became of the command of an event. Reads only records, so it may be asked again and again. */
export type CommandOutcomes = (eventId: string) => Promise<CommandOutcome>;

/** The outcome of trying a feature. */
export type Capability = 'works' | 'refused';

/** The scope of what was found out for a whole platform rather than for one workspace or server. */
export const everyWorkspace = '*';

/**
 * What a platform really does where its documentation is unclear, learnt by trying: the better way is tried first, and
 * not again for a while if it was refused.
 */
export interface Capabilities {
  /**
   * The result in a workspace or server, or else on the whole platform (`everyWorkspace`); undefined if untried, or tried
   * too long ago.
   */
  find(workspace: string, feature: string): Promise<Capability | undefined>;
  /** Remembers what was seen. */
  note(workspace: string, feature: string, seen: Capability): Promise<void>;
}

/** Returns a platform's adapter; undefined if the platform isn't running. */
export type PlatformAdapters = (platform: PlatformName) => PlatformAdapter | undefined;

/**
 * The adapter of an address's platform.
 * @throws {PlatformError} `unreachable` if that platform isn't running.
 */
export function adapterOf(
  { adapters }: { readonly adapters: PlatformAdapters },
  { platform }: Pick<Address, 'platform'>,
): PlatformAdapter {
  const adapter = adapters(platform);
  if (!adapter) throw new PlatformError('unreachable', `${platform} is not running`);
  return adapter;
}
