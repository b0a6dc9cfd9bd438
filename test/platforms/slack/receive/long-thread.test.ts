import { expect, test } from 'vitest';
import type { SlackMessage } from '../../../../src/platforms/slack/incoming/slack-message.ts';
import { questionContext } from '../../../../src/platforms/slack/receive/question-context.ts';
import type { SlackServices } from '../../../../src/platforms/slack/services.ts';
import { FakeClock } from '../../../fakes/clock.ts';

/** A thread of messages as long as Slack takes them, and nothing else of what Slack knows. */
function services(text: string): SlackServices {
  const messages = Array.from({ length: 300 }, (_, at): SlackMessage => ({
    ts: `${at}.000000`,
    user: 'U1',
    text,
  }));
  const without = {
    people: { namesOf: async () => new Map() },
    userGroups: { of: async () => [] },
    channels: { publicNamesAt: async () => new Map() },
    channelIds: { first: (id: string) => id },
  };
  const threadReader = { read: async () => ({ messages, known: 'all' }) };
  return {
    ...without,
    threadReader,
    clock: new FakeClock(),
    contextTokens: 4_000,
  } as unknown as SlackServices;
}

test('a question in a thread takes time by what can be quoted of that, however long it is', async () => {
  const at = { workspace: 'T1', botUser: 'U0', channel: 'C1', locale: 'en', thread: '0.000000' } as const;
  const thread = services('<@U12345678> '.repeat(3_000));
  const begun = process.threadCpuUsage();
  const { context } = await questionContext(thread, { ts: '900.000000', user: 'U1', text: 'Well?' }, at);
  const { user, system } = process.threadCpuUsage(begun);
  expect((user + system) / 1_000).toBeLessThan(400);
  expect(context).toMatch(/\(left out here: 29\d older\)/);
});
