import type { Person } from '../../../port/index.ts';
import { isDirect } from '../post/address.ts';
import type { Commands } from './handler-context.ts';

/** The dispatcher as it is asked from Slack: nobody administers direct messages, workspace administrators neither. */
export function withDirectMessages(dispatcher: Commands): Commands {
  const placed = <R extends { readonly address: { readonly channel: string }; readonly requester: Person }>(
    request: R,
  ): R => {
    if (!isDirect(request.address.channel)) return request;
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
    takeTurn: (...who) => dispatcher.takeTurn(...who),
    prepare: (request, arrival) => dispatcher.prepare(placed(request), arrival),
    preparePress: (request) => dispatcher.preparePress(placed(request)),
    suggest: (...asked) => dispatcher.suggest(...asked),
  };
}
