import type { Address } from '../../../../port/index.ts';
import type { Log } from '../../api/log.ts';
import type { SlackApi } from '../../api/slack-api.ts';
import { threadOf } from '../../post/address.ts';

const titleLength = 60;

/** A conversation’s title: the first words in it; undefined where those show nothing. */
export function titleOf(prompt: string): string | undefined {
  const line = prompt.replace(/\s+/gu, ' ').trim();
  const title = line.length > titleLength ? `${line.slice(0, titleLength - 1)}…` : line;
  return title || undefined;
}

/** Names a thread in the agent’s panel, where Slack has no sessions with titles. */
export function nameThread(
  { api, log }: { readonly api: SlackApi; readonly log: Log },
  address: Address,
  title: string,
): void {
  const args = { channel_id: address.channel, thread_ts: threadOf(address), title };
  api
    .call(address.workspace, 'assistant.threads.setTitle', args, { urgent: false })
    .catch((error: unknown) => log.debug({ error: String(error) }, 'a title could not be set'));
}
