import { sleep } from '../../../lib/clock.ts';
import { isFeatureMissing, retryAfter } from '../../../platforms/slack/api/errors.ts';
import { slackFeatures } from '../../../platforms/slack/api/features.ts';
import { hearsStops } from '../../../platforms/slack/reply/stream/agent-sessions.ts';
import { botScopes, lackedEvent } from '../../../platforms/slack/setup/manifest.ts';
import { needs, refused, type Step, type StepResult, skipped, works } from '../../step.ts';
import { label, type Place, post, removeLater, type SlackContext } from '../context.ts';
import { manifestHint } from '../refusals.ts';

/** Calls made at once to see what Slack says to one too many. */
const burst = 6;
type SlackStep = Step<SlackContext>;

/** Messages, people, history and rates. */
export const messageSteps: readonly SlackStep[] = [
  {
    name: 'scopes of the token',
    expects: 'those of the manifest',
    does: 'npm run doctor names those that are missing',
    async run({ scopes }) {
      const missing = Object.keys(botScopes).filter((scope) => !scopes.includes(scope));
      if (missing.length === 0) return works('all of them');
      return needs(`Give the app ${missing.join(', ')}: ${manifestHint}`);
    },
  },
  {
    name: 'post, update, delete',
    expects: 'all three',
    does: 'answers in messages that grow by edits',
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
    does: { works: 'posts answers in Markdown blocks', refused: 'posts answers in Slack’s own markup' },
    feature: slackFeatures.markdownBlock,
    async run(context) {
      const blocks = [{ type: 'markdown', text: `**${label}**: Markdown` }];
      await post(context, context.inChannel, { text: `${label}: Markdown`, blocks });
      return works();
    },
  },
  {
    name: 'long Chinese text in blocks',
    expects: 'works: about 13,200 characters; not documented whether characters or bytes',
    does: 'sends up to 8,000 characters a message; where that is refused, as text without blocks',
    async run(context) {
      const section = { type: 'section', text: { type: 'mrkdwn', text: '字'.repeat(2_500) } };
      await post(context, context.inChannel, { text: label, blocks: [section, section, section] });
      return works('counted in characters');
    },
  },
  {
    name: 'message that one person sees',
    expects: 'works for people in the channel',
    does: 'says privately what concerns one person',
    async run({ slack, inChannel, person }) {
      if (person === undefined) return skipped('nobody is in the channel');
      const { channel } = inChannel;
      await slack.call('chat.postEphemeral', { channel, user: person, text: `${label}: only you see this` });
      return works();
    },
  },
  {
    name: 'language of a person',
    expects: 'users.info tells it with users:read',
    does: 'speaks to people in their language, else in English',
    async run({ slack, person }) {
      if (person === undefined) return skipped('nobody is in the channel');
      const { user } = await slack.call('users.info', { user: person, include_locale: true });
      const locale = typeof user === 'object' && user !== null && 'locale' in user ? user.locale : undefined;
      return typeof locale === 'string' ? works(locale) : refused('not told');
    },
  },
  {
    name: 'status with loading messages',
    expects: 'works with up to 10 of 50 characters',
    does: { works: 'shows what it does meanwhile', refused: 'shows “is thinking…” alone' },
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
      works: 'shows a session as processing, with a Stop button of Slack’s',
      refused: 'shows the older status alone',
    },
    feature: slackFeatures.agentSessions,
    async run({ slack, inDirectMessage }) {
      if (!inDirectMessage) return skipped('nobody is in the channel to write to');
      return sessionAt(slack, inDirectMessage);
    },
  },
  {
    name: 'agent session in a channel: status and name',
    expects: 'not documented where it is refused',
    does: { works: 'shows sessions in channels, too', refused: 'shows the older status alone in channels' },
    feature: slackFeatures.agentSessionsInChannel,
    run: ({ slack, inChannel }) => sessionAt(slack, inChannel),
  },
  {
    name: 'event of Slack’s own Stop button',
    expects: 'agents.sessions.setStatus warns where the app’s settings lack it',
    does: {
      works: 'leaves Stop to Slack’s own button',
      refused: 'has a Stop button of its own; log and npm run doctor say what to paste',
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

/** Steps that use up a rate limit: the last ones. */
export const rateSteps: readonly SlackStep[] = [
  {
    name: 'a thread read twice in a row',
    expects: 'works for internal and Marketplace apps, else 1 a minute',
    does: 'goes by what it remembers itself, and reads only to find a post whose answer was lost',
    async run({ slack, inChannel }) {
      const args = { channel: inChannel.channel, ts: inChannel.thread, limit: 20 };
      try {
        await slack.once('conversations.replies', args);
        await slack.once('conversations.replies', args);
        return works();
      } catch (error) {
        const seconds = retryAfter(error);
        if (seconds === undefined) throw error;
        return refused(`asked too often; again after ${seconds} s`);
      }
    },
  },
  {
    name: 'too many posts at once',
    expects: '429 with Retry-After',
    does: 'keeps to one post a second in a channel, and waits as long as it is told',
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
      return works(`${burst} in a row were taken`);
    },
  },
];
