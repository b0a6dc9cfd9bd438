import type { MessageAddress } from './address.ts';

/** What became of a command, whichever process carried it out. */
export type CommandOutcome =
  /** No command of this event is on record. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'running' }
  /** `text`: a chat answer, whole. `message`: where a result was posted, as far as that's on record. */
  | { readonly kind: 'done'; readonly text?: string; readonly message?: MessageAddress }
  /** `text`: why, in the requester's language; where that's not `onRecord`, its last message may say more. */
  | { readonly kind: 'failed'; readonly text: string; readonly onRecord: boolean };

/** Finds out what became of the command of an event. Reads records alone, so it may be asked again and again. */
export type CommandOutcomes = (eventId: string) => Promise<CommandOutcome>;
