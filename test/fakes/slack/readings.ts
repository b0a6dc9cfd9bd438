import type { slackFeatures } from '../../../src/platforms/slack/api/errors.ts';
import type { Capability } from '../../../src/port/index.ts';
import { Failure } from './http/failure.ts';

const usually = (reading: Capability): Capability => reading;

/**
 * What Slack’s documentation leaves open, and how the server reads it where its test says nothing else. The page of
 * facts lists these (`docs/facts.md`); those without a comment have one in `src/platforms/slack/api/errors.ts`.
 */
export const usualReadings = {
  streamInDirectMessage: usually('works'),
  blocksAtStreamStop: usually('works'),
  markdownBlock: usually('works'),
  feedbackButtons: usually('works'),
  loadingMessages: usually('works'),
  agentSessions: usually('works'),
  agentSessionsInChannel: usually('works'),
  stopEvent: usually('works'),
  homeTab: usually('works'),
  slackFileImage: usually('works'),
  quickHistory: usually('works'),
  mp3File: usually('works'),
  oggFile: usually('works'),
  wavFile: usually('works'),
  pngFile: usually('works'),
  mp4File: usually('works'),
  /**
   * `chat.startStream` in a channel, live for only one person; else `channel_type_not_supported`
   * (integration-templates#676, agentconnect#1494)
   */
  streamInChannel: usually('refused'),
  /** `chat.update` of an ended stream; else `block_mismatch` (hermes-agent#109525) */
  editAfterStop: usually('refused'),
  /** `chat.stopStream` of an empty stream; else `no_text` */
  emptyStreamStop: usually('refused'),
  /** A `markdown` block over a `response_url`; incoming webhooks give an empty 500 (gofish-graphics#602) */
  markdownOverResponseUrl: usually('refused'),
  /** A `markdown` block read back as sent; else as `rich_text` */
  markdownGivenBack: usually('works'),
  /** A forbidden type’s refusal by `files.getUploadURLExternal`; else only by `files.completeUploadExternal` */
  fileKindToldEarly: usually('works'),
  /** An image block of a never shared file, as others see it (bolt-python#1251) */
  slackFileSeenByAll: usually('works'),
  /**
   * An image block of a never shared file, after `chat.update` (java-slack-sdk#1441, node-slack-sdk#2100,
   * bolt-python#1295)
   */
  slackFileSeenAfterEdit: usually('refused'),
  /** An image block sent back with Slack’s size and URL (bolt-js#1841, python-slack-sdk#1511) */
  imageSentBack: usually('refused'),
  /** A message’s files in Slack Connect; else `file_access: check_file_info` */
  filesInMessages: usually('works'),
  /** `is_stranger` in `users.info`, for other workspaces’ people */
  strangerTold: usually('works'),
  /** Groups’ ids in a command (`should_escape`) */
  escapedGroups: usually('works'),
  /** Plain words such as `@here` as mentions, except in `mrkdwn` with `verbatim` (node-slack-sdk#662) */
  plainNamesParsed: usually('works'),
  /** `app_mention` for a mention with files; else only `message` (bolt-python#925) */
  mentionWithFiles: usually('works'),
  /** A call’s warnings in `warning`, besides `response_metadata.warnings` */
  warningAtTop: usually('works'),
  /** 13,200 characters of blocks a message; else as many bytes */
  blocksInCharacters: usually('works'),
  /** Settings against the bot’s posts in `conversations.info`; else only refusals */
  channelSettingsTold: usually('works'),
  /** An organization channel’s workspaces in `internal_team_ids` of `conversations.info`; else none */
  channelWorkspacesTold: usually('works'),
  /**
   * `stopped_by_user` for a stream stopped by a person; else `message_not_in_streaming_state` (agentconnect#1483,
   * actual-chat#4720)
   */
  streamStopTold: usually('works'),
  /** `chat.delete` in a public channel without the bot; else `cant_delete_message` */
  deleteWhereAbsent: usually('works'),
  /** `chat.delete` in an archived channel; else `is_inactive` */
  deleteWhereArchived: usually('works'),
  /** `chat.update` in a public channel without the bot; else `cant_update_message` */
  updateWhereAbsent: usually('refused'),
  /** A reply’s `thread_ts` in its response */
  threadInResponse: usually('works'),
  /** A step’s token as long as the step; else 15 minutes (ChatGPT-in-Slack#75) */
  stepTokenLives: usually('works'),
  /** Ending a step with the bot’s token; else `function_execution_not_found` */
  stepByBotToken: usually('works'),
} satisfies Record<keyof typeof slackFeatures, Capability> & Record<string, Capability>;

/** How the server reads what’s open. */
export type Readings = typeof usualReadings;

/** Slack’s error codes, by report or documentation, where it refuses. */
const codes: Partial<Record<keyof Readings, string>> = {
  streamInDirectMessage: 'channel_type_not_supported',
  streamInChannel: 'channel_type_not_supported',
  blocksAtStreamStop: 'invalid_blocks',
  editAfterStop: 'block_mismatch',
  markdownBlock: 'invalid_blocks',
  feedbackButtons: 'invalid_blocks',
  loadingMessages: 'invalid_arguments',
  agentSessions: 'unknown_method',
  agentSessionsInChannel: 'channel_type_not_supported',
  homeTab: 'not_enabled',
  slackFileImage: 'invalid_blocks',
  emptyStreamStop: 'no_text',
  stepByBotToken: 'function_execution_not_found',
  deleteWhereAbsent: 'cant_delete_message',
  deleteWhereArchived: 'is_inactive',
  updateWhereAbsent: 'cant_update_message',
};

/** Refuses what this server does not allow. */
export function needReading(readings: Readings, feature: keyof typeof codes): void {
  if (readings[feature] === 'refused') throw new Failure(codes[feature] ?? 'not_allowed');
}
