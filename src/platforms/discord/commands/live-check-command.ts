/** The slash command of the live check, which has a connection of its own: a running bot ignores it. */
export const liveCheckCommand = 'troupe-live-check';
