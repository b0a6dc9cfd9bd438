/**
 * What Slack’s documentation leaves open, or what differs between workspaces; by the names that `Capabilities`
 * stores. The bot tries the better way and remembers the result; `npm run live:check` finds it out beforehand. All
 * are stored per workspace.
 */
export const slackFeatures = {
  /** `chat.startStream` with chunks in a direct message with the bot. */
  streamInDirectMessage: 'stream-in-direct-message',
  /** `chat.stopStream` with blocks, such as the buttons under an answer. */
  blocksAtStreamStop: 'blocks-at-stream-stop',
  /** `markdown` blocks in a message posted with the token. */
  markdownBlock: 'markdown-block',
  /** A `context_actions` block with `feedback_buttons` in a message or at the end of a stream. */
  feedbackButtons: 'feedback-buttons',
  /** `loading_messages` of the status ("is thinking…"). */
  loadingMessages: 'loading-messages',
  /** `agents.sessions.setStatus` and `rename` in direct messages. */
  agentSessions: 'agent-sessions',
  /** The same in threads of channels. */
  agentSessionsInChannel: 'agent-sessions-in-channel',
  /** The event `agent_session_stopped`, without which sessions have no Stop button. */
  stopEvent: 'stop-event',
  /** `views.publish`: the Home tab, off in an older app’s settings. */
  homeTab: 'home-tab',
  /** An `image` block of a `slack_file` that was never shared. */
  slackFileImage: 'slack-file-image',
  /** `conversations.replies` and `history` more than once a minute, with pages of more than 15 messages. */
  quickHistory: 'quick-history',
  /** Files of a type, where administrators chose them (`allowed_file_upload_types`). */
  mp3File: 'file-mp3',
  oggFile: 'file-ogg',
  wavFile: 'file-wav',
  pngFile: 'file-png',
  mp4File: 'file-mp4',
} as const;

/** The name of a feature of Slack. */
export type SlackFeature = (typeof slackFeatures)[keyof typeof slackFeatures];
