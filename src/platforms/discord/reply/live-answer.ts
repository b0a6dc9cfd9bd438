import { untilDone, type Waits } from '../../../lib/backoff.ts';
import type { Clock } from '../../../lib/clock.ts';
import {
  type LiveAnswer,
  type Locale,
  type MessageAddress,
  PlatformError,
  type StreamOptions,
} from '../../../port/index.ts';
import { type Ending, LiveReply } from '../../../reply/index.ts';
import type { RateLimits } from '../api/rate-limits.ts';
import type { RememberedMessage, RememberedMessages } from '../post/remembered-messages.ts';
import { discordWords } from '../words.ts';
import { isConfirmedMessage, LiveSink, type LiveSinkOptions } from './live-sink.ts';
import type { ReplyTarget } from './reply-target.ts';

export interface LiveDependencies {
  readonly clock: Clock;
  readonly pacings: RateLimits;
  readonly notes: RememberedMessages;
  readonly log: { warn(data: object, message: string): void };
}

/** Before a seat closes for good, the answer's end has to be written: milliseconds kept for that. */
const closingTime = 30_000;
/** Beyond so many messages the whole text comes as a file, too. */
const messagesWithoutFile = 6;
/** A user-installed bot has five messages beside the first, one of which is the whole as a file. */
const messagesByToken = 5;
/** Between tries to add the whole of an answer to it, in milliseconds. */
const waitsForWhole: Waits = { first: 1_000, longest: 8_000 };
const triesForWhole = 6;

/** Opens an answer that grows at a seat; where the seat closes before its end, it ends there and says why. */
export function openLiveAnswer(
  dependencies: LiveDependencies,
  target: ReplyTarget,
  options: StreamOptions,
  { locale, header }: { readonly locale: Locale; readonly header: string | undefined },
): LiveAnswer {
  const { clock, pacings, log } = dependencies;
  const { onProgress, buttons } = options;
  const onPosted: LiveSinkOptions['onPosted'] = (message, above, pieceLength) =>
    remember(dependencies, message, {
      answer: true,
      pieceLength,
      ...(above !== undefined && { header: above }),
    });
  const sink = new LiveSink(target, { buttons, header, onPosted });
  const reply = new LiveReply<MessageAddress>({
    sink,
    pacer: pacings.of(target, 'edit'),
    postPacer: pacings.of(target, 'post'),
    clock,
    maxMessages: target.closesAt === undefined ? Number.POSITIVE_INFINITY : messagesByToken,
    ...(onProgress && {
      onProgress: ({ handles, lastText }) => onProgress({ messages: handles, lastText }),
    }),
    onFailure: (error) => log.warn({ error }, 'part of an answer could not be written yet'),
  });
  let finished: Promise<MessageAddress[]> | undefined;
  const finish = (ending: Ending) => {
    cancel();
    finished ??= written(ending);
    return finished;
  };
  const written = async (ending: Ending) => {
    const messages = await reply.finish(ending);
    if (sink.mayLack) {
      await addWhole(ending);
      return messages.filter(isConfirmedMessage);
    }
    if (target.closesAt === undefined && messages.length > messagesWithoutFile) await attachWhole();
    return messages;
  };
  /** An extra: every word stands there already. */
  const attachWhole = async () => {
    try {
      await sink.attachWhole(reply.text);
    } catch (error) {
      log.warn({ error }, 'a long answer could not be attached as a file');
    }
  };
  /** Every word stands there surely then, and none twice. */
  const addWhole = (ending: Ending) =>
    untilDone(() => sink.addWhole(reply.text, ending), {
      clock,
      waits: waitsForWhole,
      failed: (error, tries) => {
        log.warn({ error }, 'the whole of an answer that may lack a part could not be added to it yet');
        const away = error instanceof PlatformError && error.kind === 'unreachable';
        if (!away || tries >= triesForWhole) throw error;
      },
    });
  const close = () => {
    const note = discordWords(locale).outOfTime;
    void finish({ kind: 'interrupted', note }).catch((error: unknown) => {
      log.warn({ error }, 'an answer could not be ended in time');
    });
  };
  const cancel =
    target.closesAt === undefined
      ? () => {}
      : clock.after(Math.max(0, target.closesAt - closingTime - clock.now()), close);
  return {
    append: (delta) => {
      if (!finished) reply.append(delta);
    },
    get text() {
      return reply.text;
    },
    hint: (text) => reply.hint(text),
    finish,
  };
}

/** An answer is known as one, so that a reply to it goes on with the conversation; it stands there in any case. */
async function remember(
  { notes, log }: LiveDependencies,
  { message, thread }: MessageAddress,
  note: RememberedMessage,
): Promise<void> {
  try {
    await notes.remember(message, note);
    if (thread !== undefined) await notes.rememberConversation(thread);
  } catch (error) {
    log.warn({ error }, 'an answer could not be remembered as one');
  }
}
