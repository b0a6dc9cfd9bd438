import {
  answerKey,
  type ClipFormat,
  directKey,
  isQuestion,
  type LiveAnswer,
  type Message,
  type MessageAddress,
  noticeKey,
  PlatformError,
  type PlatformErrorKind,
  refusalOf,
  type Reply,
  type StreamOptions,
  withDeleteOnly,
} from '../../../port/index.ts';
import { type Ending, isInstead, noteOf, withNote } from '../../../reply/index.ts';
import { words } from '../../../words/index.ts';
import { unpostableKinds } from '../api/errors.ts';
import { withSpeaker } from '../markup/message-formats.ts';
import { clipFormatOf } from '../media/files.ts';
import { messageAt, questionAt, slackAddress } from '../post/address.ts';
import { slackWords } from '../words.ts';
import { FirstSign, SlackLiveAnswer } from './live-answer.ts';
import { piecesOf, type ReplyContext, type ReplyDependencies, sayAside } from './reply-context.ts';

/** Answers a command: to everybody in the channel, or only to the requester. */
export class SlackReply implements Reply {
  readonly #dependencies: ReplyDependencies;
  readonly #context: ReplyContext;
  #said = 0;
  /** Nobody knows yet who asked for what, unless they see it. */
  #isFirst = true;
  /** The lines above the messages that were said, by their time stamps. */
  readonly #headers = new Map<string, { readonly header?: string }>();
  #sentDirectly = 0;
  /** It turned out that the bot can’t post here. */
  #cannotPost = false;
  #sign: FirstSign | undefined;

  /** `sign`: one that was begun before this was known. */
  constructor(dependencies: ReplyDependencies, context: ReplyContext, sign: FirstSign | undefined) {
    this.#dependencies = dependencies;
    this.#context = context;
    this.#sign = sign;
  }

  /** Does the work that this is the reply to. Whoever waits for it soon sees something. */
  async during(work: (reply: Reply) => Promise<void>): Promise<void> {
    if (this.#context.seenBy === 'nobody') void this.#sign?.end();
    else this.#sign ??= new FirstSign(this.#dependencies, this.#context);
    await work(this).finally(() => void this.#sign?.end());
  }

  async say(message: Message, options: { readonly forEverybody?: boolean } = {}): Promise<MessageAddress> {
    const said = await this.#instead(message, (sign) => this.#say(message, options, sign));
    // What only one person is shown can’t be found again when it ends.
    if (!isQuestion(message) || said.message === '') return said;
    await this.#dependencies.sessions.questionAsked(said, this.#context.requester.id);
    return questionAt(said);
  }

  async #say(
    message: Message,
    { forEverybody }: { readonly forEverybody?: boolean },
    sign: FirstSign | undefined,
  ): Promise<MessageAddress> {
    const { address, since, seenBy, responseUrl, textSuffices: wordsSuffice } = this.#context;
    // In a channel it may have to wait for its turn.
    if (this.#context.privately === 'directly' || seenBy !== 'channel' || this.#cannotPost)
      await sign?.hold();
    if (this.#context.privately === 'directly') return this.#sayDirectly(message);
    if (seenBy !== 'channel' || this.#cannotPost) return this.#sayAside(message);
    const key = answerKey(this.#context.eventId, this.#said++);
    try {
      return await this.#post(message, key, sign);
    } catch (error) {
      if (!(error instanceof PlatformError) || !unpostableKinds.includes(error.kind)) throw error;
      this.#cannotPost = true;
      if (message.files?.length) return this.#deliverDirectly(message, error.kind);
      // Text can go through the `response_url`; other messages fail, and the command handles that.
      const byAddress = error.kind === 'not-a-member' && wordsSuffice;
      if (!byAddress || responseUrl === undefined) throw error;
      if (await this.#dependencies.adapter.isTakenOut(address, since)) {
        if (forEverybody) throw error;
        return this.#sayAside(message);
      }
      const how = { ...this.#above(message), key };
      await this.#dependencies.responseUrls.say(responseUrl, message, 'channel', how);
      this.#isFirst = false;
      return messageAt(slackAddress(address.workspace, address.channel, undefined, { responseUrl }), '');
    }
  }

  /** By what this process knows: the database may be why something else has to be said. */
  async replace(said: MessageAddress, message: Message): Promise<void> {
    // Slack can’t edit what only one person sees.
    if (said.message === '') throw new PlatformError('gone');
    await this.#dependencies.adapter.editWith(said, message, this.#headers.get(said.message) ?? {});
  }

  async whisper(message: Message): Promise<void> {
    const key = noticeKey(this.#context.eventId, message.text);
    await this.#instead(message, async (sign) => {
      await sign?.hold();
      return this.#aside(message, key);
    });
  }

  /**
   * Sends something that a sign must not come after, in its place: right before it leaves, the sign is held. An upload takes its
   * time, and one may come before it.
   */
  async #instead<T>({ files = [] }: Message, send: (sign: FirstSign | undefined) => Promise<T>): Promise<T> {
    try {
      const sent = await send(files.length === 0 ? this.#sign : undefined);
      void this.#sign?.end();
      return sent;
    } catch (error) {
      this.#sign?.begin();
      throw error;
    }
  }

  /** mp3 plays everywhere; the next best where administrators forbid it. */
  async clipFormat(): Promise<ClipFormat> {
    const ending = this.#dependencies.fileKinds.endingFor(this.#context.address.workspace, 'voice');
    return clipFormatOf(await ending.catch(() => undefined));
  }

  /** It shows by itself that it’s being written, as soon as Slack takes that. */
  stream(options: StreamOptions): LiveAnswer {
    if (this.#context.privately) {
      void this.#sign?.end();
      return new PrivateAnswer(this.#dependencies, this.#context, options);
    }
    const unnamed = this.#above({}).header;
    const { header } = withSpeaker(unnamed, options.persona);
    return new SlackLiveAnswer(this.#dependencies, this.#context, options, { header, unnamed }, this.#sign);
  }

  async #post(message: Message, key: string, sign: FirstSign | undefined): Promise<MessageAddress> {
    const { address } = this.#context;
    const above = this.#above(message);
    const posted = await this.#dependencies.adapter.postWith(address, message, key, { ...above, sign });
    this.#headers.set(posted.message, above);
    this.#isFirst = false;
    return posted;
  }

  #sayAside(message: Message): Promise<MessageAddress> {
    return this.#aside(message, answerKey(this.#context.eventId, this.#said++));
  }

  /** Sends something that only the requester sees: in the channel, or directly where that’s impossible. */
  async #aside(message: Message, key: string): Promise<MessageAddress> {
    const { address } = this.#context;
    const styled = { ...message, text: this.#dependencies.inSlackStyle(message.text ?? '') };
    if (await this.#dependencies.directMessages.isOwn(address.workspace, address.channel)) {
      return this.#dependencies.adapter.post(address, styled, key);
    }
    const { files = [] } = message;
    // In a channel, a file can’t be shown only to one person. Where it’s refused, nothing has been said of it.
    let failure: PlatformError | undefined;
    if (files.length > 0)
      await this.#sendDirectly({ files }).catch((error: unknown) => {
        if (!(error instanceof PlatformError) || refusalOf(error)) throw error;
        failure = error;
      });
    const isSent = files.length > 0 && !failure;
    const note = isSent ? slackWords(this.#context.requester.locale).filesDirect : '';
    const text = [styled.text, note].filter(Boolean).join('\n');
    for (const part of piecesOf({ ...styled, text })) await this.#asidePart(part);
    if (failure) throw failure;
    return messageAt(address, '');
  }

  /** In direct messages; where they asked, a line says so, once. */
  async #sayDirectly(message: Message): Promise<MessageAddress> {
    const isFirst = this.#sentDirectly === 0;
    const posted = await this.#sendDirectly(message);
    const text = slackWords(this.#context.requester.locale).privateDirect;
    if (isFirst) await this.#asidePart({ text }).catch(() => undefined);
    return posted;
  }

  /** Posts in direct messages, under the key that a late delivery uses too. */
  async #sendDirectly(message: Message): Promise<MessageAddress> {
    const { address, requester, eventId } = this.#context;
    const key = directKey(eventId, this.#sentDirectly++);
    const direct = await this.#dependencies.adapter.directMessages(address.workspace, requester.id);
    return this.#dependencies.adapter.post(direct, message, key);
  }

  /** Delivers files that were paid for to the requester, where they can’t be posted. */
  async #deliverDirectly(message: Message, why: PlatformErrorKind): Promise<MessageAddress> {
    // Other buttons of what's gone do nothing.
    const posted = await this.#sendDirectly(why === 'gone' ? withDeleteOnly(message) : message);
    const text = words(this.#context.requester.locale).postedDirectly(why);
    await this.#asidePart({ text }).catch(() => undefined);
    return posted;
  }

  #asidePart(part: Message): Promise<void> {
    return sayAside(this.#dependencies, this.#context, part);
  }

  /** A first message without a line stands where people see who asked what. */
  #above(message: Message): { readonly header?: string } {
    const { header } = this.#context;
    if (message.whose && !(this.#isFirst && header === undefined))
      return this.#dependencies.adapter.above(message);
    return withSpeaker(this.#isFirst ? header : undefined, message.persona);
  }
}

/** An answer that took longer comes in direct messages, in milliseconds: Slack keeps nothing it shows to one person. */
const patience = 60_000;

/**
 * An answer that only its requester sees. Slack can't edit what only one person sees, so it comes whole when it's finished:
 * where they asked, or in direct messages if it's long or they may not be looking any more.
 */
class PrivateAnswer implements LiveAnswer {
  readonly #dependencies: ReplyDependencies;
  readonly #context: ReplyContext;
  readonly #options: StreamOptions;
  readonly #begunAt: number;
  #text = '';
  #finished: Promise<readonly MessageAddress[]> | undefined;

  constructor(dependencies: ReplyDependencies, context: ReplyContext, options: StreamOptions) {
    this.#dependencies = dependencies;
    this.#context = context;
    this.#options = options;
    this.#begunAt = dependencies.clock.steady();
    const { workingPrivately: text } = slackWords(context.requester.locale);
    // Nothing could take a Stop button away when the answer is there.
    void this.#aside({ text }).catch(() => undefined);
  }

  append(delta: string): void {
    this.#text += delta;
  }

  get text(): string {
    return this.#text;
  }

  /** What stands there can't be changed. */
  hint(): void {}

  finish(ending: Ending): Promise<readonly MessageAddress[]> {
    this.#finished ??= ending.kind === 'withdrawn' ? Promise.resolve([]) : this.#deliver(ending);
    return this.#finished;
  }

  async #deliver(ending: Ending): Promise<readonly MessageAddress[]> {
    const { clock } = this.#dependencies;
    const text = withNote(this.#text, ending);
    const note = noteOf(ending);
    const { persona } = this.#options;
    const named = persona === undefined || isInstead(ending) ? {} : { persona };
    const message = {
      ...named,
      text,
      ...(note !== undefined && { note }),
      buttons: this.#options.buttons(ending),
    };
    const isLate = clock.steady() - this.#begunAt > patience;
    const [only, ...more] = piecesOf(message);
    if (isLate || more.length > 0 || !only) return [await this.#directly(message)];
    await this.#aside(only);
    return [messageAt(this.#context.address, '')];
  }

  /** With the key of a late delivery, so that it's posted once; where that's refused, where they asked after all. */
  async #directly(message: Message): Promise<MessageAddress> {
    const { adapter } = this.#dependencies;
    const { address, requester, eventId, header } = this.#context;
    const above = withSpeaker(header, message.persona);
    try {
      const direct = await adapter.directMessages(address.workspace, requester.id);
      const posted = await adapter.postWith(direct, message, directKey(eventId), above);
      const { privateDirect: text } = slackWords(requester.locale);
      await this.#aside({ text }).catch(() => undefined);
      return posted;
    } catch (error) {
      if (!refusalOf(error)) throw error;
      for (const part of piecesOf(message)) await this.#aside(part);
      return messageAt(address, '');
    }
  }

  #aside(message: Message): Promise<void> {
    return sayAside(this.#dependencies, this.#context, message);
  }
}
