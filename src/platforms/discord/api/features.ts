/**
 * What Discord's documentation leaves open, or what changes there, where the bot goes by what was seen; by the name
 * under which `Capabilities` keeps it. The bot tries the better way and remembers; `npm run live:check` finds out
 * beforehand. Kept per server, where nothing else is said. What hangs on permissions alone is seen from those.
 */
export const discordFeatures = {
  /** A voice message (flag 1<<13), where the permissions allow it and Discord still refuses: 50173. */
  voiceMessage: 'voice-message',
  /**
   * A file of more than 10 MiB in a server without boosts: documented up to 20 MiB since September 2026, while the
   * API still answered 40005 (discord-api-docs#8572).
   */
  uploadOver10MiB: 'upload-over-10-mib',
  /** The same enforced nonce gives a follow-up again. The same for all servers, and known from the live check alone. */
  followUpNonce: 'follow-up-nonce',
} as const;

/** The name of a feature of Discord. */
export type DiscordFeature = (typeof discordFeatures)[keyof typeof discordFeatures];
