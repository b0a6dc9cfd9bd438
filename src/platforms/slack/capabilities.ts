/**
 * What Slack's documentation leaves open, or what differs between workspaces, by the name under which
 * `Capabilities` keeps what was seen. The bot tries the better way and remembers; `npm run live:check` finds out
 * beforehand. All are kept per workspace.
 */
export const slackFeatures = {
  /** `chat.startStream` with chunks in a direct message with the bot. */
  streamInDirectMessage: 'stream-in-direct-message',
  /** `chat.startStream` in a channel; some workspaces answer `channel_type_not_supported`. */
  streamInChannel: 'stream-in-channel',
  /** `chat.startStream` without `thread_ts` in a channel, as newer documentation has it. */
  streamWithoutThread: 'stream-without-thread',
  /** A stream that is opened with a block of buttons (Stop) among its chunks or beside them. */
  buttonAtStreamStart: 'button-at-stream-start',
  /** `chat.stopStream` with blocks, such as the buttons under an answer. */
  blocksAtStreamStop: 'blocks-at-stream-stop',
  /** `chat.update` of a stream that has ended; else `block_mismatch`. */
  editAfterStop: 'edit-after-stop',
  /** `markdown` blocks in a message that is posted with the token. */
  markdownBlock: 'markdown-block',
  /** `markdown` blocks over a `response_url`; incoming webhooks answer 500 to them. */
  markdownOverResponseUrl: 'markdown-over-response-url',
  /** `loading_messages` of the status ("is thinking…"). */
  loadingMessages: 'loading-messages',
  /** `agents.sessions.setStatus` and `rename`. */
  agentSessions: 'agent-sessions',
  /** An `image` block of a `slack_file` that was uploaded and never shared. */
  slackFileImage: 'slack-file-image',
  /** A finished upload shows up as shared (`files.info`) by itself; else it is uploaded anew. */
  uploadIsShared: 'upload-is-shared',
  /** `conversations.replies` more than once a minute: internal and Marketplace apps. */
  quickHistory: 'quick-history',
} as const;

/** The name of a feature of Slack. */
export type SlackFeature = (typeof slackFeatures)[keyof typeof slackFeatures];
