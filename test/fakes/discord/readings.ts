import type { discordFeatures } from '../../../src/platforms/discord/capabilities.ts';
import type { Capability } from '../../../src/port/index.ts';

/** Features that hang on permissions alone are switched by permissions. */
type Permitted = 'replyReference' | 'botFiles' | 'voiceMessage' | 'thread';

/** How the server reads what Discord's documentation leaves open, by the names of `discordFeatures`. */
export type Readings = Record<Exclude<keyof typeof discordFeatures, Permitted>, Capability>;

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
};

/** Where the application may be installed: in servers (0), and by people for themselves (1). */
export function supportedInstalls({ bothInstalls }: Readings): readonly number[] {
  return bothInstalls === 'works' ? [0, 1] : [0];
}
