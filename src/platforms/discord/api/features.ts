/**
 * Features that Discord's documentation leaves open or that are changing, by their names in `Capabilities`. The bot tries
 * the better way and remembers the outcome, per server unless noted; `npm run live:check` finds out beforehand. What
 * depends only on permissions isn't listed: those are known.
 */
export const discordFeatures = {
  /** Voice messages (flag 1<<13): Discord may refuse them although the permissions allow them (50173). */
  voiceMessage: 'voice-message',
  /**
   * Files of more than 10 MiB in a server without boosts: documented up to 20 MiB since September 2026, while the API
   * still answered 40005 (discord-api-docs#8572).
   */
  uploadOver10MiB: 'upload-over-10-mib',
  /** A media gallery of files that the same edit uploads (discord-api-docs#7529); a new message can have one. */
  galleryByEdit: 'gallery-by-edit',
  /** An enforced nonce returns a follow-up again. For all servers alike, and found out by the live check only. */
  followUpNonce: 'follow-up-nonce',
} as const;
