import { expect, it } from 'vitest';
import { words } from '../../../src/words/index.ts';
import { shown } from '../../fakes/slack/index.ts';
import { startSlackScene } from '../support/slack-scene.ts';

// Slack's page of chat.postEphemeral doesn't have this error.
it('whose answer to a mention neither the channel nor direct messages take is told so in the channel, alone', async () => {
  const { ada, general, slack, until } = await startSlackScene('socket', { pace: 3 });
  slack.api.faults.plan('chat.postMessage', { kind: 'error', code: 'posting_to_channel_denied' }, 1_000);
  slack.api.faults.plan('conversations.open', { kind: 'error', code: 'user_disabled' }, 1_000);
  ada.says(`${ada.bot} Write 400 characters about green`, general);
  await until('a word', () => ada.whispers.length > 0);
  expect(ada.whispers.map(shown).join()).toContain(words('en').postedNowhere);
});
