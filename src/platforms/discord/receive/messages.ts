import type { GatewayMessageCreateDispatchData } from 'discord-api-types/v10';
import { heldToLimit, inResponseTime, type StartTurn, type Waiting } from '../../../engine/index.ts';
import { KeyedQueue } from '../../../lib/clock.ts';
import {
  type AcceptedRequest,
  type Address,
  commandFor,
  type Locale,
  paidCommandNames,
  type Person,
  PlatformError,
  refusalOf,
} from '../../../port/index.ts';
import { eventOf, type SpokenRequest, spokenRequest } from '../../../words/spoken-request.ts';
import { writtenTypes } from '../api/api.ts';
import { areSnowflakes, channelIdOf, type MessageBody, messageBody, nonceOf } from '../api/messages.ts';
import { isOwnMessage } from '../connection/own-application.ts';
import { incomingFile } from '../media/attached-files.ts';
import type { AnswerHeaders } from '../post/message-header.ts';
import { MessageReplyTarget, showTyping } from '../reply/reply-target.ts';
import { DiscordReply } from '../reply/reply.ts';
import { isThreadType, limitsForFiles, permissionsInChannel } from '../servers/server.ts';
import { discordWords, whyNotBegun } from '../words.ts';
import { addressOfMessage, personOf, type ReceiverDependencies } from './event-context.ts';
import {
  type AskedFor,
  type BotMention,
  type IncomingText,
  readIncomingText,
  type References,
  requestOf,
  withoutBotMention,
} from './incoming-text.ts';
import {
  type ForBot,
  isAnswer,
  isCertainlyForBot,
  isForBot,
  isHintDue,
  isNewlySaid,
  mayBeNewlySaid,
  obstacleIn,
  tellDirectly,
  writtenAt,
} from './is-for-bot.ts';
import { referredFiles, repliedMessageId } from './quoted-messages.ts';
import { namesInMessage, readableText } from './readable-text.ts';

/** A message as Discord sends it. */
type Message = GatewayMessageCreateDispatchData;

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

  /**
   * Also one that was edited. `onRecorded`: it's on record, or nothing comes of it. Its answer may take long after that.
   * `isLeft`: an earlier process may have begun to handle it.
   */
  async handle(message: Message, onRecorded: () => void, isLeft = false): Promise<void> {
    const { id, author, webhook_id: webhookId, guild_id: serverId = '0', channel_id: channelId } = message;
    // Anybody can make as many webhooks as they like: those are never answered.
    if (!writtenTypes.includes(message.type) || webhookId !== undefined) return;
    if (!areSnowflakes(id, channelId, author.id, serverId)) return;
    const { clock, identity, isSilent, knownLocales } = this.#dependencies;
    // Whatever it says of its author: each answer would be a question again.
    if (isOwnMessage(message, identity())) return;
    const isEdited = Boolean(message.edited_timestamp);
    if (isEdited && !mayBeNewlySaid(message, identity().id, clock.now())) return;
    if (author.bot && !mentionedInServer(message, identity().id)) return;
    let isAwaited = !author.bot && isCertainlyForBot(message, identity().id);
    const limit = {
      clock,
      madeAt: writtenAt(message),
      isDue: () => isAwaited && isSilent(),
      tell: (error?: unknown) => this.#tellWhyNot(this.#read(message), error),
      // What Discord refuses may be the word itself.
      isTold: (error: unknown) => isAwaited && !(error instanceof PlatformError),
      onOver: onRecorded,
    };
    await inResponseTime(limit, async (waiting) => {
      if (isEdited && !(await isNewlySaid(message, this.#dependencies, isLeft))) return;
      const forBot = await this.#isForBot(message);
      if (forBot === false) return;
      if (author.bot && forBot !== 'readable') return;
      isAwaited ||= !author.bot && (forBot === 'readable' || forBot === 'unmentioned');
      if (!(await this.#learnOf(message))) return;
      const { requester, ...received } = this.#read(message);
      if (author.bot && !(await this.#dependencies.dispatcher.answersBots(received.address))) return;
      const locale = await knownLocales.of(requester.id, message.content, this.#serverLocale(message));
      await this.#handle({ ...received, requester: { ...requester, locale }, waiting, isLeft }, forBot);
    });
  }

  /** Finds out about a message's server, which a resumed session says nothing of. @returns whether the bot is there. */
  async #learnOf({
    guild_id: serverId,
    channel_id: channelId,
    channel_type: type,
  }: Message): Promise<boolean> {
    return serverId === undefined || this.#dependencies.servers.find({ serverId, channelId, type });
  }

  #read(message: Message): WrittenMessage {
    const { knownLocales, servers } = this.#dependencies;
    const { author, content, member, guild_id: serverId } = message;
    const channel = servers.channel(message.channel_id);
    const address = addressOfMessage(message, servers);
    const locale = knownLocales.guess(author.id, content, this.#serverLocale(message));
    const roles = { id: author.id, roles: member?.roles ?? [] };
    const permissions = channel && permissionsInChannel(channel, roles);
    const direct = serverId === undefined;
    return {
      message,
      address,
      requester: personOf({ user: author, member, serverId, permissions, direct, locale }),
    };
  }

  /** A message doesn't tell its author's language; that of its server is the last guess. */
  #serverLocale({ guild_id: serverId = '' }: Message): string | undefined {
    return this.#dependencies.servers.server(serverId)?.preferredLocale;
  }

  /** How the bot is mentioned where a message was written. */
  #mentionIn({ guild_id: serverId = '' }: Message): BotMention {
    const { identity, servers } = this.#dependencies;
    const me = identity().id;
    return { me, isBotRole: (id) => servers.server(serverId)?.roles.get(id)?.botId === me };
  }

  /** Needs no database; processes that get the same message post it once. */
  async #tellWhyNot({ message, requester }: WrittenMessage, error: unknown): Promise<void> {
    const { api } = this.#dependencies;
    const { id, channel_id: channelId } = message;
    const body = this.#inReplyTo(message, messageBody(whyNotBegun(error, requester.locale)));
    await api.createMessage(channelId, { body }, nonceOf(id, 'no database'));
  }

  /** A message that shows whom it's for, where the bot may refer to theirs. */
  #inReplyTo({ id, channel_id: channelId }: Message, body: MessageBody): MessageBody {
    if (!this.#mayReply(channelId)) return body;
    return { ...body, message_reference: { message_id: id, fail_if_not_exists: false } };
  }

  #mayReply(channelId: string): boolean {
    return this.#dependencies.gateway.missingPermissions(channelId, ['Read Message History']).length === 0;
  }

  async #handle(received: ReceivedMessage, forBot: ForBot): Promise<void> {
    const { allowedServers } = this.#dependencies;
    const { message } = received;
    const { id, locale } = received.requester;
    const refusal = await allowedServers?.messageRefusal(message.guild_id ?? null, id, locale);
    if (refusal !== undefined) {
      if (refusal !== '') await this.#tell(received, refusal);
    } else if (forBot === 'readable' || forBot === 'unmentioned')
      await this.#answer({ ...received, isUnmentioned: forBot === 'unmentioned' });
    else await this.#explainMention(received, forBot);
  }

  /** In threads in the order of arrival: what's aimed at somebody else decides about what follows. */
  async #isForBot(message: Message): Promise<ForBot | false> {
    const { rememberedMessages } = this.#dependencies;
    const readsAll = this.#dependencies.readsAll();
    const isInThread = this.#isInThread(message);
    // Whether one of them is the bot's own.
    if (message.mention_roles.length > 0 && !(await this.#learnOf(message))) return false;
    const look = () =>
      isForBot(message, {
        ...this.#mentionIn(message),
        isInThread,
        readsAll,
        rememberedMessages,
        isAnswer: (reply, repliedTo) => this.#isAnswer(reply, repliedTo),
      });
    return readsAll && isInThread ? this.#inThreads.run(message.channel_id, look) : look();
  }

  /** An answer of the bot's, or a question of its own. Every reply to anybody comes by here. */
  async #isAnswer(reply: Message, repliedTo: string): Promise<boolean> {
    const { dispatcher, identity } = this.#dependencies;
    if (await isAnswer(this.#dependencies, reply, repliedTo)) return true;
    const { id: me } = identity();
    const isOwn = reply.referenced_message?.author.id === me || reply.mentions.some(({ id }) => id === me);
    return isOwn && dispatcher.isQuestion('discord', repliedTo);
  }

  /** The event tells the type of its channel (gateway events, message create). */
  #isInThread({ channel_id: channelId, channel_type: type }: Message): boolean {
    return isThreadType(type ?? this.#dependencies.servers.channel(channelId)?.type);
  }

  /** One person's messages are answered in their order, however long a message's files take to read. */
  async #answer(received: ReceivedMessage): Promise<void> {
    const { message, address, requester } = received;
    const { dispatcher } = this.#dependencies;
    using turn = dispatcher.takeTurn(requester.id, address);
    if (received.isLeft && (await this.#dependencies.leftEvents.isMessageOver(message))) return;
    const { locale } = requester;
    const obstacle = await obstacleIn(message.channel_id, locale, this.#dependencies);
    if (obstacle !== undefined && requester.bot) return;
    if (obstacle !== undefined) {
      const about = { event: message.id, person: requester.id, channel: message.channel_id };
      return await tellDirectly(this.#dependencies, about, obstacle);
    }
    const mention = this.#mentionIn(message);
    const said = withoutBotMention(message, mention);
    const spoken = this.#spokenIn(message, said, locale);
    const isQuestion = spoken.command === commandFor.chat || said === '';
    const reading = { ...this.#dependencies, locale };
    const readQuestion = () => readIncomingText(message, mention, reading);
    const text = isQuestion
      ? await readQuestion()
      : await this.#readReferences(message, spoken.command, locale);
    const { instead } = spoken;
    const repliedTo = repliedMessageId(message);
    const heard = { text: said, ...(message.edited_timestamp && { writtenAt: writtenAt(message) }) };
    const asked = {
      ...requestOf(spoken, text),
      ...(repliedTo !== undefined
        ? { said: { ...heard, replyTo: repliedTo } }
        : !received.isUnmentioned && { said: heard }),
      ...(instead && { instead: requestOf(instead, await readQuestion()) }),
    };
    await this.#carryOut(received, asked, text, turn);
  }

  /** The command that a message begins with, or the question that it asks. */
  #spokenIn(message: Message, said: string, locale: Locale): SpokenRequest {
    const { commands } = this.#dependencies.dispatcher;
    // Other bots only ask.
    if (message.author.bot) return { command: commandFor.chat, options: { prompt: said } };
    const hasFiles = message.attachments.length > 0;
    const spoken = spokenRequest(said, { commands, hasFiles });
    const { textOption = '' } = commands.find(({ name }) => name === spoken.command) ?? {};
    const text = spoken.options[textOption];
    if (typeof text !== 'string') return spoken;
    const readable = readableText(text, namesInMessage(message, this.#dependencies), locale);
    return { ...spoken, options: { ...spoken.options, [textOption]: readable } };
  }

  /** The files that a command other than a question takes: the message's own, else those of what it replies to. */
  async #readReferences(message: Message, name: string, locale: Locale): Promise<References> {
    const command = this.#dependencies.dispatcher.commands.find((one) => one.name === name);
    const isPaid = paidCommandNames.some((one) => one === name);
    const own = isPaid ? message.attachments.map(incomingFile) : [];
    if (!command || !isPaid || own.length > 0) return { files: own, notes: [] };
    const referred = await referredFiles(this.#dependencies, message, command);
    return referred === 'withheld'
      ? { files: [], notes: [discordWords(locale).repliedFilesHidden] }
      : { files: [], ...referred, notes: [] };
  }

  async #carryOut(
    received: ReceivedMessage,
    asked: AskedFor,
    text: IncomingText | References,
    turn: StartTurn,
  ): Promise<void> {
    const { api, clock, dispatcher, gateway, isLeaving, log } = this.#dependencies;
    const { message, address, requester, isUnmentioned, waiting } = received;
    const { locale } = requester;
    const note = text.notes.join('\n');
    if ('prompt' in text && text.prompt === '' && note !== '') return await this.#tell(received, note);
    const event = eventOf(message.id, asked.command);
    const target = this.#replyTarget(received, event.eventId);
    const request = {
      ...event,
      ...asked,
      address,
      requester,
      postingLimits: limitsForFiles((names) => gateway.missingPermissions(message.channel_id, names)),
      ...(isUnmentioned && address.thread !== undefined && { isUnmentioned: true as const }),
    };
    await using prepared = await heldToLimit(dispatcher, waiting).prepare(request, turn);
    if (prepared.kind === 'refused' && prepared.repeated) return;
    // Its author isn't sent away: another process gets it again.
    if (prepared.kind === 'refused' && prepared.reason === 'shutdown' && isLeaving()) {
      log.info({ message: message.id }, 'a message is left to the process that takes over');
      return new Promise<never>(() => {});
    }
    // Without an interaction nothing in a channel can be hidden.
    const { mayBeRead } = dispatcher.commands.find(({ name }) => name === asked.command) ?? {};
    const isHidden = prepared.kind === 'accepted' && prepared.answerSeenBy === 'requester' && !mayBeRead;
    if (isHidden && !requester.direct)
      return await this.#answerDirectly({ message, address, requester }, prepared);
    if (prepared.kind === 'accepted' && !(await prepared.record())) return;
    const stopTyping = showTyping(api, clock, channelIdOf(address));
    target.onFirstMessage(stopTyping);
    try {
      const headers = {
        ...(note !== '' && { header: note }),
        ...(target.replies && { shownAbove: 'all' as const }),
      };
      if (prepared.kind === 'refused') await this.#tell(received, prepared.text, headers);
      if (prepared.kind === 'accepted') await prepared.run(this.#openReply(target, locale, headers));
    } finally {
      stopTyping();
    }
  }

  /**
   * A private answer to a message comes as a direct message: without an interaction nothing in a channel can be hidden.
   * Whether direct messages are open shows before anything is spent.
   */
  async #answerDirectly(written: WrittenMessage, prepared: AcceptedRequest): Promise<void> {
    const { api, directMessages } = this.#dependencies;
    const { id, author } = written.message;
    const { requester } = written;
    const say = discordWords(requester.locale);
    let channel: string;
    try {
      channel = await directMessages.open(author.id);
      await api.createMessage(channel, { body: messageBody(say.fromHidden) }, nonceOf(id, 'private'));
    } catch (error) {
      if (!refusalOf(error)) throw error;
      return this.#tell(written, say.directClosed);
    }
    if (!(await prepared.record())) return;
    const direct = { platform: 'discord', workspace: channel, channel } as const;
    const message = { id, userId: author.id, address: direct, canReply: false, isElsewhere: true };
    const target = new MessageReplyTarget(this.#dependencies, message);
    await prepared.run(this.#openReply(target, requester.locale));
  }

  #openReply(target: MessageReplyTarget, locale: Locale, headers: AnswerHeaders = {}): DiscordReply {
    return new DiscordReply(this.#dependencies, { target, locale, ...headers });
  }

  /** Says what isn't a command's answer, under a key of its own: an edit of the message may still bring one. */
  async #tell(written: WrittenMessage, text: string, headers?: AnswerHeaders): Promise<void> {
    const { id, edited_timestamp: editedAt } = written.message;
    const target = this.#replyTarget(written, `${id} ${editedAt ?? 'unedited'}`);
    await this.#openReply(target, written.requester.locale, headers).say({ text });
  }

  #replyTarget({ message, address }: WrittenMessage, key = message.id): MessageReplyTarget {
    const { id, author } = message;
    const canReply = this.#mayReply(message.channel_id);
    return new MessageReplyTarget(this.#dependencies, { id, key, userId: author.id, address, canReply });
  }

  /** Says how to mention the bot, in reply to who didn't; once in a while. */
  async #explainMention(
    { message, address, requester }: ReceivedMessage,
    forBot: Exclude<ForBot, 'readable' | 'unmentioned'>,
  ): Promise<void> {
    const { api, gateway, identity, records } = this.#dependencies;
    const me = `<@${identity().id}>`;
    const channelId = channelIdOf(address);
    if (gateway.missingToPost(channelId).length > 0 || gateway.isLocked(channelId)) return;
    if (!(await isHintDue(records, requester.id, channelId, forBot))) return;
    const { roleMentioned, cannotRead } = discordWords(requester.locale);
    const text = forBot === 'role' ? roleMentioned(me) : cannotRead(me);
    const body = this.#inReplyTo(message, messageBody(text));
    await api.createMessage(channelId, { body }, nonceOf(message.id, 'hint'));
  }
}

/** A message, who wrote it, and where it's answered. */
interface WrittenMessage {
  readonly message: Message;
  readonly address: Address;
  readonly requester: Person;
}

/** One that's handled. */
interface ReceivedMessage extends WrittenMessage {
  /** Until it's on record or refused. */
  readonly waiting: Waiting;
  /** An earlier process may have begun to handle it. */
  readonly isLeft: boolean;
  /** It doesn't mention the bot. */
  readonly isUnmentioned?: boolean;
}

/** Whether another bot mentions this one, in words or by a reply. Bots have no direct messages with one another. */
function mentionedInServer({ guild_id: serverId, mentions }: Message, me: string): boolean {
  return serverId !== undefined && mentions.some(({ id }) => id === me);
}
