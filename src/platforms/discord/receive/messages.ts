import type { Message } from 'discord.js';
import {
  type Address,
  type Locale,
  localeOf,
  type Person,
  PlatformError,
  parseActionId,
  type StartTurn,
} from '../../../port/index.ts';
import { words } from '../../../words/index.ts';
import { spokenRequest } from '../../../words/suggested-questions.ts';
import { messageBody } from '../api/message-body.ts';
import { nonceOf } from '../api/nonce.ts';
import { areSnowflakes } from '../api/snowflakes.ts';
import { channelIdOf } from '../reply/interaction-token.ts';
import { MessageReplyTarget } from '../reply/message-reply-target.ts';
import { showTyping } from '../reply/typing.ts';
import { discordWords } from '../words.ts';
import { addressOf } from './event-address.ts';
import { type IncomingText, readIncomingText } from './incoming-text.ts';
import { type ForBot, isForBot } from './is-for-bot.ts';
import { personOf } from './people.ts';
import type { ReceiverDependencies } from './receiver-dependencies.ts';

const hour = 3_600_000;
/** The same word is said again after so long at the earliest, in milliseconds. */
const silence = {
  /** That the bot may not write in a channel, to one person. */
  noPermission: 6 * hour,
  /** What to do to be read, in a channel; in a thread that is as good as once. */
  unreadable: 7 * 24 * hour,
} as const;

/**
 * Takes what people write to the bot to the dispatcher as `/ask`: a mention, a reply to an answer, a direct message,
 * also in threads. What is meant for it and cannot be read without a privileged intent is told how to be.
 */
export class Messages {
  readonly #dependencies: ReceiverDependencies;

  constructor(dependencies: ReceiverDependencies) {
    this.#dependencies = dependencies;
  }

  async take(message: Message): Promise<void> {
    if (message.author.bot || message.system || message.webhookId !== null) return;
    if (!areSnowflakes(message.id, message.channelId, message.author.id, message.guildId ?? '0')) return;
    const me = message.client.user.id;
    const received = receivedOf(message);
    const how = await isForBot(message, {
      me,
      isAnswer: (reply, repliedTo) => this.#isAnswer(reply, repliedTo),
      isConversation: (threadId) => this.#dependencies.notes.isConversation(threadId),
    });
    if (how === undefined || !this.#dependencies.recent.isNew(message.id)) return;
    const { requester } = received;
    const { allowed, reply } = this.#dependencies;
    const refusal = await allowed.messageRefusal(message.guildId, requester.id, requester.locale);
    if (refusal !== undefined) {
      if (refusal !== '') await reply(this.#replyTarget(received), requester.locale).say({ text: refusal });
    } else if (how === 'readable') await this.#answer(received, me);
    else await this.#hint(received, how, me);
  }

  /** However long a message's files take to read, one person's messages are answered in their order. */
  async #answer(received: Received, me: string): Promise<void> {
    const { message, address, requester } = received;
    const arrival = this.#dependencies.dispatcher.takeTurn(requester.id, address);
    try {
      const target = this.#replyTarget(received);
      const { locale } = requester;
      const shut = await this.#whyNoAnswer(message.channelId, locale);
      if (shut !== undefined) return await this.#whisper(target, received, shut);
      const written = await readIncomingText(message, { me, locale, download: this.#dependencies.download });
      await this.#ask(received, written, target, arrival);
    } finally {
      if (!arrival.claimed) arrival.leave();
    }
  }

  async #ask(
    { message, address, requester }: Received,
    { prompt, notes }: IncomingText,
    target: MessageReplyTarget,
    arrival: StartTurn,
  ) {
    const { dispatcher, routes, reply, lacking } = this.#dependencies;
    const { locale } = requester;
    const note = notes.join('\n');
    if (prompt === '' && note !== '') return void (await reply(target, locale).say({ text: note }));
    const [files] = lacking(message.channelId, ['Attach Files']);
    const request = {
      eventId: message.id,
      ...spokenRequest(prompt),
      address,
      requester,
      postingLimits: files === undefined ? {} : { files },
    };
    const prepared = await dispatcher.prepare(request, arrival);
    if (prepared.kind === 'refused' && prepared.repeated) return;
    if (prepared.kind === 'accepted' && !(await prepared.record())) return;
    const stopTyping = showTyping(routes.api, routes.clock, channelIdOf(address));
    target.whenAnswered(stopTyping);
    try {
      const answer = reply(target, locale, note === '' ? {} : { header: note });
      if (prepared.kind === 'refused') await answer.say({ text: prepared.text });
      if (prepared.kind === 'accepted') await prepared.run(answer);
    } finally {
      stopTyping();
    }
  }

  #replyTarget({ message: { id, author, channelId }, address }: Received): MessageReplyTarget {
    const { routes, uploads } = this.#dependencies;
    const mayReply = this.#dependencies.lacking(channelId, ['Read Message History']).length === 0;
    return new MessageReplyTarget(routes, { id, userId: author.id, address, uploads, mayReply });
  }

  /** Why nothing can be written in a channel, in a sentence: looked at before anything is paid for. */
  async #whyNoAnswer(channelId: string, locale: Locale): Promise<string | undefined> {
    if (this.#dependencies.isTimedOut(channelId)) return discordWords(locale).timedOut;
    const missing = await this.#missingIn(channelId);
    if (missing.length > 0) return words(locale).errors.noPermission(missing.join(', '));
    return this.#dependencies.isLocked(channelId) ? discordWords(locale).threadLocked : undefined;
  }

  /**
   * The permissions without which nothing can be written. Whether the chat of a voice channel needs Connect is
   * uncertain, so where that alone is missing the typing sign, which needs the same, tells.
   */
  async #missingIn(channelId: string): Promise<readonly string[]> {
    const missing = this.#dependencies.missingIn(channelId);
    if (missing.length !== 1 || missing[0] !== 'Connect') return missing;
    try {
      await this.#dependencies.routes.api.typing(channelId);
      return [];
    } catch (error) {
      if (error instanceof PlatformError) return missing;
      throw error;
    }
  }

  /** In a direct message, now and then; whoever takes none is not told. */
  async #whisper(target: MessageReplyTarget, { message, requester }: Received, text: string) {
    const key = `no permission ${requester.id} ${message.channelId}`;
    if (!(await this.#dependencies.firstTime(key, silence.noPermission))) return;
    try {
      await target.whisper(messageBody(text), []);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
    }
  }

  /**
   * Whether a message of the bot's is an answer in a conversation: by what is remembered, else, for what is older, by
   * its buttons.
   */
  async #isAnswer({ channelId, mentions, client }: Message, repliedTo: string): Promise<boolean> {
    const { notes, routes, lacking } = this.#dependencies;
    const note = await notes.find(repliedTo);
    if (note) return note.answer === true;
    const me = client.user.id;
    if (mentions.repliedUser?.id !== me && !mentions.users.has(me)) return false;
    if (lacking(channelId, ['Read Message History']).length > 0) return false;
    try {
      const { components = [] } = await routes.api.message(channelId, repliedTo);
      const buttons = components.flatMap((row): readonly object[] =>
        'components' in row ? row.components : [],
      );
      return buttons.some((part) => 'custom_id' in part && isOfAnswer(String(part.custom_id)));
    } catch (error) {
      if (error instanceof PlatformError) return false;
      throw error;
    }
  }

  /** Says once in a place what has to be done to be read. */
  async #hint({ address, requester }: Received, how: Exclude<ForBot, 'readable'>, me: string) {
    const { routes, firstTime, missingIn, isLocked } = this.#dependencies;
    const channelId = channelIdOf(address);
    if (missingIn(channelId).length > 0 || isLocked(channelId)) return;
    if (!(await firstTime(`hint ${how} ${channelId}`, silence.unreadable))) return;
    const say = discordWords(requester.locale);
    const text = how === 'role' ? say.roleMentioned(`<@${me}>`) : say.cannotRead(`<@${me}>`);
    await routes.api.createMessage(channelId, messageBody(text), [], nonceOf(channelId, 'hint', how));
  }
}

/** What of a message is read before anything is waited for: the library forgets direct channels after their event. */
interface Received {
  readonly message: Message;
  readonly address: Address;
  readonly requester: Person;
}

function receivedOf(message: Message): Received {
  const requester = personOf({
    user: message.author,
    member: message.member,
    permissions: message.member?.permissionsIn(message.channelId) ?? null,
    direct: message.guildId === null,
    locale: localeOfMessage(message),
  });
  return { message, address: addressOf(message), requester };
}

function isOfAnswer(customId: string): boolean {
  return parseActionId(customId)?.command === 'ask';
}

/** A message tells no language: Chinese characters do, else its server. */
function localeOfMessage({ content, guild }: Message): Locale {
  return /\p{Script=Han}/u.test(content) ? 'zh-CN' : localeOf(guild?.preferredLocale);
}
