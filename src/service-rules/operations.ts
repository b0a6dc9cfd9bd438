/** The service's operations that cost credits (description, section 8); the ledger and `/usage` call them the same. */
export const paidOperations = ['chat', 'speech', 'image', 'video'] as const;
export type PaidOperation = (typeof paidOperations)[number];
