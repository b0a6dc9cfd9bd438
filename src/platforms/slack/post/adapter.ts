import { isLocal } from '../../../lib/local-faults.ts';
import {
  type Address,
  type AnsweredJob,
  type Asked,
  BasicAdapter,
  type DeletedMessages,
  type Door,
  type EditOptions,
  type IncomingFile,
  isQuestion,
  type Job,
  type Message,
  type MessageAddress,
  type OnPosted,
  type Person,
  type PlatformAdapter,
  PlatformError,
  type PostedAnswer,
  type ThreadsAt,
  undefinedIfRefused,
  type WorkspaceFacts,
} from '../../../port/index.ts';
import { mostMessages } from '../../../reply/index.ts';
import { isUneditable, platformError, slackCode } from '../api/errors.ts';
import type { CallOptions } from '../api/slack-api.ts';
import { type MessageArguments, type RenderOptions, textLimits } from '../markup/blocks.ts';
import { type Chrome, renderIn, withoutSpeaker, withSpeaker } from '../markup/message-formats.ts';
import { fitsOneMessage, messageView } from '../markup/sections.ts';
import type { People } from '../people/people.ts';
import { slackWords } from '../words.ts';
import {
  isDirect,
  isNewThread,
  isQuestionAt,
  isStream,
  messageAt,
  nowhere,
  placesOf,
  slackAddress,
  threadOf,
} from './address.ts';
import { isMember } from './channels/channels.ts';
import type { DirectMessages } from './channels/direct-messages.ts';
import type { Threads } from './channels/threads.ts';
import { doorsOf } from './doors.ts';
import { deleteMessage, endStream, relabelled } from './edits.ts';
import { findAnswer, findContinuation, type LeftoverStreams } from './find-answer.ts';
import { MessageWriter, type MessageWriterDependencies, type PostOptions } from './message-writer.ts';
import { fileIds, removeMessage } from './remove-message.ts';
import type { ResponseUrls } from './response-urls.ts';

/** Slack’s own limit for a file; a workspace may have a lower one, which only an upload shows. */
const maxFileBytes = 1024 ** 3;

interface AdapterDependencies extends MessageWriterDependencies {
  readonly responseUrls: ResponseUrls;
  readonly directMessages: DirectMessages;
  readonly people: People;
  readonly threads: Threads;
  readonly unfinishedAnswers: LeftoverStreams;
  /** Awaited right before what only one person reads: rejects where others are known to have taken this process for dead. */
  readonly unlessTakenOver: () => Promise<void>;
  /** Whether somebody's reply stands in a thread; false where that can't be told at once. */
  readonly hasReplies: (workspace: string, channel: string, thread: string) => Promise<boolean>;
  /** What Slack would have told of a job’s question if it’s deleted. */
  readonly deletedQuestion: PlatformAdapter['deletedQuestion'];
  /** Told of a question that has ended. */
  readonly questionEnded: (question: MessageAddress) => Promise<void>;
  /** Told where a message has ended or was removed: what couldn’t be ended in its thread before may be now. */
  readonly settleLeft: (message: MessageAddress) => void;
  /** The line that tells who asked what. */
  readonly headerOf: (asked: Asked) => string;
  /** The bot’s name as people type it to invite it. */
  readonly botName: (workspace: string) => Promise<string>;
  /** A workspace’s own name. */
  readonly workspaceName: (workspace: string) => Promise<string | undefined>;
}

/** Posts in Slack’s channels, threads and direct messages, at any time. */
export class SlackAdapter extends BasicAdapter implements PlatformAdapter {
  readonly platform = 'slack';
  override readonly completesAnew = true;
  override readonly hidesAside = true;
  readonly #dependencies: AdapterDependencies;
  readonly #writer: MessageWriter;

  constructor(dependencies: AdapterDependencies) {
    super();
    this.#dependencies = dependencies;
    this.#writer = new MessageWriter(dependencies);
  }

  override doors(job: Job): readonly Door[] {
    const { responseUrls, botName, postedMessages } = this.#dependencies;
    return doorsOf({ adapter: this, writer: this.#writer, responseUrls, botName, postedMessages }, job);
  }

  post(address: Address, message: Message, key: string, onPosted?: OnPosted): Promise<MessageAddress> {
    return this.postWith(address, message, key, this.above(message), onPosted);
  }

  override channelIds(channel: string): readonly string[] {
    return this.#dependencies.api.channelIds(channel);
  }

  override async writerAt(person: Person, address: Address): Promise<Person | undefined> {
    return (await isMember(this.#dependencies.api, person.id, address)) ? person : undefined;
  }

  override mayModerate(person: string, { workspace }: Address): Promise<boolean> {
    return this.administers(person, workspace);
  }

  override async administers(person: string, workspace: string): Promise<boolean> {
    return (await this.#dependencies.people.find(workspace, person)).administrator;
  }

  /** Whether somebody took the bot out of a channel after something was asked for there (`since`). */
  isTakenOut(address: Address, since: number): Promise<boolean> {
    return this.#dependencies.channels.isTakenOut(address, since);
  }

  /** The lines above a message that tell whose it is and who speaks, if it's to tell. */
  above({ whose, persona }: Message): Pick<RenderOptions, 'header'> {
    return withSpeaker(whose && this.#dependencies.headerOf(whose), persona);
  }

  /** Posts with a line above the message. */
  async postWith(
    address: Address,
    message: Message,
    key: string,
    options: PostOptions,
    onPosted?: OnPosted,
  ): Promise<MessageAddress> {
    const { onlyFor } = address;
    if (onlyFor !== undefined) return this.#postPrivately(address, onlyFor, message, key, options, onPosted);
    return this.#writer.post(address, message, key, options, onPosted);
  }

  /** What only one person may read is posted in their direct messages. */
  async #postPrivately(
    { onlyFor: _, ...address }: Address,
    person: string,
    message: Message,
    key: string,
    options: Pick<RenderOptions, 'header'>,
    onPosted: OnPosted | undefined,
  ): Promise<MessageAddress> {
    const direct = await this.directMessages(address.workspace, person);
    if (direct.channel === address.channel)
      return this.#writer.post(address, message, key, options, onPosted);
    const { locale } = await this.#dependencies.people.find(address.workspace, person);
    const { fromHidden } = slackWords(locale);
    const text = [fromHidden, message.text].filter(Boolean).join('\n\n');
    return this.#writer.post(direct, { ...message, mentions: [], text }, key, options, onPosted);
  }

  override findAnswer(job: AnsweredJob): Promise<PostedAnswer | undefined> {
    return findAnswer(this.#dependencies, job);
  }

  override findContinuation(
    job: AnsweredJob,
    known: readonly MessageAddress[],
  ): Promise<PostedAnswer | undefined> {
    return findContinuation(this.#dependencies, job, known);
  }

  override async findResult(
    announcement: MessageAddress,
    _: AnsweredJob,
    key: string,
  ): Promise<MessageAddress | undefined> {
    const thread = await this.openThread(announcement, '');
    const { ts } = (await this.#dependencies.postedMessages.lostRecord(thread, key)) ?? {};
    return ts === undefined ? undefined : messageAt(thread, ts);
  }

  override deletedQuestion(job: Job): Promise<readonly DeletedMessages[]> {
    return this.#dependencies.deletedQuestion(job);
  }

  /** Posts a message of a live answer; one that was posted before with another text shows this one afterwards. */
  postLive(
    address: Address,
    message: Message,
    chrome: Chrome,
    key: string,
    options: CallOptions,
  ): Promise<MessageAddress> {
    return this.#writer.postLive(address, message, chrome, key, options);
  }

  override async messageLimits() {
    return { ...textLimits, most: mostMessages };
  }

  /** What only one person sees can’t be read, so it’s replaced by `shown`, where that fits. */
  override async relabelButton(
    message: MessageAddress,
    buttonId: string,
    label: string,
    shown?: Message,
  ): Promise<void> {
    const { responseUrls, postedMessages, edits } = this.#dependencies;
    const url = message.platformData?.responseUrl;
    if (url !== undefined) {
      if (!shown || !fitsOneMessage(shown)) throw new PlatformError('refused', 'ephemeral');
      return responseUrls.replace(url, shown);
    }
    await edits.change(message, async () => {
      const found = await postedMessages.at(message, message.message);
      const blocks = relabelled(found?.blocks ?? [], buttonId, label);
      if (!blocks) throw new PlatformError('gone');
      return { text: found?.text ?? '', blocks };
    });
  }

  async edit(
    message: MessageAddress,
    content: Message,
    { isEnd = false, unsaidBy }: EditOptions = {},
  ): Promise<void> {
    const { messageChrome, responseUrls, api } = this.#dependencies;
    if (message.platformData?.view !== undefined) {
      const args = { view_id: message.platformData.view, view: messageView(content, message) };
      await api.call(message.workspace, 'views.update', args).catch((error: unknown) => {
        // The person has closed the window.
        throw slackCode(error) === 'not_found' ? new PlatformError('gone') : platformError(error);
      });
      return;
    }
    if (message.platformData?.responseUrl !== undefined) {
      await responseUrls.replace(message.platformData.responseUrl, content);
      return;
    }
    if (isStream(message)) {
      // Its process may have died before it ended the stream.
      const fate = await endStream(api, message, message.message);
      // It has no Stop any more, and takes no other words.
      if (fate === 'ended' && isEnd) return;
      // Only the end of a whole answer adds metadata: then it was complete, though the response was lost.
      const shown =
        fate === 'ended' && (await this.#dependencies.postedMessages.at(message, message.message));
      if (shown && shown.metadata?.event_payload?.key !== undefined) return;
      // Slack has ended it before it showed a word.
      const isEmpty = shown && !shown.text && !shown.blocks?.length;
      const isGone = fate === 'gone' || (isEmpty && (await deleteMessage(api, message, message.message)));
      throw new PlatformError(isGone ? 'gone' : 'refused', 'stream');
    }
    try {
      // Slack can’t edit what only one person sees.
      if (message.message === '') throw new PlatformError('gone');
      const { header, ...around } = await messageChrome.of(message);
      const above = header === undefined ? withSpeaker(undefined, content.persona) : { header };
      await this.editWith(message, content, { ...around, ...withoutSpeaker(above.header, unsaidBy) });
    } finally {
      if (!isQuestion(content)) await this.#ended(message, isEnd);
    }
  }

  /** Edits a message of which it’s known what is around its text. */
  async editWith(message: MessageAddress, content: Message, chrome: Chrome): Promise<void> {
    try {
      await this.#writer.show(message, content, chrome);
    } catch (error) {
      // Unlike a deleted message, it’s still there.
      throw isUneditable(error) ? new PlatformError('refused', 'fixed', { cause: error }) : error;
    }
  }

  complete(
    message: MessageAddress,
    content: Message,
    key: string,
    replaces?: OnPosted,
  ): Promise<MessageAddress> {
    return this.#writer.complete(message, content, key, replaces);
  }

  /** Answers a slash command or button whose process died before it said anything; only the requester sees it. */
  override async answerInterrupted(
    { responseUrl, step }: Readonly<Record<string, string>>,
    message: Message,
  ): Promise<undefined> {
    // A workflow is told by the end of its step.
    if (step !== undefined) return undefined;
    if (responseUrl === undefined) throw new PlatformError('expired', 'response_url');
    if (message.files?.length) throw new PlatformError('refused', 'a response_url takes no files');
    await this.#dependencies.responseUrls.say(responseUrl, message, 'requester', this.above(message));
    return undefined;
  }

  override async postAside(
    address: Address,
    person: string,
    message: Message,
    key: string,
  ): Promise<MessageAddress> {
    const isOwn = await this.#dependencies.directMessages.isOwn(address.workspace, address.channel);
    return isOwn ? this.post(address, message, key) : this.postHidden(address, person, message, key);
  }

  /** Posts what only one person sees: in the thread or channel, or in their direct messages where that can’t be. */
  async postHidden(address: Address, person: string, message: Message, key: string): Promise<MessageAddress> {
    const shown = await undefinedIfRefused(this.showHidden(address, person, message));
    return shown ?? this.post(await this.directMessages(address.workspace, person), message, key);
  }

  /** The same in the thread or channel alone. */
  async showHidden(address: Address, person: string, message: Message): Promise<MessageAddress> {
    const thread = threadOf(address);
    const options = { ...this.above(message), ...(thread !== undefined && { thread }) };
    const { workspace } = address;
    const { formats } = this.#dependencies;
    await formats.run(workspace, await formats.first(workspace), (format) =>
      this.whisper(address, person, renderIn(format, message, options)),
    );
    return messageAt(address, '');
  }

  /** Posts a message that only one person sees: in the thread, or in the channel while nothing would show up there. */
  async whisper(address: Address, user: string, content: MessageArguments): Promise<void> {
    const { workspace, channel } = address;
    const { api, unlessTakenOver } = this.#dependencies;
    const thread = await this.#activeThread(address);
    const args = { channel, user, ...(thread !== undefined && { thread_ts: thread }), ...content };
    try {
      await api.call(workspace, 'chat.postEphemeral', args, { beforeSending: unlessTakenOver });
    } catch (error) {
      if (isLocal(error)) throw error;
      throw platformError(error);
    }
  }

  async #activeThread(address: Address): Promise<string | undefined> {
    const { hasReplies, postedMessages, threads } = this.#dependencies;
    const thread = await postedMessages.threadAt(address);
    if (thread === undefined) return undefined;
    const { workspace, channel } = address;
    // Before the bot has answered a mention there's nothing to look for.
    if (isNewThread(address) && !(await threads.has(workspace, channel, thread))) return undefined;
    return (await hasReplies(workspace, channel, thread)) ? thread : undefined;
  }

  /** The direct messages with somebody. */
  async directMessages(workspace: string, user: string): Promise<Address> {
    return slackAddress(workspace, await this.#dependencies.directMessages.open(workspace, user));
  }

  /** The same, as far as they were opened before. */
  async knownDirectMessages(workspace: string, user: string): Promise<Address | undefined> {
    const channel = await this.#dependencies.directMessages.known(workspace, user);
    return channel === undefined ? undefined : slackAddress(workspace, channel);
  }

  async hasBegunDirectly(workspace: string, user: string, key: string): Promise<boolean> {
    const direct = await this.knownDirectMessages(workspace, user);
    return (
      direct !== undefined && (await this.#dependencies.postedMessages.record(direct, key)) !== undefined
    );
  }

  override meets({ channel, isHome }: Address): 'person' | 'place' | undefined {
    if (channel === nowhere) return undefined;
    return isHome || isDirect(channel) ? 'person' : 'place';
  }

  override isExternal(address: Address): Promise<boolean> {
    return this.#dependencies.channels.isExternal(address);
  }

  /** Not a person's direct messages, which would take a post under their own id, too. */
  override async hasChannel(address: Address): Promise<boolean> {
    return /^[CG]/.test(address.channel) && this.#dependencies.channels.isInWorkspace(address);
  }

  override chosenNames({ workspace }: Address, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.#dependencies.people.chosenNames(workspace, ids);
  }

  override channelName(address: Address, reader?: string): Promise<string | undefined> {
    return this.#dependencies.channels.nameOf(address, reader);
  }

  override async describeWorkspace(workspace: string): Promise<WorkspaceFacts | undefined> {
    const name = await this.#dependencies.workspaceName(workspace);
    return name === undefined ? undefined : { name };
  }

  override async forgetAbove({ message, parts = [], ...address }: MessageAddress): Promise<void> {
    const { messageChrome } = this.#dependencies;
    for (const id of [message, ...parts]) await messageChrome.forgetWords({ ...address, message: id });
  }

  override async linkTo({ workspace, channel, message: ts }: MessageAddress): Promise<string | undefined> {
    const args = { channel, message_ts: ts };
    const { permalink } = await this.#dependencies.api.ask(workspace, 'chat.getPermalink', args);
    return typeof permalink === 'string' ? permalink : undefined;
  }

  override placesOf(address: Address): readonly string[] {
    return placesOf(address);
  }

  override readonly provesPresses = true;

  override isReachedByPress({ platformData }: MessageAddress): boolean {
    return platformData?.responseUrl !== undefined;
  }

  async remove(message: MessageAddress): Promise<void> {
    const { responseUrls } = this.#dependencies;
    const url = message.platformData?.responseUrl;
    if (url !== undefined) return responseUrls.remove(url);
    await removeMessage(this.#dependencies, message).finally(() => this.#ended(message, true));
  }

  /** A message doesn’t ask any more what it may have asked; `isEnd`: nothing else is written there. */
  async #ended(message: MessageAddress, isEnd: boolean): Promise<void> {
    if (isQuestionAt(message)) await this.#dependencies.questionEnded(message);
    else if (isEnd) this.#dependencies.settleLeft(message);
  }

  async openThread(message: MessageAddress, _name: string): Promise<Address> {
    const { message: ts, platformData: _, ...address } = message;
    return { ...address, thread: threadOf(message) ?? ts };
  }

  /** A thread is named by the message it’s under. */
  override rootOf({ thread, ...channel }: Address, asked: Address): MessageAddress | undefined {
    const isOwn = thread !== undefined && threadOf(asked) === undefined;
    return isOwn ? { ...channel, message: thread } : undefined;
  }

  /** Links to a message’s files, for those who may see them; files that are gone are left out. */
  async fileLinks(message: MessageAddress): Promise<readonly string[]> {
    const ids = await fileIds(this.#dependencies, message);
    const { uploads } = this.#dependencies;
    const link = (id: string) => undefinedIfRefused(uploads.link(message.workspace, id));
    return (await Promise.all(ids.map(link))).flatMap((found) => found || []);
  }

  /**
   * Under the bot’s messages in a channel; in threads and direct messages each thread has its own conversation anyway. Where it
   * isn’t a member, Slack tells it of no replies.
   */
  override async threadsAt(address: Address): Promise<ThreadsAt> {
    if (threadOf(address) !== undefined || isDirect(address.channel)) return { kind: 'none' };
    const refused = await this.#dependencies.channels.refusalAt(address, { fresh: false });
    return { kind: refused?.kind === 'not-a-member' ? 'missing' : 'possible' };
  }

  override async openOwnThread(message: MessageAddress): Promise<Address | undefined> {
    const { workspace, channel, message: ts } = message;
    const thread = slackAddress(workspace, channel, ts);
    // What was sent through a `response_url` has no time stamp, and some channels forbid threads.
    const canReply = ts !== '' && (await this.#dependencies.postedMessages.threadAt(thread)) !== undefined;
    if (!canReply) return undefined;
    await this.#dependencies.threads.open(workspace, channel, ts);
    return thread;
  }

  async maxFileBytes(_address: Address): Promise<number> {
    return maxFileBytes;
  }

  async attachments(message: MessageAddress): Promise<readonly IncomingFile[]> {
    const ids = await fileIds(this.#dependencies, message);
    return Promise.all(ids.map((id) => this.#dependencies.uploads.describe(message.workspace, id)));
  }

  async readFile(file: IncomingFile, maxBytes: number): Promise<Uint8Array> {
    const [workspace = '', id = ''] = file.source.split('/');
    return this.#dependencies.uploads.read(workspace, id, maxBytes);
  }
}
