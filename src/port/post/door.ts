import type { MessageAddress } from '../address.ts';
import type { Message, OutgoingFile } from '../commands/message.ts';
import type { Way } from './ladder.ts';

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
