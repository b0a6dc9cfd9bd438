import type { SettingValues } from '../../place-settings/index.ts';
import { type Address, conversationKey, type Job, type Person } from '../../port/index.ts';

/** What decides whose conversation a command belongs to. An {@link Invocation} has it all. */
export interface ConversationRequest {
  readonly address: Address;
  readonly requester: Pick<Person, 'id' | 'direct'>;
  readonly settings: { readonly values: Pick<SettingValues, 'conversation'> };
  /**
   * The command’s values. Read here are `private`, `workflow`, and `continues`: a conversation’s key that only buttons
   * give.
   */
  readonly options: object;
}

/**
 * The key of the conversation that a command belongs to. A thread always has its own; in a channel it's the channel's,
 * or each person's own if its administrators chose that. A private command never touches what others share: it
 * has a conversation for its person and place. Neither does a workflow’s: each run (`workflow`, which its platform adds)
 * has its own.
 */
export function conversationOf({ address, requester, settings, options }: ConversationRequest): string {
  if ('workflow' in options && typeof options.workflow === 'string')
    return `${conversationKey(address)}?workflow=${encodeURIComponent(options.workflow)}`;
  if ('private' in options && options.private === true) return privateConversation(address, requester);
  if ('continues' in options && typeof options.continues === 'string') return options.continues;
  return isPersonal({ address, requester, settings })
    ? personalConversation(address, requester)
    : conversationKey(address);
}

/**
 * The conversations that a command can belong to by one setting or another, the one of the place's setting first: that
 * may have been another when the command was given.
 */
export function possibleConversations(request: ConversationRequest): readonly [string, ...string[]] {
  const { address, requester, settings, options } = request;
  const bySetting = (conversation: SettingValues['conversation']) =>
    conversationOf({ address, requester, options, settings: { values: { conversation } } });
  const now = bySetting(settings.values.conversation);
  const others = new Set([bySetting('channel'), bySetting('person')]);
  others.delete(now);
  return [now, ...others];
}

/** Whether what a person says somewhere is part of a conversation of their own. */
export function isPersonal({ address, requester, settings }: Omit<ConversationRequest, 'options'>): boolean {
  return settings.values.conversation === 'person' && address.thread === undefined && !requester.direct;
}

/** The key of a person's private conversation somewhere: what only they see. */
export function privateConversation(address: Address, requester: Pick<Person, 'id'>): string {
  return `${personalConversation(address, requester)}?private`;
}

/** The key of the conversation that begins with a question and goes on in the thread under its answer. */
export function threadConversation({ id, address }: Pick<Job, 'id' | 'address'>): string {
  return `${conversationKey(address)}#${encodeURIComponent(id)}`;
}

// The parts of a key are percent-encoded: none of them has an “@”, a “?” or a “#”.

function personalConversation(address: Address, { id }: Pick<Person, 'id'>): string {
  return `${conversationKey(address)}@${encodeURIComponent(id)}`;
}
