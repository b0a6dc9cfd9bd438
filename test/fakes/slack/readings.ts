import type { slackFeatures } from '../../../src/platforms/slack/api/features.ts';
import type { Capability } from '../../../src/port/index.ts';
import { Failure } from './http/failure.ts';

/** What is uncertain, and the bot does without: nothing of it has to be remembered. */
interface OtherReadings {
  /** `chat.startStream` in a channel; some workspaces answer `channel_type_not_supported`. */
  streamInChannel: Capability;
  /** `chat.update` of a stream that has ended; else `block_mismatch`. */
  editAfterStop: Capability;
  /** `markdown` blocks over a `response_url`; incoming webhooks answer 500 to them. */
  markdownOverResponseUrl: Capability;
  /** `files.getUploadURLExternal` refuses a kind of file; else only `files.completeUploadExternal` does. */
  fileKindToldEarly: Capability;
  /** `chat.stopStream` of a stream that shows nothing; else `no_text`. */
  emptyStreamStop: Capability;
  /** `users.info` has `is_stranger` for people of other workspaces, besides their own `team_id`. */
  strangerTold: Capability;
  /** Groups in a command come with their ids (`should_escape`). */
  escapedGroups: Capability;
  /** An image block of a `slack_file` that was never shared shows it to everybody, not to the bot alone. */
  slackFileSeenByAll: Capability;
  /** The same where the block came by chat.update; else others see none (java-slack-sdk#1441). */
  slackFileSeenAfterEdit: Capability;
  /** Warnings are in `warning` too; otherwise only in `response_metadata.warnings`. */
  warningAtTop: Capability;
  /** The length of a message’s blocks counts in characters; else in bytes, of which Chinese has three each. */
  blocksInCharacters: Capability;
  /** `conversations.info` tells of settings that keep the bot from posting; else its posts are refused unannounced. */
  channelSettingsTold: Capability;
  /** Markdown blocks come back as they were sent; else as `rich_text`. */
  markdownGivenBack: Capability;
  /** A step's own token lives as long as the step; else for 15 minutes. */
  stepTokenLives: Capability;
  /** The bot's own token ends a step, too; else `function_execution_not_found`. */
  stepByBotToken: Capability;
  /** Messages that have files describe them; else, in Slack Connect, they have `file_access: check_file_info`. */
  filesInMessages: Capability;
  /** An image block that Slack gave back is taken again, with all that Slack added (python-slack-sdk#1511). */
  imageSentBack: Capability;
  /** Slack takes plain words such as `@here` for mentions, except in `mrkdwn` with `verbatim` ("automatic parsing"). */
  plainNamesParsed: Capability;
  /** A mention with files comes as `app_mention`, too; else as `message` alone (bolt-python#925). */
  mentionWithFiles: Capability;
  /** `chat.delete` of the bot's own message in a public channel where it isn't a member; else `cant_delete_message`. */
  deleteWhereAbsent: Capability;
}

/** How the server reads what Slack's documentation leaves open, by the names of `slackFeatures` and others. */
export type Readings = Record<keyof typeof slackFeatures, Capability> & OtherReadings;

/** What a server does where its test says nothing else. */
export const usualReadings: Readings = {
  streamInDirectMessage: 'works',
  streamInChannel: 'refused',
  blocksAtStreamStop: 'works',
  editAfterStop: 'refused',
  markdownBlock: 'works',
  feedbackButtons: 'works',
  markdownOverResponseUrl: 'refused',
  loadingMessages: 'works',
  agentSessions: 'works',
  agentSessionsInChannel: 'works',
  stopEvent: 'works',
  homeTab: 'works',
  slackFileImage: 'works',
  mp3File: 'works',
  oggFile: 'works',
  wavFile: 'works',
  pngFile: 'works',
  mp4File: 'works',
  fileKindToldEarly: 'works',
  emptyStreamStop: 'refused',
  strangerTold: 'works',
  escapedGroups: 'works',
  slackFileSeenByAll: 'works',
  slackFileSeenAfterEdit: 'refused',
  warningAtTop: 'works',
  blocksInCharacters: 'works',
  channelSettingsTold: 'works',
  markdownGivenBack: 'works',
  stepTokenLives: 'works',
  stepByBotToken: 'works',
  quickHistory: 'works',
  filesInMessages: 'works',
  imageSentBack: 'refused',
  plainNamesParsed: 'works',
  mentionWithFiles: 'works',
  deleteWhereAbsent: 'works',
};

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
};

/** Refuses what this server does not allow. */
export function needReading(readings: Readings, feature: keyof typeof codes): void {
  if (readings[feature] === 'refused') throw new Failure(codes[feature] ?? 'not_allowed');
}
