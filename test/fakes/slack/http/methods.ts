import { completeStep, failStep } from '../events/steps.ts';
import { setStatus, setSuggestedPrompts, setTitle } from '../messages/assistant.ts';
import {
  conversationInfo,
  history,
  joinConversation,
  members,
  openConversation,
  replies,
} from '../messages/conversations.ts';
import { deleteFile, fileInfo, type Uploads } from '../messages/files.ts';
import { deleteMessage, permalink, postEphemeral, postMessage, updateMessage } from '../messages/messages.ts';
import { renameSession, setSessionStatus } from '../messages/sessions.ts';
import { appendStream, startStream, stopStream } from '../messages/streams.ts';
import { authTeams, authTest, botInfo, userGroups, userInfo } from '../people.ts';
import type { Json } from '../records.ts';
import type { Views } from '../views/views.ts';
import type { Caller, World } from '../world.ts';
import type { Arguments } from './arguments.ts';
import type { Rate } from './rates.ts';

/** A Web API method: who may call it, how often, and what it does. */
export interface Method {
  /** Needed in any case; methods whose scope hangs on the channel's kind ask for theirs themselves. */
  readonly scope?: string;
  readonly rate: Rate | (() => Rate);
  run(caller: Caller, args: Arguments): Json;
}

/** Scopes and rate limits as each method's page in Slack's documentation gives them. */
export function methodsOf(
  world: World,
  views: Views,
  uploads: Uploads,
  origin: () => string,
): Readonly<Record<string, Method>> {
  const chat = 'chat:write';
  const agent = 'assistant:write';
  return {
    'auth.test': { rate: { perMinute: 200 }, run: (caller) => authTest(world, caller) },
    'auth.teams.list': method(undefined, { tier: 2 }, authTeams),
    'chat.postMessage': method(chat, { spacedMs: 1_000, by: 'channel' }, postMessage),
    'chat.update': method(chat, { tier: 3 }, updateMessage),
    'chat.delete': method(chat, { tier: 3 }, deleteMessage),
    'chat.postEphemeral': method(chat, { tier: 4 }, postEphemeral),
    'chat.getPermalink': method(undefined, { perMinute: 300 }, permalink),
    'chat.startStream': method(chat, { tier: 2 }, startStream),
    'chat.appendStream': method(chat, { tier: 4 }, appendStream),
    'chat.stopStream': method(chat, { tier: 2 }, stopStream),
    'conversations.open': method('im:write', { tier: 3 }, openConversation),
    'conversations.info': method(undefined, { tier: 3 }, conversationInfo),
    'conversations.join': method('channels:join', { tier: 3 }, joinConversation),
    'conversations.members': method(undefined, { tier: 4 }, members),
    'conversations.history': method(undefined, () => historyRate(world), history),
    'conversations.replies': method(undefined, () => historyRate(world), replies),
    'bots.info': method('users:read', { tier: 3 }, botInfo),
    'usergroups.list': method('usergroups:read', { tier: 2 }, userGroups),
    'users.info': method('users:read', { tier: 4 }, userInfo),
    'assistant.threads.setStatus': method(chat, { perMinute: 600 }, setStatus),
    'agents.sessions.setStatus': method(chat, { tier: 3 }, setSessionStatus),
    'agents.sessions.rename': method(chat, { tier: 3 }, renameSession),
    'assistant.threads.setTitle': method(agent, { tier: 4 }, setTitle),
    'assistant.threads.setSuggestedPrompts': method(agent, { tier: 4 }, setSuggestedPrompts),
    'files.getUploadURLExternal': {
      scope: 'files:write',
      rate: { tier: 4 },
      run: (caller, args) => uploads.open(caller, args),
    },
    'files.completeUploadExternal': {
      scope: 'files:write',
      rate: { tier: 4 },
      run: (caller, args) => uploads.complete(caller, args),
    },
    'files.info': {
      scope: 'files:read',
      rate: { tier: 4 },
      run: (caller, args) => fileInfo(world, caller, args, origin()),
    },
    'files.delete': method('files:write', { tier: 3 }, deleteFile),
    'views.open': { rate: { tier: 4 }, run: (caller, args) => views.open(caller, args, false) },
    'views.push': { rate: { tier: 4 }, run: (caller, args) => views.open(caller, args, true) },
    'views.publish': { rate: { tier: 4 }, run: (caller, args) => views.publish(caller, args) },
    'functions.completeSuccess': {
      rate: { tier: 3 },
      run: (caller, args) => completeStep(world, caller, args),
    },
    'functions.completeError': { rate: { tier: 3 }, run: (caller, args) => failStep(world, caller, args) },
    'views.update': { rate: { tier: 4 }, run: (caller, args) => views.update(caller, args) },
  };

  function method(
    scope: string | undefined,
    rate: Rate | (() => Rate),
    run: (world: World, caller: Caller, args: Arguments) => Json,
  ): Method {
    return { ...(scope ? { scope } : {}), rate, run: (caller, args) => run(world, caller, args) };
  }
}

/** Apps that are distributed outside of the Marketplace read one page a minute. */
function historyRate({ readings }: World): Rate {
  return { tier: readings.quickHistory === 'works' ? 3 : 1 };
}
