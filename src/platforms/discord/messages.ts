import type { Message } from 'discord.js';
import { type Address, type Locale, localeOf, OutletError } from '../../port/index.ts';
import { discordWords } from '../../words/discord.ts';
import { words } from '../../words/index.ts';
import { MessageSeat } from './message-seat.ts';
import { nonceOf } from './nonce.ts';
import { bodyOf } from './payload.ts';
import { personOf } from './people.ts';
import type { ReceiverParts } from './receiver.ts';
import { channelOf } from './ticket.ts';
import { showTyping } from './typing.ts';

/**
 * Takes what people write to the bot to the dispatcher as `/ask`: a mention, a reply to it, a direct message, also
 * in the bot's own threads. What else is written in those, Discord shows to nobody without a privileged intent.
 */
export class Messages {
  readonly #parts: ReceiverParts;

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
  }

  async take(message: Message): Promise<void> {
    if (message.author.bot || message.system || message.webhookId !== null) return;
    const me = message.client.user.id;
    const addressed = message.guildId === null || message.mentions.users.has(me);
    if (!addressed && !this.#isUnreadable(message, me)) return;
    if (!this.#parts.recent.isNew(message.id)) return;
    if (addressed) await this.#ask(message, me);
    else await this.#hint(message);
  }

  async #ask(message: Message, me: string): Promise<void> {
    const { dispatcher, routes, reply } = this.#parts;
    const locale = localeOfMessage(message);
    const address = addressOf(message);
    const prompt = promptOf(message, me);
    const requester = personOf({
      user: message.author,
      member: message.member,
      permissions: message.member?.permissionsIn(message.channelId) ?? null,
      direct: message.guildId === null,
      locale,
    });
    const seat = this.#seatOf(message, address);
    const missing = this.#parts.missingIn(message.channelId);
    if (missing.length > 0)
      return this.#tellAlone(seat, words(locale).errors.noPermission(missing.join(', ')));
    const prepared = await dispatcher.prepare({
      eventId: message.id,
      command: prompt === '' ? 'help' : 'ask',
      options: prompt === '' ? {} : { prompt },
      address,
      requester,
    });
    if (prepared.kind === 'refused' && prepared.repeated) return;
    if (prepared.kind === 'accepted' && !(await prepared.secure())) return;
    const stopTyping = showTyping(routes.api, routes.clock, channelOf(address));
    seat.whenAnswered(stopTyping);
    try {
      const answer = reply(seat, locale);
      if (prepared.kind === 'refused') await answer.say({ text: prepared.text });
      if (prepared.kind === 'accepted') await prepared.run(answer);
    } finally {
      stopTyping();
    }
  }

  #seatOf({ id, author, channelId }: Message, address: Address): MessageSeat {
    const uploadLimit = this.#parts.uploadLimit(address.workspace);
    const mayReply = this.#parts.lacking(channelId, ['Read Message History']).length === 0;
    return new MessageSeat(this.#parts.routes, { id, userId: author.id, address, uploadLimit, mayReply });
  }

  /** In a direct message; whoever takes none is not told. */
  async #tellAlone(seat: MessageSeat, text: string): Promise<void> {
    try {
      await seat.whisper(bodyOf(text), []);
    } catch (error) {
      if (!(error instanceof OutletError)) throw error;
    }
  }

  /** Something said in a thread of the bot's that it is not let read. */
  #isUnreadable(message: Message, me: string): boolean {
    const { channel, content, mentions, reference } = message;
    if (!channel.isThread() || channel.ownerId !== me || content !== '') return false;
    return mentions.users.size === 0 && reference === null && message.stickers.size === 0;
  }

  /** Says once in a thread what has to be done to be heard. */
  async #hint(message: Message): Promise<void> {
    const { routes, firstTime } = this.#parts;
    if (!(await firstTime(`hint ${message.channelId}`))) return;
    const text = discordWords(localeOfMessage(message)).cannotRead;
    await routes.api.createMessage(message.channelId, bodyOf(text), [], nonceOf(message.channelId, 'hint'));
  }
}

function addressOf({ guildId, channelId, channel }: Message): Address {
  const workspace = guildId ?? channelId;
  if (channel.isThread() && channel.parentId !== null) {
    return { platform: 'discord', workspace, channel: channel.parentId, thread: channelId };
  }
  return { platform: 'discord', workspace, channel: channelId };
}

/** What was said, the bot's own name left out and others' ids replaced by their names. */
function promptOf(message: Message, me: string): string {
  return message.content
    .replaceAll(new RegExp(`<@!?${me}>`, 'g'), ' ')
    .replaceAll(/<@!?(\d+)>/g, (whole, id: string) => {
      const user = message.mentions.users.get(id);
      return user ? `@${user.displayName}` : whole;
    })
    .replaceAll(/[ \t]+/g, ' ')
    .trim();
}

/** A message tells no language: Chinese characters do, else its server. */
function localeOfMessage({ content, guild }: Message): Locale {
  return /\p{Script=Han}/u.test(content) ? 'zh-CN' : localeOf(guild?.preferredLocale);
}
