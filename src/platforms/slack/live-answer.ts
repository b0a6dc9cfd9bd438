import type { LiveAnswer, MessageAddress, StreamOptions } from '../../port/index.ts';
import { type Ending, LiveReply, splitMarkdown } from '../../reply/index.ts';
import { slackWords } from '../../words/slack.ts';
import { maxMessageLength, render, wireLength } from './blocks.ts';
import { outletError } from './errors.ts';
import { LiveSink } from './live-sink.ts';
import { messageAt, placeOf, threadOf } from './place.ts';
import type { ReplyContext, ReplyParts } from './reply-context.ts';
import { showStatus } from './status.ts';
import type { UnfinishedAnswer } from './unfinished.ts';

/** A live answer; where the bot may not post, all of it at the end through the response address. */
export class SlackLiveAnswer implements LiveAnswer {
  readonly #parts: ReplyParts;
  readonly #context: ReplyContext;
  readonly #options: StreamOptions;
  readonly #reply: LiveReply<MessageAddress>;
  readonly #status: ReturnType<typeof showStatus>;
  readonly #unfinished: UnfinishedAnswer | undefined;
  #begun: Promise<void> = Promise.resolve();
  #posted = false;
  #shutOut = false;

  constructor(parts: ReplyParts, context: ReplyContext, options: StreamOptions, header: string | undefined) {
    this.#parts = parts;
    this.#context = context;
    this.#options = options;
    const { address, requester, eventId } = context;
    const stop = options.buttons(undefined)[0]?.id;
    if (stop !== undefined) {
      const key = LiveSink.keyOf(eventId, 0);
      this.#unfinished = { address, at: parts.clock.now(), key, stop };
      this.#begun = parts.unfinished.begin(this.#unfinished);
      this.#begun.catch(() => undefined);
    }
    const sink = new LiveSink(parts, {
      address,
      recipient: { user: requester.id, team: address.workspace },
      key: eventId,
      header,
      buttons: options.buttons,
      begun: () => this.#begun,
      findLost: (known) => this.#findLost(known),
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
      if (this.#unfinished) await this.#parts.unfinished.end(this.#unfinished);
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

  async #findLost(known: readonly string[]): Promise<string | undefined> {
    if (!this.#unfinished) return undefined;
    for await (const [, { ts }] of this.#parts.unfinished.messagesOf(this.#unfinished)) {
      if (!known.includes(ts)) return ts;
    }
    return undefined;
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
