import { skipped } from './step.ts';

/** Nobody said that they would help. */
export const noHelper = skipped('takes a person: run it again with --with-me');
/** Somebody said so, and did not come. */
export const notDoneInTime = skipped('nobody did it in time');
