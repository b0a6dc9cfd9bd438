import { sleep } from '../../../lib/clock.ts';
import { isFeatureMissing, retryAfter } from '../../../platforms/slack/api/errors.ts';
import { slackFeatures } from '../../../platforms/slack/api/features.ts';
import { hearsStops } from '../../../platforms/slack/reply/stream/agent-sessions.ts';
import { botScopes, lackedEvent } from '../../../platforms/slack/setup/manifest.ts';
import { needs, refused, type Step, type StepResult, skipped, works } from '../../step.ts';
import { label, type Place, post, removeLater, type SlackContext } from '../context.ts';
import { manifestHint } from '../refusals.ts';

/** Posts in a row to reach the rate limit. */
const burst = 6;
type SlackStep = Step<SlackContext>;

/** Messages, people and agent sessions. */
export const messageSteps: readonly SlackStep[] = [
  {
    name: 'scopes of the token',
    expects: 'those of the manifest',
    does: 'lists missing ones in npm run doctor',
    async run({ scopes }) {
      const missing = Object.keys(botScopes).filter((scope) => !scopes.includes(scope));
      if (missing.length === 0) return works('all of them');
      return needs(`Give the app ${missing.join(', ')}: ${manifestHint}`);
    },
  },
  {
    name: 'post, update, delete',
    expects: 'works',
    does: 'streams answers in channels by editing its messages',
    async run(context) {
      const { slack, inChannel } = context;
      const { channel } = inChannel;
      const ts = await post(context, inChannel, { text: `${label}: a message` });
      await slack.call('chat.update', { channel, ts, text: `${label}: a message, edited` });
      await slack.call('chat.delete', { channel, ts });
      return works();
    },
  },
  {
    name: 'markdown block in a message',
    expects: 'works',
    does: { works: 'posts answers in Markdown blocks', refused: 'posts answers in mrkdwn' },
    feature: slackFeatures.markdownBlock,
    async run(context) {
      const blocks = [{ type: 'markdown', text: `**${label}**: Markdown` }];
      await post(context, context.inChannel, { text: `${label}: Markdown`, blocks });
      return works();
    },
  },
  {
    name: 'feedback buttons under a message',
    expects: 'works; on which surfaces isn’t documented',
    does: { works: 'uses them for votes on answers', refused: 'uses two ordinary buttons' },
    feature: slackFeatures.feedbackButtons,
    async run(context) {
      const button = (text: string) => ({ text: { type: 'plain_text', text }, value: text });
      const [positive_button, negative_button] = [button('Good'), button('Bad')];
      const element = { type: 'feedback_buttons', action_id: 'live-check', positive_button, negative_button };
      const blocks = [{ type: 'context_actions', elements: [element] }];
      await post(context, context.inChannel, { text: `${label}: feedback`, blocks });
      return works();
    },
  },
  {
    name: 'plain @here in a message',
    expects: 'taken for a mention, except in verbatim mrkdwn; reported to stay text',
    does: 'keeps such words apart with an invisible character, and sets verbatim',
    async run(context) {
      // In a thread nobody is notified.
      const { channel, thread } = context.inChannel;
      const text = `${label}: plain @here`;
      const object = { type: 'mrkdwn', text };
      const shown: string[] = [];
      for (const block of [
        { type: 'section', text: object },
        { type: 'markdown', text },
        { type: 'section', text: { ...object, verbatim: true } },
      ]) {
        const args = { channel, thread_ts: thread, text: label, blocks: [block] };
        const { ts, message } = await context.slack.call('chat.postMessage', args);
        removeLater(context, channel, String(ts));
        shown.push(JSON.stringify(message).includes('@here') ? 'text' : 'a mention');
      }
      const [loose, markdown, verbatim] = shown;
      const found = `${loose} in mrkdwn, ${markdown} in Markdown, ${verbatim} in verbatim mrkdwn`;
      return shown.includes('a mention') ? works(found) : refused(found);
    },
  },
  {
    name: 'long Chinese text in blocks',
    expects: 'works up to about 13,200; not documented whether characters or bytes',
    does: 'sends up to 8,000 characters per message; if they’re refused, as text without blocks',
    async run(context) {
      const section = { type: 'section', text: { type: 'mrkdwn', text: '字'.repeat(2_500) } };
      await post(context, context.inChannel, { text: label, blocks: [section, section, section] });
      return works('counted in characters');
    },
  },
  {
    name: 'ephemeral message',
    expects: 'works for members of the channel',
    does: 'tells a person things that concern only them',
    async run({ slack, inChannel, person }) {
      if (person === undefined) return skipped('no person is in the channel');
      const { channel } = inChannel;
      await slack.call('chat.postEphemeral', { channel, user: person, text: `${label}: only you see this` });
      return works();
    },
  },
  {
    name: 'a person’s language',
    expects: 'users.info returns it with users:read',
    does: 'uses the person’s language, or English',
    async run({ slack, person }) {
      if (person === undefined) return skipped('no person is in the channel');
      const { user } = await slack.call('users.info', { user: person, include_locale: true });
      const locale = typeof user === 'object' && user !== null && 'locale' in user ? user.locale : undefined;
      return typeof locale === 'string' ? works(locale) : refused('not returned');
    },
  },
  {
    name: 'status with loading messages',
    expects: 'works with up to 10 of 50 characters',
    does: { works: 'shows what it’s doing', refused: 'shows only “is thinking…”' },
    feature: slackFeatures.loadingMessages,
    async run({ slack, inChannel }) {
      const at = { channel_id: inChannel.channel, thread_ts: inChannel.thread };
      const loading_messages = ['x'.repeat(50), 'thinking'];
      await slack.call('assistant.threads.setStatus', { ...at, status: 'is thinking…', loading_messages });
      await slack.call('assistant.threads.setStatus', { ...at, status: '' });
      return works();
    },
  },
  {
    name: 'agent session: status and name',
    expects: 'works with agent_view',
    does: {
      works: 'shows a session as processing, with Slack’s own Stop button',
      refused: 'shows only the older status',
    },
    feature: slackFeatures.agentSessions,
    async run({ slack, inDirectMessage }) {
      if (!inDirectMessage) return skipped('no person is in the channel');
      return sessionAt(slack, inDirectMessage);
    },
  },
  {
    name: 'agent session in a channel: status and name',
    expects: 'not documented',
    does: { works: 'shows sessions in channels too', refused: 'shows only the older status in channels' },
    feature: slackFeatures.agentSessionsInChannel,
    run: ({ slack, inChannel }) => sessionAt(slack, inChannel),
  },
  {
    name: 'event of Slack’s own Stop button',
    expects: 'agents.sessions.setStatus warns if the app isn’t subscribed to it',
    does: {
      works: 'relies on Slack’s own Stop button',
      refused: 'adds its own Stop button; the log and npm run doctor explain how to subscribe',
    },
    feature: slackFeatures.stopEvent,
    async run({ slack, inDirectMessage, inChannel }) {
      const { channel, thread } = inDirectMessage ?? inChannel;
      const at = { channel_id: channel, thread_ts: thread };
      try {
        const answer = await slack.call('agents.sessions.setStatus', { ...at, status: 'processing' });
        await slack.call('agents.sessions.setStatus', { ...at, status: 'closed' });
        return hearsStops(answer) ? works() : refused(`agent_session_stopped is missing: ${lackedEvent}`);
      } catch (error) {
        if (isFeatureMissing(error)) return skipped('there are no sessions here');
        throw error;
      }
    },
  },
];

async function sessionAt(slack: SlackContext['slack'], { channel, thread }: Place): Promise<StepResult> {
  const at = { channel_id: channel, thread_ts: thread };
  await slack.call('agents.sessions.setStatus', { ...at, status: 'processing', title: label });
  await slack.call('agents.sessions.rename', { ...at, title: `${label} (renamed)` });
  await slack.call('agents.sessions.setStatus', { ...at, status: 'closed' });
  return works();
}

/** Steps that use up a rate limit, and so come last. */
export const rateSteps: readonly SlackStep[] = [
  {
    name: 'reading a thread twice in a row',
    expects: 'works for internal and Marketplace apps; others get one call a minute',
    does: 'where it’s limited, builds threads from the messages it received as well, and says what may be missing',
    feature: slackFeatures.quickHistory,
    async run({ slack, inChannel }) {
      const args = { channel: inChannel.channel, ts: inChannel.thread, limit: 20 };
      try {
        await slack.once('conversations.replies', args);
        await slack.once('conversations.replies', args);
        return works();
      } catch (error) {
        const seconds = retryAfter(error);
        if (seconds === undefined) throw error;
        return refused(`rate limited for ${seconds} s`);
      }
    },
  },
  {
    name: 'too many posts at once',
    expects: '429 with Retry-After',
    does: 'posts once a second per channel, and waits as long as Retry-After says',
    async run(context) {
      const { slack, inChannel, clock } = context;
      for (let number = 1; number <= burst; number++) {
        try {
          const args = { channel: inChannel.channel, thread_ts: inChannel.thread };
          const { ts } = await slack.once('chat.postMessage', { ...args, text: `${label}: ${number}` });
          removeLater(context, inChannel.channel, String(ts));
        } catch (error) {
          const seconds = retryAfter(error);
          if (seconds === undefined) throw error;
          await sleep(clock, seconds * 1_000);
          return works(`429 at post ${number}; Retry-After ${seconds} s`);
        }
      }
      return works(`${burst} in a row were accepted`);
    },
  },
];
