import type { Clock } from '../../clock.ts';
import type { Address, Locale } from '../../port/index.ts';
import { slackWords } from '../../words/slack.ts';
import type { SlackApi } from './api.ts';
import type { Log } from './log.ts';
import { threadOf } from './place.ts';

/** Slack takes a status down after two minutes; it is put up again before, in milliseconds. */
const renewEvery = 90_000;

export interface StatusParts {
  readonly api: SlackApi;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Shows “is thinking …” in a thread until the first words: Slack takes it down when the bot posts there. What
 * is returned ends it, and takes it down where nothing was posted.
 */
export function showStatus({ api, clock, log }: StatusParts, address: Address, locale: Locale) {
  const thread = threadOf(address);
  let over = thread === undefined;
  let cancel = () => {};
  let last: Promise<unknown> = Promise.resolve();
  const { thinking, waits } = slackWords(locale);

  let hint: string | undefined;
  const set = (status: string) => {
    const { workspace, channel: channel_id } = address;
    const loading = status === '' ? {} : { loading_messages: hint === undefined ? waits : [hint] };
    const args = { channel_id, thread_ts: thread, status, ...loading };
    last = last
      .then(() => api.call(workspace, 'assistant.threads.setStatus', args, { urgent: false }))
      .catch((error: unknown) => log.debug({ error: String(error) }, 'a status could not be set'));
  };
  const renew = () => {
    if (over) return;
    set(thinking);
    cancel = clock.after(renewEvery, renew);
  };
  renew();

  return {
    /** Shows another sentence from now on; false where there is no status to be seen. */
    show(text: string): boolean {
      if (over) return thread !== undefined;
      hint = text;
      set(thinking);
      return true;
    },
    /** Words have come, or nothing will: `posted` tells which. */
    end(posted: boolean): void {
      if (over) return;
      over = true;
      cancel();
      if (!posted) set('');
    },
  };
}
