import type { Clock } from '../../lib/clock.ts';
import { type Address, answerKey, type MessageAddress, noticeKey, type Reply } from '../../port/index.ts';
import { type Ending, LiveReply, Pacer } from '../../reply/index.ts';
import type { TerminalAdapter } from './adapter.ts';

/** Answers one event: its id makes the keys, so that nothing is posted twice. */
export function createReply(
  adapter: TerminalAdapter,
  clock: Clock,
  address: Address,
  eventId: string,
): Reply {
  let said = 0;
  const nextKey = () => answerKey(eventId, said++);
  return {
    say: (message) => adapter.post(address, message, nextKey()),
    replace: (posted, message) => adapter.edit(posted, message),
    // Nobody else reads this terminal.
    whisper: async (message) => {
      await adapter.post(address, message, noticeKey(eventId, message.text));
    },
    stream({ buttons, onProgress }) {
      const key = nextKey();
      const content = (text: string, phase: string, ending: Ending | undefined) => ({
        text,
        buttons: phase === 'closed' ? [] : buttons(ending),
      });
      return new LiveReply<MessageAddress>({
        sink: {
          maxLength: 4_000,
          post: (text, { index, phase, ending }) =>
            adapter.post(address, content(text, phase, ending), `${key}:${index}`),
          edit: (at, text, { phase, ending }) => adapter.edit(at, content(text, phase, ending)),
        },
        pacer: new Pacer(clock, { limit: 1, window: 1_000 }),
        clock,
        ...(onProgress && {
          onProgress: ({ handles, lastText }) => onProgress({ messages: handles, lastText }),
        }),
      });
    },
  };
}
