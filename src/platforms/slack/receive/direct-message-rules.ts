import type { CommandDispatcher } from '../../../engine/index.ts';
import type { Address, Person } from '../../../port/index.ts';
import { isDirect } from '../post/address.ts';

/** Somebody in direct messages of several people, which nobody moderates. */
export function unmoderated(person: Person): Person {
  return { ...person, unmoderated: true };
}

/**
 * Wraps the dispatcher for direct messages: nobody is an administrator there, not even workspace administrators. In
 * the Home tab they are.
 */
export function withDirectMessages(dispatcher: CommandDispatcher): CommandDispatcher {
  const inDirectMessages = <R extends { readonly address: Address; readonly requester: Person }>(
    request: R,
  ): R => {
    if (!isDirect(request.address.channel) || request.address.isHome) return request;
    const requester: Person = {
      ...request.requester,
      administrator: false,
      moderator: false,
      direct: true,
    };
    return { ...request, requester };
  };
  return {
    commands: dispatcher.commands,
    takeTurn: (...caller) => dispatcher.takeTurn(...caller),
    leaveToOther: (...left) => dispatcher.leaveToOther(...left),
    prepare: (request, turn) => dispatcher.prepare(inDirectMessages(request), turn),
    prepareFromMessage: (request) => dispatcher.prepareFromMessage(inDirectMessages(request)),
    preparePress: (request) => dispatcher.preparePress(inDirectMessages(request)),
    deleted: (deleted) => dispatcher.deleted(deleted),
    isQuestion: (platform, message) => dispatcher.isQuestion(platform, message),
    isRecorded: (eventId) => dispatcher.isRecorded(eventId),
    askedAt: (actionId) => dispatcher.askedAt(actionId),
    suggest: (...query) => dispatcher.suggest(...query),
  };
}
