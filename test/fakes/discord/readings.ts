import type { Capability } from '../../../src/port/index.ts';

/** What is uncertain about what the bot does, and it does without knowing. */
interface ActionReadings {
  /** Files in the answer to an interaction where the bot lacks Attach Files (change log of June 2022). */
  interactionFiles: Capability;
  /** A file of more than 10 MiB in a server without boosts (discord-api-docs#8572). */
  uploadOver10MiB: Capability;
  /** A file as large as an interaction states (`attachment_size_limit`). */
  statedUploadLimit: Capability;
  /** A voice message where the bot's permissions allow it (50173). */
  voiceMessage: Capability;
  /** The application can be installed in servers and by people; else in servers alone. */
  bothInstalls: Capability;
  /** The token of a press reads and edits the older message its button hangs on, by its id. */
  tokenReachesOlderMessage: Capability;
  /** An edit of a message that is older than an hour (30046). */
  lateEdit: Capability;
  /** The same enforced nonce gives the first message again. */
  nonceReplay: Capability;
  /** An enforced nonce whose message was deleted meanwhile makes a new one; else 10008 (discord.py#10116). */
  nonceOfDeleted: Capability;
  /** A message that is read has its nonce; else only the answer to the request that sent it does (discord.py#2451). */
  nonceOnRead: Capability;
  /** A mention of the bot's own role brings the text of the message without MESSAGE_CONTENT. */
  roleMentionText: Capability;
  /** A sixth follow-up of an app that only a person installed (40094). */
  followUpsElsewhere: Capability;
  /** The same enforced nonce gives a follow-up again. */
  followUpNonce: Capability;
  /** A follow-up after the loading message was deleted; 10008 until 2021 (discord-api-docs#2739). */
  followUpAfterRemoval: Capability;
  /** An interaction's token writes in a locked thread (160005). */
  tokenInLockedThread: Capability;
  /** Files can be handed in with a form (`file_upload`, type 19). */
  formFiles: Capability;
}

/** What is uncertain about what arrives; the bot can't find it out by trying. */
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
  /** AutoMod lets the bot's messages through. */
  wordsPastAutoMod: Capability;
  /** `app_permissions` leaves out what a bot that is timed out may not do. */
  timeOutInAppPermissions: Capability;
  /** Writing in the chat of a voice channel without Connect. */
  voiceChatWithoutConnect: Capability;
}

/** How the server reads what Discord's documentation leaves open. */
export type Readings = ActionReadings & ArrivalReadings;

/** What a server does where its test says nothing else. */
export const usualReadings: Readings = {
  interactionFiles: 'refused',
  uploadOver10MiB: 'refused',
  statedUploadLimit: 'works',
  voiceMessage: 'works',
  bothInstalls: 'works',
  tokenReachesOlderMessage: 'refused',
  lateEdit: 'works',
  nonceReplay: 'works',
  nonceOfDeleted: 'refused',
  nonceOnRead: 'refused',
  roleMentionText: 'refused',
  followUpsElsewhere: 'refused',
  followUpNonce: 'refused',
  followUpAfterRemoval: 'works',
  tokenInLockedThread: 'works',
  formFiles: 'works',
  referencedMessage: 'absent',
  snapshotText: 'refused',
  namesInResolved: 'refused',
  wordsPastAutoMod: 'refused',
  timeOutInAppPermissions: 'works',
  voiceChatWithoutConnect: 'refused',
};

/** Where the application may be installed: in servers (0), and by people for themselves (1). */
export function supportedInstalls({ bothInstalls }: Readings): readonly number[] {
  return bothInstalls === 'works' ? [0, 1] : [0];
}
