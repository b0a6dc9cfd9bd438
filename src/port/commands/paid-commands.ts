import type { PaidOperation } from '../../service-rules/operations.ts';

/**
 * The command for each paid operation of the service. Whatever has to know which commands cost credits, and can't ask
 * the commands themselves, has it from here.
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
