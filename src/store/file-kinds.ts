/** What the bot keeps files of; also the names of their folders. */
export const fileKinds = ['spool', 'versions', 'console-files'] as const;

/**
 * `spool`: results until they're posted; `versions`: images that their message doesn't show at the moment;
 * `console-files`: what the console's messages have.
 */
export type FileKind = (typeof fileKinds)[number];
