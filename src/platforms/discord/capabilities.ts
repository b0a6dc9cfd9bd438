/**
 * What Discord's documentation leaves open, or what changes there, by the name under which `Capabilities` keeps
 * what was seen. The bot tries the better way and remembers; `npm run live:check` finds out beforehand.
 */
export const discordFeatures = {
  /** A message as a reply (`message_reference`). Refused without Read Message History: 160002. Kept per server. */
  replyReference: 'reply-reference',
  /** Files of a message posted with the bot token. Refused without Attach Files: 50013. Kept per server. */
  botFiles: 'bot-files',
  /**
   * Files in the answer to an interaction where the bot lacks Attach Files: the change log of June 2022 exempts
   * them, the permissions page does not. Kept per server.
   */
  interactionFiles: 'interaction-files-without-permission',
  /** A voice message (flag 1<<13). Refused without Send Voice Messages, or by the server: 50013, 50173. Per server. */
  voiceMessage: 'voice-message',
  /** A thread under a message. Refused without Create Public Threads: 50013. Kept per server. */
  thread: 'thread',
  /**
   * A file of more than 10 MiB in a server without boosts: documented up to 20 MiB since September 2026, while the
   * API still answered 40005 (discord-api-docs#8572). Kept per server.
   */
  uploadOver10MiB: 'upload-over-10-mib',
  /**
   * `integration_types` of a command that name both installs: refused where the application supports only one.
   * Kept for all servers.
   */
  bothInstalls: 'integration-types',
  /** The token of a press reads and edits the older message its button hangs on. Kept for all servers. */
  tokenReachesOlderMessage: 'token-reaches-older-message',
  /** An edit of a message that is older than an hour; Discord limits them (30046). Kept for all servers. */
  lateEdit: 'late-edit',
  /** The same `nonce` with `enforce_nonce` gives the first message again, and posts none. Kept for all servers. */
  nonceReplay: 'nonce-replay',
  /** A mention of the bot's own role brings the text of the message without MESSAGE_CONTENT. Kept for all servers. */
  roleMentionText: 'role-mention-text',
  /** Files can be handed in with a form (`file_upload`, type 19). Kept for all servers. */
  formFiles: 'form-files',
} as const;

/** The name of a feature of Discord. */
export type DiscordFeature = (typeof discordFeatures)[keyof typeof discordFeatures];
