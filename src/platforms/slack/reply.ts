import type { Clock } from '../../clock.ts';
import {
  type Address,
  type LiveAnswer,
  type Message,
  type MessageAddress,
  OutletError,
  type OutletErrorKind,
  type Person,
  type Reply,
  type StreamOptions,
} from '../../port/index.ts';
import { type Ending, LiveReply, splitMarkdown } from '../../reply/index.ts';
import { slackWords } from '../../words/slack.ts';
import type { SlackApi } from './api.ts';
import { maxMessageLength, render, wireLength } from './blocks.ts';
import { outletError } from './errors.ts';
import { LiveSink, type LiveSinkParts } from './live-sink.ts';
import type { Log } from './log.ts';
import { isDirect, messageAt, placeOf, threadOf } from './place.ts';
import type { Responder } from './responder.ts';
import { showStatus } from './status.ts';
import type { Threads } from './threads.ts';

/** One command's or press's way to answer. */
export interface ReplyContext {
  readonly address: Address;
  readonly requester: Person;
  /** Makes the answers' keys, so that none of them is posted twice. */
  readonly eventId: string;
  readonly seenBy: 'channel' | 'requester' | 'nobody';
  /** The way to answer where the bot is no member. */
  readonly responseUrl?: string;
  /** The answer needs no place of its own: words that are not changed later. */
  readonly wordsSuffice?: boolean;
  /** Who asked what, where nobody else saw it asked. */
  readonly header?: string;
}

export interface ReplyParts extends LiveSinkParts {
  readonly api: SlackApi;
  readonly responder: Responder;
  readonly threads: Threads;
  /** Sentences about commands as Slack types them. */
  readonly inStyle: (text: string) => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Answers a command: to everybody where it was given, or to the requester alone. */
export class SlackReply implements Reply {
  readonly #parts: ReplyParts;
  readonly #context: ReplyContext;
  #said = 0;
  /** It turned out that the bot may not post here. */
  #shutOut = false;

  constructor(parts: ReplyParts, context: ReplyContext) {
    this.#parts = parts;
    this.#context = context;
  }

  async say(message: Message): Promise<MessageAddress> {
    const { address, seenBy, responseUrl, wordsSuffice } = this.#context;
    if (seenBy !== 'channel' || this.#shutOut) return this.#aside(message);
    try {
      return await this.#post(message);
    } catch (error) {
      if (!(error instanceof OutletError) || !shutOutKinds.includes(error.kind)) throw error;
      this.#shutOut = true;
      // What words can answer goes through the response address; of the rest the command has to hear.
      const byAddress = error.kind === 'not-a-member' && wordsSuffice && !message.files?.length;
      if (!byAddress || responseUrl === undefined) throw error;
      await this.#parts.responder.say(responseUrl, render(message, this.#above()), 'channel');
      return messageAt(placeOf(address.workspace, address.channel, undefined, { responseUrl }), '');
    }
  }

  async whisper(message: Message): Promise<void> {
    await this.#aside(message);
  }

  stream(options: StreamOptions): LiveAnswer {
    return new SlackLiveAnswer(this.#parts, this.#context, options, this.#above().header);
  }

  async #post(message: Message): Promise<MessageAddress> {
    const { address, eventId } = this.#context;
    const key = `${eventId}:${this.#said++}`;
    const posted = await this.#parts.outlet.postWith(address, message, key, this.#above());
    return posted;
  }

  /** Says something that the requester alone sees: where they are, and where that cannot be, directly. */
  async #aside(message: Message): Promise<MessageAddress> {
    const { address, eventId } = this.#context;
    const styled = { ...message, text: this.#parts.inStyle(message.text ?? '') };
    if (isDirect(address.channel)) {
      return this.#parts.outlet.post(address, styled, `${eventId}:${this.#said++}`);
    }
    for (const part of piecesOf(styled)) await this.#asidePart(part);
    return messageAt(address, '');
  }

  async #asidePart(part: Message): Promise<void> {
    const { address, requester, responseUrl, eventId } = this.#context;
    const { responder, outlet } = this.#parts;
    if (responseUrl !== undefined && (await responder.usesLeft(responseUrl)) > 0) {
      try {
        return await responder.say(responseUrl, render(part), 'requester');
      } catch (error) {
        if (!(error instanceof OutletError)) throw error;
      }
    }
    try {
      await outlet.whisper(address, requester.id, render(part));
    } catch (error) {
      if (!(error instanceof OutletError) || error.kind === 'unreachable') throw error;
      const direct = await outlet.directMessages(address.workspace, requester.id);
      await outlet.post(direct, part, `${eventId}:${this.#said++}`);
    }
  }

  #above(): { readonly header?: string } {
    const { header } = this.#context;
    return header === undefined || this.#said > 1 ? {} : { header };
  }
}

/** Why nothing can be posted at a place at all. */
const shutOutKinds: readonly OutletErrorKind[] = ['not-a-member', 'gone', 'no-permission'];

/** A message in pieces of a length that Slack takes. */
function piecesOf(message: Message): Message[] {
  const { text = '', files: _, ...rest } = message;
  const pieces = splitMarkdown(text, { maxLength: maxMessageLength, length: wireLength });
  const last = pieces.pop() ?? '';
  return [...pieces.map((piece) => ({ text: piece })), { ...rest, text: last }];
}

/** A live answer; where the bot may not post, all of it at the end through the response address. */
class SlackLiveAnswer implements LiveAnswer {
  readonly #parts: ReplyParts;
  readonly #context: ReplyContext;
  readonly #options: StreamOptions;
  readonly #reply: LiveReply<MessageAddress>;
  readonly #status: ReturnType<typeof showStatus>;
  #posted = false;
  #shutOut = false;

  constructor(parts: ReplyParts, context: ReplyContext, options: StreamOptions, header: string | undefined) {
    this.#parts = parts;
    this.#context = context;
    this.#options = options;
    const { address, requester, eventId } = context;
    const sink = new LiveSink(parts, {
      address,
      recipient: { user: requester.id, team: address.workspace },
      key: eventId,
      header,
      buttons: options.buttons,
    });
    this.#status = showStatus(parts, address, requester.locale);
    this.#reply = new LiveReply({
      sink,
      pacer: sink.pacing,
      postPacer: sink.postPacing,
      clock: parts.clock,
      onProgress: ({ handles, lastText }) => this.#onProgress(handles, lastText),
      onFailure: (error) => this.#onFailure(error),
    });
  }

  append(delta: string): void {
    this.#reply.append(delta);
  }

  get text(): string {
    return this.#reply.text;
  }

  hint(text: string): void {
    if (!this.#status.show(text)) this.#reply.hint(text);
  }

  async finish(ending: Ending): Promise<readonly MessageAddress[]> {
    try {
      return await this.#reply.finish(ending);
    } catch (error) {
      const known = outletError(error);
      if (known.kind === 'not-a-member' && this.#context.responseUrl !== undefined) {
        return this.#sayAll(this.#context.responseUrl, ending);
      }
      throw known;
    } finally {
      this.#status.end(this.#posted);
    }
  }

  async #onProgress(messages: readonly MessageAddress[], lastText: string): Promise<void> {
    if (!this.#posted) {
      this.#posted = true;
      this.#status.end(true);
      await this.#join(messages);
    }
    await this.#options.onProgress?.({ messages, lastText });
  }

  /** In the thread below a root message the conversation goes on, and it is the channel's. */
  async #join([first]: readonly MessageAddress[]): Promise<void> {
    const { address } = this.#context;
    if (!first) return;
    const thread = threadOf(address) ?? first.message;
    const belonging = address.thread === undefined ? 'channel' : 'thread';
    await this.#parts.threads.join(address.workspace, address.channel, thread, belonging);
  }

  #onFailure(error: unknown): void {
    const { responseUrl, requester } = this.#context;
    const { log, responder } = this.#parts;
    const { kind } = outletError(error);
    if (kind !== 'not-a-member' || this.#shutOut || responseUrl === undefined) {
      if (kind !== 'not-a-member')
        log.warn({ kind, error: String(error) }, 'a write of a live answer failed');
      return;
    }
    this.#shutOut = true;
    const { working } = slackWords(requester.locale);
    responder.say(responseUrl, render({ text: working }), 'requester').catch(() => undefined);
  }

  /** The whole answer in as many pieces as the response address takes. */
  async #sayAll(responseUrl: string, ending: Ending): Promise<readonly MessageAddress[]> {
    const { responder } = this.#parts;
    const { address, header, requester } = this.#context;
    const text = [this.text, ending.note].filter(Boolean).join('\n\n');
    const pieces = splitMarkdown(text, { maxLength: maxMessageLength, length: wireLength });
    const room = await responder.usesLeft(responseUrl);
    const shown = pieces.slice(0, Math.max(1, room));
    for (const [index, piece] of shown.entries()) {
      const isLast = index === shown.length - 1;
      const leftOut = isLast && shown.length < pieces.length;
      const note = leftOut ? `\n\n${slackWords(requester.locale).partsLeftOut}` : '';
      const buttons = isLast ? this.#options.buttons(ending) : [];
      const above = index === 0 && header !== undefined ? { header } : {};
      await responder.say(responseUrl, render({ text: piece + note, buttons }, above), 'channel');
    }
    return [messageAt(placeOf(address.workspace, address.channel, undefined, { responseUrl }), '')];
  }
}
