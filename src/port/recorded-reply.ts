import type { LiveAnswers } from './dispatcher-parts.ts';
import type { LiveAnswer, Reply, StreamOptions } from './reply.ts';

/** A reply whose live answers are on record while they grow. */
export function recordedReply(reply: Reply, jobId: string, answers: LiveAnswers): Reply {
  return {
    say: (message) => reply.say(message),
    whisper: (message) => reply.whisper(message),
    stream: (options) => recordedStream(reply, options, jobId, answers),
  };
}

function recordedStream(
  reply: Reply,
  options: StreamOptions,
  jobId: string,
  answers: LiveAnswers,
): LiveAnswer {
  return reply.stream({
    ...options,
    onProgress: async (progress) => {
      await answers.save(jobId, progress);
      await options.onProgress?.(progress);
    },
  });
}
