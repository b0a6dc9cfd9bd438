import type { APIMessage, Message } from 'discord.js';
import { KeyedQueue } from '../../../lib/keyed-queue.ts';
import { isLocal } from '../../../lib/local-faults.ts';
import {
  type Address,
  type CommandRequest,
  commandFor,
  heldToLimit,
  type IncomingFile,
  inResponseTime,
  isPrivate,
  type Locale,
  localeOf,
  type Person,
  PlatformError,
  type PreparedRequest,
  paidCommandNames,
  refusalOf,
  type StartTurn,
  type Waiting,
} from '../../../port/index.ts';
import { type SpokenRequest, spokenRequest } from '../../../words/spoken-request.ts';
import { channelIdOf } from '../api/address.ts';
import { messageBody } from '../api/message-body.ts';
import { nonceOf } from '../api/nonce.ts';
import { areSnowflakes } from '../api/snowflakes.ts';
import { incomingFile } from '../commands/option-values.ts';
import { MessageReplyTarget } from '../reply/message-reply-target.ts';
import { showTyping } from '../reply/typing.ts';
import { discordWords } from '../words.ts';
import { addressOf } from './event-address.ts';
import { isAnswer } from './is-answer.ts';
import { type ForBot, isCertainlyForBot, isForBot } from './is-for-bot.ts';
import { obstacleIn } from './obstacle.ts';
import { personOf } from './people.ts';
import type { ReceiverDependencies } from './receiver-dependencies.ts';
import { referredFiles } from './referred-files.ts';
import { type IncomingText, readIncomingText, withoutBotMention } from './text/incoming-text.ts';
import { namesInMessage } from './text/mention-names.ts';
import { readableText } from './text/readable-text.ts';

const hour = 3_600_000;
/** Milliseconds before the same notice is sent again. */
const repeatAfter = {
  /** To one person: the bot can't write in a channel. */
  noPermission: 6 * hour,
  /** In a channel: mention the bot. In a thread that is as good as once. */
  unreadable: 7 * 24 * hour,
} as const;

/**
 * Brings what people write to the bot to the dispatcher, as `/ask`: mentions, replies to answers and direct messages,
 * in threads too. For a message that the bot may not read without a privileged intent, it says what to do instead.
 */
export class Messages {
  readonly #dependencies: ReceiverDependencies;
  readonly #inThreads = new KeyedQueue();

  constructor(dependencies: ReceiverDependencies) {
    this.#dependencies = dependencies;
  }

  async handle(message: Message, raw?: APIMessage): Promise<void> {
    if (message.author.bot || message.system || message.webhookId !== null) return;
    if (!areSnowflakes(message.id, message.channelId, message.author.id, message.guildId ?? '0')) return;
    const { clock, isSilent, recentEvents } = this.#dependencies;
    const me = message.client.user.id;
    const received = receivedMessage(message);
    let isAwaited = isCertainlyForBot(message, me);
    const limit = {
      clock,
      madeAt: message.createdTimestamp,
      isDue: () => isAwaited && isSilent(),
      tell: () => this.#tellNoDatabase(received),
    };
    await inResponseTime(
      limit,
      (error) => isAwaited && isLocal(error),
      async (waiting) => {
        const forBot = await this.#isForBot(message, me);
        if (forBot === false || !recentEvents.isNew(message.id)) return;
        isAwaited ||= forBot === 'readable' || forBot === 'unmentioned';
        await this.#handle({ ...received, waiting }, forBot, me, raw);
      },
    );
  }

  /** Needs no database; processes that get the same message post it once. */
  async #tellNoDatabase({ message, requester }: WrittenMessage): Promise<void> {
    const { api } = this.#dependencies;
    const { id, channelId } = message;
    const body = messageBody(discordWords(requester.locale).noDatabase);
    const reference = { message_id: id, fail_if_not_exists: false } as const;
    const replied = this.#mayReply(channelId) ? { ...body, message_reference: reference } : body;
    await api.createMessage(channelId, replied, [], nonceOf(id, 'no database'));
  }

  #mayReply(channelId: string): boolean {
    return this.#dependencies.gateway.missingPermissions(channelId, ['Read Message History']).length === 0;
  }

  async #handle(
    received: ReceivedMessage,
    forBot: ForBot,
    me: string,
    raw: APIMessage | undefined,
  ): Promise<void> {
    const { allowedServers, openReply } = this.#dependencies;
    const { message } = received;
    const { id, locale } = received.requester;
    const refusal = await allowedServers.messageRefusal(message.guildId, id, locale);
    if (refusal !== undefined) {
      if (refusal !== '') await openReply(this.#replyTarget(received), locale).say({ text: refusal });
    } else if (forBot === 'readable' || forBot === 'unmentioned')
      await this.#answer({ ...received, isUnmentioned: forBot === 'unmentioned' }, me, raw);
    else await this.#explainMention(received, forBot, me);
  }

  /** In threads in the order of arrival: what's aimed at somebody else decides about what follows. */
  #isForBot(message: Message, me: string): Promise<ForBot | false> {
    const { rememberedMessages } = this.#dependencies;
    const readsAll = this.#dependencies.readsAll();
    const look = () =>
      isForBot(message, {
        me,
        readsAll,
        ownThreads: rememberedMessages,
        isAnswer: (reply, repliedTo) => isAnswer(this.#dependencies, reply, repliedTo),
        isConversation: (threadId) => rememberedMessages.isConversation(threadId),
      });
    return readsAll && message.channel.isThread() ? this.#inThreads.run(message.channelId, look) : look();
  }

  /** One person's messages are answered in their order, however long a message's files take to read. */
  async #answer(received: ReceivedMessage, me: string, raw: APIMessage | undefined): Promise<void> {
    const { message, address, requester } = received;
    const { dispatcher } = this.#dependencies;
    const turn = dispatcher.takeTurn(requester.id, address);
    try {
      const target = this.#replyTarget(received);
      const { locale } = requester;
      const obstacle = await obstacleIn(message.channelId, locale, this.#dependencies);
      if (obstacle !== undefined) return await this.#whisper(target, received, obstacle);
      const said = withoutBotMention(message, me);
      const spoken = this.#spokenIn(message, said, locale);
      const isQuestion = spoken.command === commandFor.chat || said === '';
      const reading = { ...this.#dependencies, me, locale };
      const text = isQuestion
        ? await readIncomingText(message, raw, reading)
        : await this.#readReferences(message, raw, spoken.command, locale);
      await this.#carryOut(received, spoken, text, target, turn);
    } finally {
      if (!turn.claimed) turn.leave();
    }
  }

  /** The command that a message begins with, or the question that it asks. */
  #spokenIn(message: Message, said: string, locale: Locale): SpokenRequest {
    const { commands } = this.#dependencies.dispatcher;
    const hasFiles = message.attachments.size > 0;
    const spoken = spokenRequest(said, { commands, hasFiles });
    const { textOption = '' } = commands.find(({ name }) => name === spoken.command) ?? {};
    const text = spoken.options[textOption];
    if (typeof text !== 'string') return spoken;
    const readable = readableText(text, namesInMessage(message), locale);
    return { ...spoken, options: { ...spoken.options, [textOption]: readable } };
  }

  /** The files that a command other than a question takes: the message's own, else those of what it replies to. */
  async #readReferences(
    message: Message,
    raw: APIMessage | undefined,
    name: string,
    locale: Locale,
  ): Promise<References> {
    const command = this.#dependencies.dispatcher.commands.find((one) => one.name === name);
    const isPaid = paidCommandNames.some((one) => one === name);
    const own = isPaid ? [...message.attachments.values()].map(incomingFile) : [];
    const files =
      command && isPaid && own.length === 0
        ? await referredFiles(this.#dependencies, message, raw, command)
        : own;
    return files === 'withheld'
      ? { files: [], notes: [discordWords(locale).repliedFilesHidden] }
      : { files, notes: [] };
  }

  async #carryOut(
    { message, address, requester, isUnmentioned, waiting }: ReceivedMessage,
    spoken: SpokenRequest,
    text: IncomingText | References,
    target: MessageReplyTarget,
    turn: StartTurn,
  ): Promise<void> {
    const { api, clock, dispatcher, gateway, openReply } = this.#dependencies;
    const { locale } = requester;
    const note = text.notes.join('\n');
    if ('prompt' in text && text.prompt === '' && note !== '')
      return void ((await this.#isFirst(message)) && (await openReply(target, locale).say({ text: note })));
    const [files] = gateway.missingPermissions(message.channelId, ['Attach Files']);
    const request = {
      eventId: message.id,
      ...requestOf(spoken, text),
      address,
      requester,
      postingLimits: files === undefined ? {} : { files },
      ...(isUnmentioned && message.channel.isThread() && { isUnmentioned: true as const }),
    };
    const prepared = await heldToLimit(dispatcher, waiting).prepare(request, turn);
    if (prepared.kind === 'refused' && (prepared.repeated || !(await this.#isFirst(message)))) return;
    if (prepared.kind === 'accepted' && isPrivatelyAnswered(prepared) && !requester.direct)
      return this.#answerDirectly({ message, address, requester }, prepared);
    if (prepared.kind === 'accepted' && !(await prepared.record())) return;
    const stopTyping = showTyping(api, clock, channelIdOf(address));
    target.onFirstMessage(stopTyping);
    try {
      const reply = openReply(target, locale, {
        ...(note !== '' && { header: note }),
        ...(target.replies && { shownAbove: 'all' }),
      });
      if (prepared.kind === 'refused') await reply.say({ text: prepared.text });
      if (prepared.kind === 'accepted') await prepared.run(reply);
    } finally {
      stopTyping();
    }
  }

  /** Whether what's no command's answer may be said: two processes can get the same message while one replaces the other. */
  #isFirst({ id }: Message): Promise<boolean> {
    return this.#dependencies.firstTime(`said ${id}`, hour);
  }

  /**
   * A private answer to a message comes as a direct message: without an interaction nothing in a channel can be hidden.
   * Whether direct messages are open shows before anything is spent.
   */
  async #answerDirectly(
    { message: { id, author }, address, requester }: WrittenMessage,
    prepared: Accepted,
  ): Promise<void> {
    const { api, directMessages, openReply } = this.#dependencies;
    const say = discordWords(requester.locale);
    let channel: string;
    try {
      channel = await directMessages.open(author.id);
      await api.createMessage(channel, messageBody(say.fromHidden), [], nonceOf(id, 'private'));
    } catch (error) {
      await prepared.abandon();
      if (!refusalOf(error)) throw error;
      const target = new MessageReplyTarget(this.#dependencies, {
        id,
        userId: author.id,
        address,
        canReply: false,
      });
      return void (await openReply(target, requester.locale).say({ text: say.directClosed }));
    }
    if (!(await prepared.record())) return;
    const direct = { platform: 'discord', workspace: channel, channel } as const;
    const message = { id, userId: author.id, address: direct, canReply: false, isElsewhere: true };
    await prepared.run(openReply(new MessageReplyTarget(this.#dependencies, message), requester.locale));
  }

  #replyTarget({ message: { id, author, channelId }, address }: WrittenMessage): MessageReplyTarget {
    const canReply = this.#mayReply(channelId);
    return new MessageReplyTarget(this.#dependencies, { id, userId: author.id, address, canReply });
  }

  /** Sends a direct message, once in a while; nothing happens if the person doesn't accept any. */
  async #whisper(
    target: MessageReplyTarget,
    { message, requester }: ReceivedMessage,
    text: string,
  ): Promise<void> {
    const key = `no permission ${requester.id} ${message.channelId}`;
    if (!(await this.#dependencies.firstTime(key, repeatAfter.noPermission))) return;
    try {
      await target.whisper(messageBody(text), []);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
    }
  }

  /** Says how to mention the bot, once in a while per channel. */
  async #explainMention(
    { address, requester }: ReceivedMessage,
    forBot: Exclude<ForBot, 'readable' | 'unmentioned'>,
    me: string,
  ): Promise<void> {
    const { api, firstTime, gateway } = this.#dependencies;
    const channelId = channelIdOf(address);
    if (gateway.missingToPost(channelId).length > 0 || gateway.isLocked(channelId)) return;
    if (!(await firstTime(`hint ${forBot} ${channelId}`, repeatAfter.unreadable))) return;
    const { roleMentioned, cannotRead } = discordWords(requester.locale);
    const text = forBot === 'role' ? roleMentioned(`<@${me}>`) : cannotRead(`<@${me}>`);
    await api.createMessage(channelId, messageBody(text), [], nonceOf(channelId, 'hint', forBot));
  }
}

/** The files that a command by words is given, and lines about those that couldn't be seen, shown above the answer. */
interface References {
  readonly files: readonly IncomingFile[];
  readonly notes: readonly string[];
}

/** The command of a message with its options. A question comes with what its message refers to, and can lie in that alone. */
function requestOf(
  { command, options, typed }: SpokenRequest,
  given: IncomingText | References,
): Pick<CommandRequest, 'command' | 'options' | 'added' | 'files'> {
  if ('files' in given) return { command, options, ...(given.files.length > 0 && { files: given.files }) };
  const { prompt, context } = given;
  if (prompt === '') return { command, options };
  return {
    command: commandFor.chat,
    options: typed === undefined ? { prompt } : options,
    ...(context !== undefined && { added: { context } }),
  };
}

type Accepted = PreparedRequest & { readonly kind: 'accepted' };

function isPrivatelyAnswered({ seenBy, call }: Accepted): boolean {
  return seenBy === 'requester' && call !== undefined && isPrivate(call);
}

/** What is read of a message at once: discord.js forgets a direct message's channel after its event. */
interface WrittenMessage {
  readonly message: Message;
  readonly address: Address;
  readonly requester: Person;
}

/** One that's handled. */
interface ReceivedMessage extends WrittenMessage {
  /** Until it's on record or refused. */
  readonly waiting: Waiting;
  /** It doesn't mention the bot. */
  readonly isUnmentioned?: boolean;
}

function receivedMessage(message: Message): WrittenMessage {
  const requester = personOf({
    user: message.author,
    member: message.member,
    permissions: message.member?.permissionsIn(message.channelId) ?? null,
    direct: message.guildId === null,
    locale: localeOfMessage(message),
  });
  return { message, address: addressOf(message), requester };
}

/** A message doesn't tell its author's language: Chinese characters do, or else the server's setting. */
function localeOfMessage({ content, guild }: Message): Locale {
  return /\p{Script=Han}/u.test(content) ? 'zh-CN' : localeOf(guild?.preferredLocale);
}
