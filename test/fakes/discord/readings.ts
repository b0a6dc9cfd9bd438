import type { discordFeatures } from '../../../src/platforms/discord/api/errors.ts';
import type { Capability } from '../../../src/port/index.ts';

const usually = <Reading = Capability>(reading: NoInfer<Reading>): Reading => reading;

/**
 * What Discord’s documentation leaves open, and how the server reads it where its test says nothing else. The page of
 * facts lists these (`docs/facts.md`); those without a comment have one in `src/platforms/discord/api/errors.ts`.
 */
export const usualReadings = {
  voiceMessage: usually('works'),
  uploadOver10MiB: usually('refused'),
  galleryByEdit: usually('refused'),
  followUpNonce: usually('refused'),
  /** Files in an interaction’s answer, without Attach Files (change log of June 2022) */
  interactionFiles: usually('refused'),
  /** A file of an interaction’s `attachment_size_limit` */
  statedUploadLimit: usually('works'),
  /** Installation by people themselves */
  bothInstalls: usually('works'),
  /** A press’s token, for the older message with the button */
  tokenReachesOlderMessage: usually('refused'),
  /** An edit of a message older than an hour (30046) */
  lateEdit: usually('works'),
  /** A new message under a deleted one’s enforced nonce, instead of 10008 (discord.py#10116) */
  nonceOfDeleted: usually('refused'),
  /** A message’s nonce, read later (discord.py#2451) */
  nonceOnRead: usually('refused'),
  /** An option’s file types, read back */
  fileTypesOnRead: usually('works'),
  /** Text mentioning the bot’s role, without Message Content (hermes-agent#67876) */
  roleMentionText: usually('refused'),
  /** A follow-up after the loading message was deleted; 10008 until 2021 (discord-api-docs#2739) */
  followUpAfterRemoval: usually('works'),
  /** An interaction’s token in a locked thread (50083, discord-api-docs#6884) */
  tokenInLockedThread: usually('works'),
  /** Deletion in an archived thread (50083, undiscord#399) */
  deleteInArchivedThread: usually('works'),
  /** Form errors by token, coded (discord-api-docs#7550) */
  codedFormErrors: usually('works'),
  /** A callback to an interaction that came over HTTP */
  callbackByHttp: usually('works'),
  /** An interaction’s token right after the response over HTTP; 10015 for seconds (discord-api-docs#7220) */
  tokenRightAfterResponse: usually('refused'),
  /** File uploads in forms (19) */
  formFiles: usually('works'),
  /** Radio buttons and checkboxes in forms (21–23) */
  formBoxes: usually('works'),
  /** A form preselecting deleted roles or people who left */
  goneDefaults: usually('refused'),
  /**
   * `referenced_message` of a reply without Message Content: `absent`, without text (`covered`), with text that comes
   * by itself (`whole`), or always (`uncovered`)
   */
  referencedMessage: usually<'absent' | 'covered' | 'whole' | 'uncovered'>('absent'),
  /** A forward’s text, without Message Content */
  snapshotText: usually('refused'),
  /** People mentioned in a text option, in `resolved` (discord.js#6728) */
  namesInResolved: usually('refused'),
  /** Words that AutoMod blocks (200000, in titles 200001), from bots */
  wordsPastAutoMod: usually('refused'),
  /** `app_permissions` without those taken by a time-out (discord-api-docs#6847) */
  timeOutInAppPermissions: usually('works'),
  /** A voice channel’s chat without Connect */
  voiceChatWithoutConnect: usually('refused'),
  /** A session’s first socket, once another resumes it */
  formerSocket: usually('refused'),
  /** Resuming a timed-out session (4009) */
  timedOutSession: usually('refused'),
} satisfies Record<keyof typeof discordFeatures, Capability> & Record<string, string>;

/** How the server reads what’s open. */
export type Readings = typeof usualReadings;

/** How the application can be installed: in servers (0), and by people for themselves (1). */
export function supportedInstalls({ bothInstalls }: Readings): readonly number[] {
  return bothInstalls === 'works' ? [0, 1] : [0];
}
