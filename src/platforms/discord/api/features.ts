/**
 * Features that Discord's documentation leaves open or that are changing, by their names in `Capabilities`. The bot tries
 * the better way and remembers the outcome, per server unless noted; `npm run live:check` finds out beforehand. What
 * depends only on permissions isn't listed: those are known.
 */
export const discordFeatures = {
  /** Voice messages (flag 1<<13), which Discord may refuse despite the permissions (50173). */
  voiceMessage: 'voice-message',
  /**
   * Files of more than 10 MiB in a server without boosts: documented up to 20 MiB since September 2026, but the API
   * still answered 40005 (discord-api-docs#8572).
   */
  uploadOver10MiB: 'upload-over-10-mib',
  /** A gallery of files that the same edit uploads (discord-api-docs#7529); a new message can have one. */
  galleryByEdit: 'gallery-by-edit',
  /** A follow-up returned again by its enforced nonce; the same in all servers, and found out only by the live check. */
  followUpNonce: 'follow-up-nonce',
} as const;
