/**
 * How long something may take that a test waits for, and how often it looks, in milliseconds. A machine that's busy with
 * other things takes its time; a test that needs it is a bad one. `expect.poll` has it from vitest.config.ts.
 */
export const patience = { timeout: 120_000, interval: 10 };
