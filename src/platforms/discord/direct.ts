import { type MessageAddress, OutletError, type OutletErrorKind } from '../../port/index.ts';
import type { DiscordApi } from './api.ts';
import type { Draft } from './drafts.ts';
import { nonceOf } from './nonce.ts';

/** Posts to a person directly, once by key. */
export async function postDirectly(
  api: DiscordApi,
  userId: string,
  { body, files }: Draft,
  key: string,
): Promise<MessageAddress> {
  const channel = await api.directChannel(userId);
  const { id } = await api.createMessage(channel, body, files, nonceOf(channel, key));
  return { platform: 'discord', workspace: channel, channel, message: id };
}

/** A draft with a line above its words. */
export function headed(draft: Draft, line: string): Draft {
  const content = [line, draft.body.content].filter(Boolean).join('\n');
  return { ...draft, body: { ...draft.body, content } };
}

const final: readonly OutletErrorKind[] = [
  'no-permission',
  'refused',
  'not-a-member',
  'gone',
  'expired',
  'file-not-allowed',
];

/** What people can be told of a refusal: the permission that is missing, or who blocked it. */
export function reasonOf(error: unknown): string | undefined {
  return error instanceof OutletError ? error.detail : undefined;
}

/** Whether a place will take nothing of this, however often it is tried there: it can still go elsewhere. */
export function isRefusal(error: unknown): boolean {
  return error instanceof OutletError && final.includes(error.kind);
}
