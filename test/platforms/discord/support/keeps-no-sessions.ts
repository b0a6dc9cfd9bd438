import type { GatewayDependencies } from '../../../../src/platforms/discord/connection/gateway.ts';

/** For a gateway that always logs in anew. */
export const keepsNoSessions: Pick<GatewayDependencies, 'sessions' | 'settings' | 'onTakenUp'> = {
  sessions: { take: async () => new Map(), mayResume: async () => true, changed() {}, async leave() {} },
  settings: [],
  onTakenUp() {},
};
