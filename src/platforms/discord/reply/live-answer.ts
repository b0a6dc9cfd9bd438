import { type Clock, untilDone, type Waits } from '../../../lib/clock.ts';
import {
  type LiveAnswer,
  type Locale,
  type MessageAddress,
  PlatformError,
  type StreamOptions,
} from '../../../port/index.ts';
import { type Ending, LiveReply, mostMessages } from '../../../reply/index.ts';
import type { RateLimits } from '../api/rate-limits.ts';
import { isSpacious, mostMessagesAt } from '../post/message-requests.ts';
import type { RememberedMessage, RememberedMessages } from '../post/remembered.ts';
import { discordWords } from '../words.ts';
import { isConfirmedMessage, LiveSink, type LiveSinkOptions } from './live-sink.ts';
import type { ReplyTarget } from './reply-target.ts';

export interface LiveDependencies {
  readonly clock: Clock;
  readonly rateLimits: RateLimits;
  readonly rememberedMessages: RememberedMessages;
  readonly log: { warn(data: object, message: string): void };
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
  { locale, header }: { readonly locale: Locale; readonly header: string | undefined },
): LiveAnswer {
  const { clock, rateLimits, log } = dependencies;
  const { onProgress, onRefused, buttons } = options;
  const onPosted: LiveSinkOptions['onPosted'] = (message, postedHeader, pieceLength) =>
    rememberAnswer(dependencies, message, {
      answer: true,
      pieceLength,
      ...(postedHeader !== undefined && { header: postedHeader }),
    });
  const { wholeAsFile } = discordWords(locale);
  const sink = new LiveSink(target, { rateLimits, buttons, header, onPosted, wholeAsFile });
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
    onFailure: (error) => log.warn({ error }, 'part of an answer could not be written yet'),
    ...(onRefused && { onRefused }),
  });
  const end = async (ending: Ending): Promise<MessageAddress[]> => {
    const messages = await reply.finish(ending);
    if (sink.mayBeIncomplete) {
      await addFullText(sink, reply.text, ending, dependencies);
      return sink.withFile(messages.filter(isConfirmedMessage));
    }
    // Elsewhere a longer one also comes as a file.
    if (isSpacious(target.address) && messages.length > mostMessages)
      await attachFullText(sink, reply.text, dependencies);
    return sink.withFile(messages);
  };
  let isFinished = false;
  let finished: Promise<MessageAddress[]> | undefined;
  /** What came after the target closed. */
  let unwritten = '';
  const finish = async (ending: Ending) => {
    cancelClosing();
    isFinished ||= !finished;
    finished ??= end(ending);
    const messages = await finished;
    if (unwritten.trim() !== '') throw new PlatformError('expired');
    return messages;
  };
  const cancelClosing = beforeClosing(target, clock, () => {
    const { outOfTime, hiddenOutOfTime } = discordWords(locale);
    const note = target.hidden ? hiddenOutOfTime : outOfTime;
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
