import type { Ending } from '../../reply/index.ts';
import type { LiveAnswer, LiveProgress, Reply, StreamOptions } from '../commands/reply.ts';
import type { LiveAnswers } from './dispatcher-dependencies.ts';

/** A reply whose answers are on record until the job has ended; `ended` is told how each live answer ended. */
export function recordedReply(
  reply: Reply,
  jobId: string,
  answers: LiveAnswers,
  ended: (ending: Ending) => void,
): Reply {
  const rewrite = reply.rewrite?.bind(reply);
  return {
    say: async (message) => {
      const said = await reply.say(message);
      // People have it: that it cannot be written down must not look as if they had not.
      await answers.save(jobId, { messages: [said], lastText: message.text ?? '' }, 'said').catch(() => {});
      return said;
    },
    whisper: (message) => reply.whisper(message),
    clipFormat: async () => (await reply.clipFormat?.()) ?? 'mp3',
    stream: (options) => told(reply.stream(recorded(options, jobId, answers)), ended),
    ...(rewrite && {
      rewrite: async (message, options) =>
        told(await rewrite(message, recorded(options, jobId, answers)), ended),
    }),
  };
}

function recorded<Options extends StreamOptions>(
  options: Options,
  jobId: string,
  answers: LiveAnswers,
): Options {
  return {
    ...options,
    onProgress: async (progress: LiveProgress) => {
      await answers.save(jobId, progress, 'growing');
      await options.onProgress?.(progress);
    },
  };
}

function told(live: LiveAnswer, ended: (ending: Ending) => void): LiveAnswer {
  return {
    append: (delta) => live.append(delta),
    get text() {
      return live.text;
    },
    hint: (text) => live.hint(text),
    finish(ending) {
      ended(ending);
      return live.finish(ending);
    },
  };
}
