import type { RawFile } from '@discordjs/rest';
import { type Clock, untilDone, type Waits } from '../../../lib/clock.ts';
import {
  type LiveAnswer,
  type Locale,
  type MessageAddress,
  PlatformError,
  type StreamOptions,
  textFile,
  wholeKey,
} from '../../../port/index.ts';
import {
  type Ending,
  isInstead,
  LiveReply,
  type MessageContext,
  mostMessages,
  type Pacing,
  type ReplySink,
  RetryableWriteError,
} from '../../../reply/index.ts';
import { rateLimitWait, UnconfirmedError } from '../api/errors.ts';
import { messageBody, takesManyEdits } from '../api/messages.ts';
import type { Pace } from '../api/rate-limits.ts';
import {
  isSpacious,
  type MessageRequest,
  mostMessagesAt,
  sendPlainerIfRefused,
} from '../post/message-access.ts';
import { maxLengthBelow, prependHeader } from '../post/message-header.ts';
import { partKey } from '../post/posted-messages.ts';
import type { DiscordServices, RememberedMessage } from '../post/services.ts';
import { discordWords } from '../words.ts';
import type { ReplyTarget } from './reply-target.ts';

export interface LiveDependencies extends Pick<DiscordServices, 'api' | 'clock' | 'rememberedMessages'> {
  readonly log: Record<'debug' | 'warn', (data: object, message: string) => void>;
}

/** Milliseconds that an answer waits before it says so: until then, Discord shows that the bot is at it. */
const hintAfter = 3_000;
/** Milliseconds before a reply target closes in which the answer's end is written. */
const closingTime = 30_000;
/** Between tries to add the full text of an answer to it, in milliseconds. */
const fullTextWaits: Waits = { first: 1_000, longest: 8_000 };
const maxFullTextTries = 6;

/**
 * Opens a growing answer at a reply target. If the target closes before the answer's end, it ends there and says why;
 * what comes after that makes `finish` reject, so that the whole answer is delivered in another way.
 */
export function openLiveAnswer(
  dependencies: LiveDependencies,
  target: ReplyTarget,
  options: StreamOptions,
  form: LiveForm,
): LiveAnswer {
  const { clock, log } = dependencies;
  const { onProgress, onRefused, buttons } = options;
  const sink = new LiveSink(dependencies, target, buttons, form);
  // Of an answer the first failure is warned of: there's one for each try.
  let level: 'warn' | 'debug' = 'warn';
  const reply = new LiveReply<MessageAddress>({
    sink,
    pacer: sink.pacing('edit'),
    postPacer: sink.pacing('post'),
    hintAfter,
    clock,
    maxMessages: mostMessagesAt(target.address),
    ...(onProgress && {
      onProgress: ({ handles, texts, lastText, ending }) =>
        onProgress({
          ...{ messages: sink.withFile(handles), pieces: texts, lastText },
          // What the target's end cuts off isn't the answer's end.
          ...(ending && isFinished && { ending }),
        }),
    }),
    onFailure: (error) => {
      log[level]({ error }, 'part of an answer could not be written yet');
      level = 'debug';
    },
    ...(onRefused && { onRefused }),
  });
  const end = async (ending: Ending): Promise<MessageAddress[]> => {
    const messages = await reply.finish(ending);
    if (sink.mayBeIncomplete && !isInstead(ending)) {
      await addFullText(sink, reply.text, ending, dependencies);
      return sink.withFile(messages.filter(isConfirmedMessage));
    }
    // Elsewhere a longer one also comes as a file.
    if (isSpacious(target.address) && messages.length > mostMessages)
      await attachFullText(sink, reply.text, dependencies);
    return sink.withFile(messages);
  };
  let isFinished = false;
  /** The target closed before the answer's end. */
  let isOutOfTime = false;
  let finished: Promise<MessageAddress[]> | undefined;
  /** What came after the target closed. */
  let unwritten = '';
  const finish = async (ending: Ending) => {
    cancelClosing();
    isFinished ||= !finished;
    finished ??= end(ending);
    const messages = await finished;
    // Nor is what stands there the answer if it isn't to be shown.
    if (isOutOfTime && (unwritten.trim() !== '' || isInstead(ending))) throw new PlatformError('expired');
    return messages;
  };
  const cancelClosing = beforeClosing(target, clock, () => {
    const { outOfTime, hiddenOutOfTime } = discordWords(form.locale);
    const note = target.hidden ? hiddenOutOfTime : outOfTime;
    isOutOfTime = true;
    // What follows isn't shown here: there's nothing to continue.
    finished ??= end({ kind: 'failed', note });
    finished.catch((error: unknown) => {
      log.warn({ error }, 'an answer could not be ended in time');
    });
  });
  return {
    append: (delta) => {
      if (finished) unwritten += delta;
      else reply.append(delta);
    },
    get text() {
      return reply.text + unwritten;
    },
    hint: (text) => reply.hint(text),
    finish,
  };
}

/** Calls `close` shortly before a reply target closes; returns a function that cancels this. */
function beforeClosing({ closesAt }: ReplyTarget, clock: Clock, close: () => void): () => void {
  if (closesAt === undefined) return () => {};
  return clock.after(Math.max(0, closesAt - closingTime - clock.now()), close);
}

/** An extra: the messages have the full text already. */
async function attachFullText(sink: LiveSink, text: string, { log }: LiveDependencies): Promise<void> {
  try {
    await sink.attachWhole(text);
  } catch (error) {
    log.warn({ error }, 'a long answer could not be attached as a file');
  }
}

/** For an answer of which a part may be missing: the full text is then certainly there. */
async function addFullText(
  sink: LiveSink,
  text: string,
  ending: Ending,
  { clock, log }: LiveDependencies,
): Promise<void> {
  await untilDone(() => sink.addFullText(text, ending), {
    clock,
    waits: fullTextWaits,
    failed: (error, tries) => {
      log.warn({ error }, 'the full text of an answer that may be incomplete could not be added yet');
      const isUnreachable = error instanceof PlatformError && error.kind === 'unreachable';
      if (!isUnreachable || tries >= maxFullTextTries) throw error;
    },
  });
}

/** Remembers a message as an answer, so that a reply to it continues the conversation. A failure is only logged. */
async function rememberAnswer(
  { rememberedMessages, log }: LiveDependencies,
  { message, thread }: MessageAddress,
  remembered: RememberedMessage,
): Promise<void> {
  try {
    await rememberedMessages.remember(message, remembered);
    if (thread !== undefined) await rememberedMessages.rememberConversation(thread);
  } catch (error) {
    log.warn({ error }, 'an answer could not be remembered as one');
  }
}

/** What stands above a growing answer, and the language of what the bot adds to it. */
interface LiveForm {
  /** The line above the first message. */
  readonly header: string | undefined;
  /** The same without a persona’s name: the bot itself says why an answer isn’t shown. */
  readonly unnamed?: string | undefined;
  readonly locale: Locale;
}

/** The id of a message that may be there, but whose real id is unknown. */
const unconfirmedId = '0';

/** Whether a message is certainly there. */
function isConfirmedMessage({ message }: MessageAddress): boolean {
  return message !== unconfirmedId;
}

/** Writes the messages of a growing answer to its reply target. */
class LiveSink implements ReplySink<MessageAddress> {
  readonly maxLength: number;
  readonly #dependencies: LiveDependencies;
  readonly #target: ReplyTarget;
  readonly #buttons: StreamOptions['buttons'];
  readonly #form: LiveForm;
  /** What Discord refused once is left out from then on. */
  #withoutButtons = false;
  #withoutHeader = false;
  /** The first message that is certainly there. */
  #first: MessageAddress | undefined;
  /** The message with the whole text as a file. */
  #file: MessageAddress | undefined;
  #mayBeIncomplete = false;
  /** Whether it's unknown if the newest message, with its buttons, is there. */
  #isLastUnconfirmed = false;
  /** The bucket in which a slot was waited for, for the next write. */
  #heldSlot: string | undefined;

  constructor(
    dependencies: LiveDependencies,
    target: ReplyTarget,
    buttons: StreamOptions['buttons'],
    form: LiveForm,
  ) {
    this.#dependencies = dependencies;
    this.#target = target;
    this.#buttons = buttons;
    this.#form = form;
    // The same for all messages, although only the first has the header, so that the text is always split alike.
    this.maxLength = maxLengthBelow(form.header);
  }

  /** Whether a part of the answer may be missing: it was sent, can't be repeated, and it's unknown if it arrived. */
  get mayBeIncomplete(): boolean {
    return this.#mayBeIncomplete;
  }

  /** The budget of the next edit, or of the next new message. */
  pacing(kind: 'edit' | 'post'): Pick<Pacing, 'slot'> {
    return {
      slot: async (options = {}) => {
        const { limits } = this.#dependencies.api;
        const bucket = this.#target.bucket(kind);
        // Kept where the wait for one of the bot's requests is broken off for something more urgent.
        if (this.#heldSlot !== bucket) await limits.slot(bucket, options);
        this.#heldSlot = bucket;
        await limits.slotOfBot(bucket, options);
      },
    };
  }

  /** The answer's messages; its file belongs to the last. */
  withFile(messages: readonly MessageAddress[]): MessageAddress[] {
    const last = messages.at(-1);
    if (!last || !this.#file) return [...messages];
    return [...messages.slice(0, -1), { ...last, parts: [this.#file.message] }];
  }

  async post(text: string, context: MessageContext): Promise<MessageAddress> {
    const name = `live ${context.index}`;
    const write = (form: MessageRequest) =>
      this.#target.write(name, { ...form, pace: this.#paceIn(context) });
    const message = await this.#undefinedIfUnconfirmed(() => this.#write(text, context, write));
    this.#isLastUnconfirmed = message === undefined;
    if (!message) return { ...this.#target.address, message: unconfirmedId };
    this.#first ??= message;
    const header = this.#headerOf(context);
    await rememberAnswer(this.#dependencies, message, {
      answer: true,
      pieceLength: this.maxLength,
      ...(header !== undefined && { header }),
    });
    return message;
  }

  async edit(message: MessageAddress, text: string, context: MessageContext): Promise<void> {
    if (!isConfirmedMessage(message)) return;
    // What's left of its edits is for its end.
    if (context.phase === 'growing' && !takesManyEdits(message, this.#dependencies.clock.now()))
      throw new PlatformError('refused');
    await this.#write(text, context, (form) =>
      this.#target.edit(message, { ...form, pace: this.#paceIn(context) }),
    );
  }

  /** A write that Discord refuses, and that is sent again in another form, takes a slot of its own. */
  #paceIn({ phase }: MessageContext): Pace {
    const heldSlot = this.#heldSlot;
    this.#heldSlot = undefined;
    return { urgency: phase === 'growing' ? 'growth' : 'final', heldSlot };
  }

  /** Posts the full text as a file. */
  async attachWhole(text: string): Promise<void> {
    const { file, attachments } = fullTextFile(text);
    const body = { ...messageBody(discordWords(this.#form.locale).wholeAsFile), attachments };
    // A process that goes on finds it by its key.
    const key = partKey(wholeKey(this.#target.key), 0);
    const write = () => this.#target.write({ key, directKey: key }, { body, files: [file] });
    this.#file = await this.#undefinedIfUnconfirmed(() => asRetryable(write));
  }

  /**
   * Adds the full text as a file to the first message, for an answer that may be incomplete: an edit can be repeated
   * until it succeeds. It has the last message's buttons if those may be missing.
   * @throws {PlatformError} `unreachable` if no message is certainly there.
   */
  async addFullText(text: string, ending: Ending): Promise<void> {
    const first = this.#first;
    if (!first) throw new PlatformError('unreachable');
    const { file, attachments } = fullTextFile(text);
    const { components } = messageBody('', this.#isLastUnconfirmed ? this.#buttons(ending) : []);
    const request = { body: { attachments, ...(components.length > 0 && { components }) }, files: [file] };
    await sendPlainerIfRefused(request, (form) => this.#target.edit(first, form));
  }

  /** Undefined if it's unknown whether the work was done, and it must not be repeated. */
  async #undefinedIfUnconfirmed<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnconfirmedError)) throw error;
      this.#mayBeIncomplete = true;
      return undefined;
    }
  }

  #write<T>(
    text: string,
    context: MessageContext,
    send: (request: MessageRequest) => Promise<T>,
  ): Promise<T> {
    const { phase, ending } = context;
    const wanted = phase === 'closed' ? [] : this.#buttons(phase === 'ended' ? ending : undefined);
    const buttons = this.#withoutButtons ? [] : wanted;
    const header = this.#headerOf(context);
    // Only the header quotes a person.
    const request = { body: messageBody(prependHeader(header, text), buttons), files: [], unquoted: text };
    return asRetryable(() =>
      sendPlainerIfRefused(request, async (plainer) => {
        const done = await send(plainer);
        this.#withoutButtons ||= buttons.length > 0 && plainer.body.components?.length === 0;
        this.#withoutHeader ||= header !== undefined && plainer.body.content === text;
        return done;
      }),
    );
  }

  #headerOf({ index, ending }: MessageContext): string | undefined {
    const { header, unnamed } = this.#form;
    if (index > 0 || this.#withoutHeader) return undefined;
    return isInstead(ending) ? unnamed : header;
  }
}

function fullTextFile(text: string) {
  const { name, contentType } = textFile(text);
  const file = { name, contentType, data: Buffer.from(text) } satisfies RawFile;
  return { file, attachments: [{ id: '0', filename: name }] };
}

/** Marks a write as retryable if Discord couldn't be reached: its repetition is recognised, or is an edit. */
async function asRetryable<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind !== 'unreachable') throw error;
    if (error instanceof UnconfirmedError) throw error;
    const retryAfter = rateLimitWait(error);
    throw new RetryableWriteError('Discord cannot be reached', {
      cause: error,
      ...(retryAfter !== undefined && { retryAfter }),
    });
  }
}
