import { type Address, conversationKey, type MessageAddress, type PlatformName } from '../address.ts';
import type { Job, Person } from '../commands/command.ts';
import type { Message, OutgoingFile } from '../commands/message.ts';
import type { IncomingFile } from '../commands/options.ts';
import type { DeletedMessages } from '../records.ts';
import type { Door, OnPosted } from './ladder.ts';
import { PlatformError } from './platform-error.ts';

/** What a platform can do at an address at any time, even after a restart; what's said to be so by default is so here. */
export abstract class BasicAdapter {
  abstract readonly platform: PlatformName;

  // Messages anywhere: posted once, changed, taken away.

  /** How the text of a message and those after it is split. As long as they like by default. */
  async messageLimits(_message: MessageAddress): Promise<MessageLimits> {
    return { maxLength: Number.POSITIVE_INFINITY };
  }
  /**
   * Posts once: the same key at the same address returns the existing message, with all others that it takes. A text too
   * long for the place is shown in part, and its whole is a file.
   */
  abstract post(
    address: Address,
    message: Message,
    key: string,
    onPosted?: OnPosted,
  ): Promise<MessageAddress>;
  /** The same at the address and nowhere else; `post` by default, where that never goes elsewhere. */
  postThere(...content: Parameters<PlatformAdapter['post']>): Promise<MessageAddress> {
    return this.post(...content);
  }
  /**
   * False where a post whose outcome is unknown can't be recognised: people get it again in another way, and an edit, which
   * can be repeated, is better. True by default.
   */
  postsOnce(_address: Address): boolean {
    return true;
  }
  /** Whether `postAside` hides anything; false by default. */
  readonly hidesAside: boolean = false;
  /**
   * Shows a message only to one person where others write, or sends it to their direct messages where that's impossible.
   * `post` by default, where nothing can be hidden without an interaction.
   */
  postAside(address: Address, _person: string, message: Message, key: string): Promise<MessageAddress> {
    return this.post(address, message, key);
  }
  /**
   * Replaces a message's text and buttons; its files stay. What's written to one message later stands there at last.
   * @throws {PlatformError} `gone` for one that has no id (`''`) and is reached by nothing else.
   */
  abstract edit(message: MessageAddress, content: Message, options?: EditOptions): Promise<void>;
  /**
   * Turns an announcement into its result: edits it if files can be added to a message, otherwise posts a new one and
   * removes the announcement. The result's files take the place of those that were there. Once per key. `replaces` is told of
   * an announcement that's to be removed, when the new message is about to be posted or just was; until then, who deletes it
   * means the result.
   */
  abstract complete(
    message: MessageAddress,
    content: Message,
    key: string,
    replaces?: (announcement: MessageAddress) => Promise<void>,
  ): Promise<MessageAddress>;
  /** Whether `complete` posts a new message, which notifies those it mentions; an edit notifies nobody. False by default. */
  readonly completesAnew: boolean = false;
  /**
   * Tells people that a message has become what they waited for, once per key. Undefined, and nobody is told, where
   * `complete` notifies them, and by default. The platform notifies nobody of an edit.
   */
  async notify(
    _message: MessageAddress,
    _notice: Message,
    _key: string,
  ): Promise<MessageAddress | undefined> {
    return undefined;
  }
  /**
   * Changes the label of one button; all else of the message stays. A message that the platform can't read is replaced
   * by `shown`.
   * @throws {PlatformError} `refused` where the platform can't do that, and by default.
   */
  async relabelButton(
    _message: MessageAddress,
    _buttonId: string,
    _label: string,
    _shown?: Message,
  ): Promise<void> {
    throw new PlatformError('refused');
  }
  /** Whether a message takes any number of edits now, as progress needs. True by default. */
  takesManyEdits(_message: MessageAddress): boolean {
    return true;
  }
  /** When a message can't be changed any more, in milliseconds since the epoch; undefined if it always can, and by default. */
  closesAt(_message: MessageAddress): number | undefined {
    return undefined;
  }
  abstract remove(message: MessageAddress): Promise<void>;
  /** Forgets people's words that it keeps to show above a message, such as whose question it answers; none by default. */
  async forgetAbove(_message: MessageAddress): Promise<void> {}
  /** A link to a message for people who may see it; undefined if it isn't known now, and by default. */
  async linkTo(_message: MessageAddress): Promise<string | undefined> {
    return undefined;
  }

  // Answers of commands, also of those whose process died.

  /**
   * The ways to a job's people, best first; its place and direct messages by default. `announced`: the message that says
   * it's under way, where the result may take its place by what the command left.
   */
  doors({ address, requester }: Job, _?: MessageAddress): readonly Door[] {
    const direct = () => this.directMessages(address.workspace, requester.id, address);
    return [
      {
        name: 'here',
        seenBy: 'place',
        put: (...content) => this.post(address, ...content),
        maxFileBytes: (kind) => this.maxFileBytes(address, kind),
      },
      {
        name: 'direct',
        seenBy: 'requester',
        put: async (...content) => this.post(await direct(), ...content),
        maxFileBytes: async (kind) => this.maxFileBytes(await direct(), kind),
      },
    ];
  }
  /**
   * The first message of a job's answer if the process died after posting it and before recording it; found by the
   * key it was posted with. Undefined if there is none, and by default.
   */
  async findAnswer(_job: AnsweredJob): Promise<PostedAnswer | undefined> {
    return undefined;
  }
  /**
   * The message that continues a live answer below the recorded ones, if the process died before recording it.
   * `text`: what it says where it's finished, as far as that's known. Undefined if there is none, and by default.
   */
  async findContinuation(
    _job: AnsweredJob,
    _known: readonly MessageAddress[],
    _text?: string,
  ): Promise<PostedAnswer | undefined> {
    return undefined;
  }
  /**
   * The result of a job that was posted under a key below its announcement, or beside it, though a restored database has lost
   * that. Undefined if there is none, and by default.
   */
  async findResult(
    _announcement: MessageAddress,
    _job: AnsweredJob,
    _key: string,
  ): Promise<MessageAddress | undefined> {
    return undefined;
  }
  /**
   * What the platform would have told of the message that gave a job if that's deleted, and the bot could see it happen: it's
   * read. Nothing if it stands, where no message gave the job, and by default.
   * @throws {PlatformError} where it can't be read now; `deleted` if its place is deleted.
   */
  async deletedQuestion(_job: Job): Promise<readonly DeletedMessages[]> {
    return [];
  }
  /**
   * Whether a job's answer already has its files, added by an edit whose outcome is unknown: `post` recognizes only
   * posted messages. False by default.
   */
  async hasFilesOf(_job: AnsweredJob, _message: Message): Promise<boolean> {
    return false;
  }
  /**
   * Answers a command whose process died before replying, with the acknowledgement it saved; refused by default,
   * where none is saved. Returns what reaches the answer, in the job's place; undefined if nothing does.
   */
  async answerInterrupted(
    _acknowledgement: Readonly<Record<string, string>>,
    _message: Message,
  ): Promise<Pick<MessageAddress, 'message' | 'platformData'> | undefined> {
    throw new PlatformError('refused');
  }
  /**
   * The message that settled a job's acknowledgement, by that; undefined if it reaches no message, and by default.
   */
  acknowledged(_job: AnsweredJob): MessageAddress | undefined {
    return undefined;
  }
  /** Whether an answer can be written anew in a message now, by `Reply.rewrite`. False by default. */
  rewritesAnswers(_message: MessageAddress): boolean {
    return false;
  }
  /** The platform itself says which message a button was pressed in: nobody can name another. False by default. */
  readonly provesPresses: boolean = false;
  /**
   * Whether a pressed message is reached by what the press itself brought: then it's the one with the button, whatever its id
   * says. False by default.
   */
  isReachedByPress(_message: MessageAddress): boolean {
    return false;
  }
  /** A pressed message under its own id, by which it's on record, and reached as before. The same by default. */
  underOwnId(pressed: MessageAddress): MessageAddress {
    return pressed;
  }

  // Places, and who is there.

  /** All who use it are one person: nobody else reads what's made, nor looks after it. False by default. */
  readonly hasOnePerson: boolean = false;
  /**
   * The direct-message conversation with a person, opened if necessary. `asked`: where they gave the command that it's
   * about, for a platform that has no direct messages.
   */
  abstract directMessages(workspace: string, person: string, asked?: Address): Promise<Address>;
  /**
   * All ids that a channel has had, by any of them, its first one first: what's kept of it may be under each. The
   * one that it keeps by default.
   */
  channelIds(channel: string): readonly string[] {
    return [channel];
  }
  /**
   * Who is told with a first answer at an address that one talks to a machine: its person, or everybody in its workspace; by
   * default nobody is.
   */
  meets(_address: Address): 'person' | 'place' | undefined {
    return undefined;
  }
  /** Whether people of other organizations are in a channel; false by default, and where that isn't known in time. */
  async isExternal(_address: Address): Promise<boolean> {
    return false;
  }
  /**
   * Whether a platform's own settings let a person use a command there that it didn't offer them; true by default, and where
   * that isn't known in time.
   */
  async allowsCommand(_command: string, _address: Address, _person: Person): Promise<boolean> {
    return true;
  }
  /** Whether a channel is one of the address's workspace, as far as the bot can see; true by default. */
  async hasChannel(_address: Address): Promise<boolean> {
    return true;
  }
  /**
   * A channel's name, if the platform provides it, and to a `reader`, or everybody in the workspace without one; undefined by default.
   */
  async channelName(_address: Address, _reader?: string): Promise<string | undefined> {
    return undefined;
  }
  /** Stands in a message for a channel's name, which the platform shows to those who see the channel; undefined by default. */
  channelMention(_address: Address): string | undefined {
    return undefined;
  }
  /**
   * Names of people, roles or groups by their ids, for who chooses them at an address; by default, and of those that aren't
   * found in time, none.
   */
  async chosenNames(_address: Address, _ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return new Map();
  }
  /** What this process knows of a server or workspace without asking; nothing by default. Quick: it's asked of many. */
  async describeWorkspace(_workspace: string): Promise<WorkspaceFacts | undefined> {
    return undefined;
  }
  /**
   * Keys of where people see what's posted at an address; two addresses are in the same place if they have one in common. Its
   * conversation's by default.
   */
  placesOf(address: Address): readonly string[] {
    return [conversationKey(address)];
  }
  /**
   * False if only the requester would get what's posted at an address: an interaction's token was the only way to
   * others, and it's over. True by default.
   */
  reachesOthers(_address: Address): boolean {
    return true;
  }
  /**
   * A person as they are at an address now, with their roles there; undefined if they can't read and write there: they may have
   * been removed, banned or timed out since they were there. The same person by default.
   */
  async writerAt(person: Person, _address: Address): Promise<Person | undefined> {
    return person;
  }
  /** Whether a person may remove the bot's messages at an address now, or change its settings there. False by default. */
  async mayModerate(_person: string, _address: Address): Promise<boolean> {
    return false;
  }
  /** Whether a person who could change the settings of a server or workspace may do so now. False by default. */
  async administers(_person: string, _workspace: string): Promise<boolean> {
    return false;
  }

  // Threads under messages.

  /** Whether threads can be opened under messages somewhere; nowhere by default. Quick: an answer waits for it. */
  async threadsAt(_address: Address): Promise<ThreadsAt> {
    return { kind: 'none' };
  }
  /** Opens a thread under a message; returns the message's own channel if threads aren't possible there. */
  abstract openThread(message: MessageAddress, name: string): Promise<Address>;
  /**
   * Opens a thread for a conversation of its own under a message, or finds it: the bot needn't be mentioned there, as far
   * as the platform allows. Undefined if it couldn't be opened, and by default.
   */
  async openOwnThread(_message: MessageAddress, _name: string): Promise<Address | undefined> {
    return undefined;
  }
  /** The address that such a thread will have, where that's known before; undefined by default. */
  ownThreadOf(_message: MessageAddress): Address | undefined {
    return undefined;
  }
  /**
   * The bot's message under which `openThread` opened a thread for what was asked for at `asked`; undefined where that was
   * in a thread already, whose root is somebody else's, and by default.
   */
  rootOf(_thread: Address, _asked: Address): MessageAddress | undefined {
    return undefined;
  }
  /** Whether the bot opened a thread under a message that's named by its words: `remove` takes the name away. False by default. */
  async hasThread(_message: MessageAddress): Promise<boolean> {
    return false;
  }
  /**
   * Whether everyone who can read an address's channel can read its thread; false if that isn't known. True by
   * default.
   */
  isThreadPublic(_address: Address): boolean {
    return true;
  }

  // Files of messages.

  /** The largest file of a kind that can be posted there, in bytes; some are compressed first. */
  abstract maxFileBytes(address: Address, kind: OutgoingFile['kind']): Promise<number>;
  /** A message's files, with URLs that are currently valid. */
  abstract attachments(message: MessageAddress): Promise<readonly IncomingFile[]>;
  /** Reads a file from a person, at most `maxBytes`. */
  abstract readFile(file: IncomingFile, maxBytes: number): Promise<Uint8Array>;
  /** Whether files posted here are public, at an https address. False by default. */
  readonly hasPublicFiles: boolean = false;
  /** Whether `complete` shows other files in this message, which has some, however often, from now on. False by default. */
  replacesFiles(_message: MessageAddress): boolean {
    return false;
  }
}

/**
 * A platform's adapter, for those who use it.
 *
 * ```ts
 * import type { Address, PlatformAdapter } from '../index.ts';
 *
 * export async function announce(adapter: PlatformAdapter, address: Address): Promise<void> {
 *   const message = await adapter.post(address, { text: 'Rendering…' }, 'render 1');
 *   // Once per key: after a restart this returns the same message.
 *   await adapter.post(address, { text: 'Rendering…' }, 'render 1');
 *   await adapter.edit(message, { text: 'Rendered.' });
 * }
 * ```
 */
export interface PlatformAdapter extends Pick<BasicAdapter, keyof BasicAdapter> {}

/** Posts to the requester's direct messages. */
export async function postDirectly(
  adapter: PlatformAdapter,
  { address, requester }: Job,
  message: Message,
  key: string,
): Promise<MessageAddress> {
  const direct = await adapter.directMessages(address.workspace, requester.id, address);
  return adapter.post(direct, message, key);
}

/** How much an edit matters. */
export interface EditOptions {
  /** It may be left out where the platform's rate limits have nothing left over for it. */
  readonly optional?: boolean;
  /**
   * Nobody waits for it: a thread that was closed (archived) isn't opened again, and the edit is `refused`. So is an optional
   * one.
   */
  readonly leavesClosed?: boolean;
  /** It's how the message ends: what couldn't be ended around it before may be now. */
  readonly isEnd?: boolean;
  /** The persona whose name stands above the message: the bot itself says what's there from now on. */
  readonly unsaidBy?: string;
}

/** Whether threads can be opened somewhere; `missing` names the permission that the bot needs for it, unless it's no member. */
export type ThreadsAt =
  | { readonly kind: 'possible' | 'none' }
  | { readonly kind: 'missing'; readonly permission?: string };

/** The parts of a job that identify its answer. */
export type AnsweredJob = Pick<Job, 'id' | 'address' | 'eventId' | 'acknowledgement'>;

/** The first message of an answer, as its platform shows it. */
export interface PostedAnswer {
  readonly message: MessageAddress;
  /** Its text; without markup if the platform stores it in another form. */
  readonly text: string;
  /** The text is incomplete or lost its formatting: never overwrite the message with it. */
  readonly isLossy?: true;
}

/** Length limits of messages. */
export interface MessageLimits {
  readonly maxLength: number;
  /** Counts a text's length; in characters by default. */
  length?(text: string): number;
  /** Whether bars hide words there; by default they do. */
  readonly hides?: boolean;
  /** So many messages show a text at most; the whole of a longer one comes as a file. As many as it takes if absent. */
  readonly most?: number;
}

/** What's known of a server or workspace. */
export interface WorkspaceFacts {
  readonly name?: string;
  readonly members?: number;
}
