// The live check has a connection of its own: a running bot ignores its commands.

/** The slash command of the live check. */
export const liveCheckCommand = 'troupe-live-check';
/** The message command of the live check. */
export const liveCheckMessageCommand = 'troupe live check';
/** The slash command that it tries in a private thread. */
export const liveCheckThreadCommand = 'troupe-live-check-thread';
