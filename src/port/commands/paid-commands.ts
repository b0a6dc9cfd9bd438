import type { PaidOperation } from '../../service-rules/operations.ts';

/**
 * The command for each paid operation of the service. Code that needs to know which commands cost credits, and
 * can't ask the commands themselves, reads it here.
 */
export const commandFor = {
  chat: 'ask',
  speech: 'speak',
  image: 'imagine',
  video: 'video',
} as const satisfies Record<PaidOperation, string>;

export type PaidCommandName = (typeof commandFor)[PaidOperation];

/** In the order in which they're shown. */
export const paidCommandNames: readonly PaidCommandName[] = Object.values(commandFor);
