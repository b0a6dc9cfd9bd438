// The live check has a connection of its own: a running bot ignores its commands.

/** The slash command of the live check. */
export const liveCheckCommand = 'troupe-live-check';
/** The message command of the live check. */
export const liveCheckMessageCommand = 'troupe live check';
