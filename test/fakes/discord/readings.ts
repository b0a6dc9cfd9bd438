import type { discordFeatures } from '../../../src/platforms/discord/capabilities.ts';
import type { Capability } from '../../../src/port/index.ts';

/** Features that hang on permissions alone are switched by permissions. */
type Permitted = 'replyReference' | 'botFiles' | 'voiceMessage' | 'thread';

/** What is uncertain about what arrives; the bot can't find it out by trying. */
interface ArrivalReadings {
  /** `referenced_message` of a reply, without MESSAGE_CONTENT. */
  referencedMessage: 'absent' | 'covered' | 'whole';
  /** `message_snapshots` of a forward, without MESSAGE_CONTENT. */
  snapshotText: Capability;
  /** `resolved` names who is mentioned in a slash option of type text (discord.js#6728). */
  namesInResolved: Capability;
  /** AutoMod lets the bot's messages through. */
  wordsPastAutoMod: Capability;
  /** Writing in the chat of a voice channel without Connect. */
  voiceChatWithoutConnect: Capability;
}

/** How the server reads what Discord's documentation leaves open, by the names of `discordFeatures`. */
export type Readings = Record<Exclude<keyof typeof discordFeatures, Permitted>, Capability> & ArrivalReadings;

/** What a server does where its test says nothing else. */
export const usualReadings: Readings = {
  interactionFiles: 'refused',
  uploadOver10MiB: 'refused',
  bothInstalls: 'works',
  tokenReachesOlderMessage: 'refused',
  lateEdit: 'works',
  nonceReplay: 'works',
  roleMentionText: 'refused',
  formFiles: 'works',
  referencedMessage: 'absent',
  snapshotText: 'refused',
  namesInResolved: 'refused',
  wordsPastAutoMod: 'refused',
  voiceChatWithoutConnect: 'refused',
};

/** Where the application may be installed: in servers (0), and by people for themselves (1). */
export function supportedInstalls({ bothInstalls }: Readings): readonly number[] {
  return bothInstalls === 'works' ? [0, 1] : [0];
}
