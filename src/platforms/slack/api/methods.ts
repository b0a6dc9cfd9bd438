import type { Rate } from '../../../reply/index.ts';

/** How often a Web API method may be called, and whether a call that got no response may be repeated. */
export interface MethodRules {
  /** The limit, over a slightly longer time than Slack’s, because calls take different times to arrive. */
  readonly rate: Rate;
  readonly by: 'workspace' | 'channel';
  /** `again`: doing it twice changes nothing. `once`: it creates something; look for it before repeating. */
  readonly repeat: 'again' | 'once';
}

const perMinute = { 2: 20, 3: 50, 4: 100 } as const;
const tier = (of: keyof typeof perMinute, repeat: MethodRules['repeat'] = 'again'): MethodRules => ({
  rate: { limit: perMinute[of], window: 61_000 },
  by: 'workspace',
  repeat,
});

/** The methods troupe calls, with the rate limits of each one's page in Slack's documentation. */
export const methods = {
  'agents.sessions.rename': tier(3),
  'agents.sessions.setStatus': tier(3),
  'assistant.threads.setStatus': { rate: { limit: 600, window: 61_000 }, by: 'workspace', repeat: 'again' },
  'assistant.threads.setSuggestedPrompts': tier(4),
  'assistant.threads.setTitle': tier(4),
  'chat.appendStream': tier(4, 'once'),
  'chat.delete': tier(3),
  'chat.getPermalink': { rate: { limit: 200, window: 61_000 }, by: 'workspace', repeat: 'again' },
  'chat.postEphemeral': tier(4),
  // One a second; there is no burst to rely on.
  'chat.postMessage': { rate: { limit: 1, window: 1_050 }, by: 'channel', repeat: 'once' },
  'chat.startStream': tier(2, 'once'),
  'chat.stopStream': tier(2, 'once'),
  // Tier 3, 50 a minute: one in 1.2 s, because all live replies of a workspace share it.
  'chat.update': { rate: { limit: 1, window: 1_250 }, by: 'workspace', repeat: 'again' },
  'conversations.join': tier(3),
  'conversations.history': tier(3),
  'conversations.info': tier(3),
  'conversations.members': tier(4),
  'conversations.open': tier(3),
  'conversations.replies': tier(3),
  'files.completeUploadExternal': tier(4, 'once'),
  'files.delete': tier(3),
  'files.getUploadURLExternal': tier(4),
  'files.info': tier(4),
  // A second time is refused with `execution_not_in_running_state`.
  'functions.completeError': tier(3),
  'functions.completeSuccess': tier(3),
  'usergroups.list': tier(2),
  'users.info': tier(4),
  // A second try with the same trigger is refused.
  'views.open': tier(4, 'once'),
  'views.publish': tier(4),
  'views.push': tier(4, 'once'),
  'views.update': tier(4),
} as const satisfies Record<string, MethodRules>;

export type Method = keyof typeof methods;
