import type { Capability } from '../../../src/port/index.ts';

/** Uncertain rules about what the bot does. */
interface ActionReadings {
  /** Files in the answer to an interaction if the bot lacks Attach Files (change log of June 2022). */
  interactionFiles: Capability;
  /** A file of more than 10 MiB in a server without boosts (discord-api-docs#8572). */
  uploadOver10MiB: Capability;
  /** A file as large as an interaction states (`attachment_size_limit`). */
  statedUploadLimit: Capability;
  /** A voice message if the bot's permissions allow it (50173). */
  voiceMessage: Capability;
  /** The application can be installed in servers and by people, or only in servers. */
  bothInstalls: Capability;
  /** The token of a button press reads and edits the button's older message, by its id. */
  tokenReachesOlderMessage: Capability;
  /** An edit of a message that is older than an hour (30046). */
  lateEdit: Capability;
  /** An enforced nonce whose message was deleted meanwhile makes a new one; else 10008 (discord.py#10116). */
  nonceOfDeleted: Capability;
  /** A message that is read has its nonce; otherwise only the response to the request that sent it (discord.py#2451). */
  nonceOnRead: Capability;
  /** A registered command comes back with the types of files that its options take. */
  fileTypesOnRead: Capability;
  /** A mention of the bot's own role brings the text of the message without MESSAGE_CONTENT. */
  roleMentionText: Capability;
  /** The same enforced nonce returns a follow-up again. */
  followUpNonce: Capability;
  /** A follow-up after the loading message was deleted; 10008 until 2021 (discord-api-docs#2739). */
  followUpAfterRemoval: Capability;
  /** An interaction's token writes in a locked thread (160005). */
  tokenInLockedThread: Capability;
  /** An edit that uploads what its media gallery shows (discord-api-docs#7529, open); a new message can. */
  galleryByEdit: Capability;
  /** `POST …/callback` for an interaction that was sent to the application's URL (answered with a 202). */
  callbackByHttp: Capability;
  /** The token of an interaction that was answered in the response to its request, right after that (discord-api-docs#7220). */
  tokenRightAfterResponse: Capability;
  /** Forms can have file uploads (`file_upload`, type 19). */
  formFiles: Capability;
  /** Forms can have radio buttons and boxes (types 21 to 23), which came in February 2026. */
  formBoxes: Capability;
  /** A select in a form may have somebody selected who isn't there any more, or a role that was deleted. */
  goneDefaults: Capability;
}

/** Uncertain rules about what arrives, which the bot can't find out by trying. */
interface ArrivalReadings {
  /**
   * `referenced_message` of a reply, without MESSAGE_CONTENT; `whole`: where the message replied to comes with its text
   * itself; `uncovered`: always.
   */
  referencedMessage: 'absent' | 'covered' | 'whole' | 'uncovered';
  /** `message_snapshots` of a forward, without MESSAGE_CONTENT. */
  snapshotText: Capability;
  /** `resolved` names who is mentioned in a slash option of type text (discord.js#6728). */
  namesInResolved: Capability;
  /** AutoMod doesn't apply to the bot's messages. */
  wordsPastAutoMod: Capability;
  /** `app_permissions` leaves out the permissions that a timed-out bot can't use. */
  timeOutInAppPermissions: Capability;
  /** Writing in the chat of a voice channel without Connect. */
  voiceChatWithoutConnect: Capability;
  /** The first socket of a session that another one resumes stays open, and gets nothing more. */
  formerSocket: Capability;
  /** A session that timed out (4009) can be resumed, as libraries try to. */
  timedOutSession: Capability;
}

/** How the server reads the uncertain rules. */
export type Readings = ActionReadings & ArrivalReadings;

/** The default readings. */
export const usualReadings: Readings = {
  interactionFiles: 'refused',
  uploadOver10MiB: 'refused',
  statedUploadLimit: 'works',
  voiceMessage: 'works',
  bothInstalls: 'works',
  tokenReachesOlderMessage: 'refused',
  lateEdit: 'works',
  nonceOfDeleted: 'refused',
  nonceOnRead: 'refused',
  fileTypesOnRead: 'works',
  roleMentionText: 'refused',
  followUpNonce: 'refused',
  followUpAfterRemoval: 'works',
  tokenInLockedThread: 'works',
  galleryByEdit: 'refused',
  callbackByHttp: 'works',
  tokenRightAfterResponse: 'refused',
  formFiles: 'works',
  formBoxes: 'works',
  goneDefaults: 'refused',
  referencedMessage: 'absent',
  snapshotText: 'refused',
  namesInResolved: 'refused',
  wordsPastAutoMod: 'refused',
  timeOutInAppPermissions: 'works',
  voiceChatWithoutConnect: 'refused',
  formerSocket: 'refused',
  timedOutSession: 'refused',
};

/** How the application can be installed: in servers (0), and by people for themselves (1). */
export function supportedInstalls({ bothInstalls }: Readings): readonly number[] {
  return bothInstalls === 'works' ? [0, 1] : [0];
}
