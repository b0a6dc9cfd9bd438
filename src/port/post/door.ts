import type { MessageAddress } from '../address.ts';
import { type Job, parseActionId } from '../commands/command.ts';
import type { Button, Message, OutgoingFile } from '../commands/message.ts';
import type { Way } from './ladder.ts';
import { PlatformError, refusalOf } from './platform-error.ts';

/** Told of each message that something takes, once that's there and before the next is posted: none is if this rejects. */
export type OnPosted = (message: MessageAddress) => Promise<void>;

/** A way to people, as their platform opens it. */
export interface Door extends Way {
  /** Posts a message, once for each key. */
  put(message: Message, key: string, onPosted?: OnPosted): Promise<MessageAddress>;
  /** Whether posting under this key was begun, in this process or an earlier one: it may be there. No if absent. */
  isBegun?(key: string): Promise<boolean>;
  /** The largest file of a kind that it takes, in bytes. */
  maxFileBytes(kind: OutgoingFile['kind']): Promise<number>;
}

/**
 * The doors of a job whose acknowledgement may be the message of its question: nothing comes in there before that's closed,
 * which would otherwise take its place.
 */
export function afterQuestion(
  doors: readonly Door[],
  closeQuestion: () => Promise<void> = async () => {},
): readonly Door[] {
  return doors.map((door) => {
    if (door.name !== 'token' && door.name !== 'aside') return door;
    const put: Door['put'] = async (...content) => {
      await closeQuestion();
      return door.put(...content);
    };
    return { ...door, put };
  });
}

/** *Delete* among a message's buttons. */
export function deleteButtons(buttons: readonly Button[] = []): readonly Button[] {
  return buttons.filter(({ id }) => parseActionId(id)?.action === 'remove');
}

/** A message as its requester alone gets it where it was deleted: other buttons of what was deleted do nothing. */
export function withDeleteOnly(message: Message): Message {
  return message.buttons ? { ...message, buttons: deleteButtons(message.buttons) } : message;
}

/** A door behind which its requester alone gets what was deleted: theirs to delete, and to nobody else. */
export function doorForDeleted(door: Door): Door {
  const kept = (at: MessageAddress): MessageAddress => ({ ...at, isKept: true });
  const put: Door['put'] = async (message, key, onPosted) =>
    kept(await door.put(withDeleteOnly(message), key, onPosted && ((at) => onPosted(kept(at)))));
  return { ...door, put };
}

/** A door of what somebody may delete while it waits, as `deleted` tells: that's asked at each try, and nothing comes then. */
export function unlessDeleted(door: Door, deleted: () => Promise<Job['deleted']>): Door {
  const put: Door['put'] = async (...content) => {
    if (await deleted()) throw new PlatformError('deleted');
    return door.put(...content);
  };
  return { ...door, put };
}

/** Doors where somebody has deleted what stood in its place, or a door is the first to find that. */
export function doorsUnlessDeleted(doors: readonly Door[], isDeleted: boolean): readonly Door[] {
  let isGone = isDeleted;
  return doors.map((door) => {
    if (door.seenBy === 'requester') {
      const put: Door['put'] = (...content) => (isGone ? doorForDeleted(door) : door).put(...content);
      return { ...door, put };
    }
    const put: Door['put'] = async (...content) => {
      try {
        return await door.put(...content);
      } catch (error) {
        isGone ||= refusalOf(error) === 'deleted';
        throw error;
      }
    };
    return { ...door, put };
  });
}
