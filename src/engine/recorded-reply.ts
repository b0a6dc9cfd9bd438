import { type Attributes, faultName, type Span, type Tracer, traced } from '../lib/telemetry.ts';
import {
  isPrivate,
  type Job,
  type LiveAnswer,
  type LiveAnswers,
  type LiveProgress,
  type Message,
  type MessageAddress,
  type Reply,
  type StreamOptions,
} from '../port/index.ts';
import type { Ending } from '../reply/index.ts';

/** What is told of a reply. */
export interface ReplyEvents {
  /** How a live answer ended. */
  ended(ending: Ending): void;
  /** A whole message was said. */
  said(at: MessageAddress, message: Message): void;
  /** People see words of it. */
  shown(): void;
  readonly tracer: Tracer;
}

/** A reply whose answers are on record until the job has ended. */
export function recordedReply(reply: Reply, jobId: string, answers: LiveAnswers, events: ReplyEvents): Reply {
  const { tracer, shown } = events;
  const rewrite = reply.rewrite?.bind(reply);
  const note = (messages: readonly MessageAddress[]) => answers.note(jobId, messages).catch(() => {});
  return {
    say: async (message, options) => {
      const said = await traced(tracer, 'post', {}, () => reply.say(message, options));
      events.said(said, message);
      shown();
      // People have it: that it cannot be written down must not look as if they had not.
      await answers.save(jobId, { messages: [said], lastText: message.text ?? '' }, 'said').catch(() => {});
      return said;
    },
    replace: (said, message) => reply.replace(said, message),
    whisper: async (message) => {
      await traced(tracer, 'post', { 'troupe.privately': true }, () => reply.whisper(message));
      shown();
    },
    clipFormat: async () => (await reply.clipFormat?.()) ?? 'mp3',
    stream: (options) => {
      const watched = new WatchedAnswer(events, note);
      return watched.told(reply.stream(watched.recorded(options, jobId, answers)));
    },
    ...(rewrite && {
      rewrite: async (message, options) => {
        const watched = new WatchedAnswer(events, note);
        const live = watched.told(await rewrite(message, watched.recorded(options, jobId, answers)));
        // Before its first words: whoever deletes the message meanwhile wants none of them.
        if (!options.isBelow) await note([message]);
        return live;
      },
    }),
  };
}

/** One live answer: a single span has all its writes, however many. */
class WatchedAnswer {
  readonly #events: ReplyEvents;
  readonly #note: (messages: readonly MessageAddress[]) => Promise<void>;
  readonly #span: Span;
  #writes = 0;

  constructor(events: ReplyEvents, note: (messages: readonly MessageAddress[]) => Promise<void>) {
    this.#events = events;
    this.#note = note;
    this.#span = events.tracer.start('live answer');
  }

  recorded<Options extends StreamOptions>(options: Options, jobId: string, answers: LiveAnswers): Options {
    return {
      ...options,
      onProgress: async (progress: LiveProgress) => {
        this.#writes += 1;
        if (progress.lastText !== '') this.#events.shown();
        await answers.save(jobId, progress, 'growing');
        await options.onProgress?.(progress);
      },
    };
  }

  told(live: LiveAnswer): LiveAnswer {
    return {
      append: (delta) => live.append(delta),
      get text() {
        return live.text;
      },
      hint: (text) => live.hint(text),
      finish: (ending) => this.#finish(live, ending),
    };
  }

  async #finish(live: LiveAnswer, ending: Ending): Promise<readonly MessageAddress[]> {
    this.#events.ended(ending);
    try {
      const messages = await live.finish(ending);
      // What wasn't noted before: a file below them, or what was posted while the database was away.
      await this.#note(messages);
      this.#over({ 'troupe.messages': messages.length });
      return messages;
    } catch (error) {
      this.#over({}, faultName(error));
      throw error;
    }
  }

  #over(attributes: Attributes, fault?: string): void {
    this.#span.set({ ...attributes, 'troupe.writes': this.#writes });
    this.#span.end(fault);
  }
}

/** A job's reply. The messages of a private one are at addresses that only its requester sees, whatever is posted there later. */
export function replyFor(job: Job, reply: Reply): Reply {
  if (!isPrivate(job)) return reply;
  const hidden = (at: MessageAddress): MessageAddress => ({ ...at, onlyFor: job.requester.id });
  return {
    say: async (message, options) => hidden(await reply.say(message, options)),
    replace: (said, message) => reply.replace(said, message),
    whisper: (message) => reply.whisper(message),
    clipFormat: async () => (await reply.clipFormat?.()) ?? 'mp3',
    stream: ({ onProgress, ...options }) =>
      reply.stream({
        ...options,
        ...(onProgress && {
          onProgress: ({ messages, ...more }) => onProgress({ messages: messages.map(hidden), ...more }),
        }),
      }),
  };
}
