/** The slash command of the live check, which hears it on a connection of its own: a running bot leaves it alone. */
export const liveCheckCommand = 'troupe-live-check';
