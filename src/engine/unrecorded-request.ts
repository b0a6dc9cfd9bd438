import { type WatchedCommand, whenAbandoned } from './command-watch.ts';

/** A question or a button press is not recorded itself: the command that it leads to is, when it starts. */
export function unrecordedRequest(watched?: WatchedCommand) {
  return {
    record: async () => true,
    abandon: async (why?: 'refused') => watched?.ended(whenAbandoned(why)),
  };
}
