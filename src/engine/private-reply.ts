import { isPrivate, type Job, type MessageAddress, type Reply } from '../port/index.ts';

/** A job's reply. The messages of a private one are at addresses for its requester alone, whatever is posted there later. */
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
