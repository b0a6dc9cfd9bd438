import { slackFeatures } from '../../../platforms/slack/api/features.ts';
import { suggestedPrompts } from '../../../platforms/slack/commands/suggested-prompts.ts';
import { refused, type Step, skipped, works } from '../../step.ts';
import type { SlackContext } from '../context.ts';

/** Messages and members of the channel that are read. */
const maxMessages = 100;
const maxPeople = 30;
/** Milliseconds after which a message counts as old. */
const oldAfter = 3_600_000;

/** The organization, people of other workspaces, older messages, the agent's prompts. */
export const placeSteps: readonly Step<SlackContext>[] = [
  {
    name: 'owner of the token',
    expects: 'a workspace; on Enterprise Grid possibly the whole organization',
    does: 'works in that workspace, or in every workspace of the organization',
    async run({ me: { team_id, enterprise_id, is_enterprise_install } }) {
      if (is_enterprise_install === true) return works(`the organization ${String(enterprise_id)}`);
      const part = enterprise_id ? `, part of the organization ${String(enterprise_id)}` : '';
      return works(`the workspace ${String(team_id)}${part}`);
    },
  },
  {
    name: 'people of other workspaces',
    expects: 'users.info returns their own team_id; is_stranger is uncertain',
    does: 'doesn’t treat them as administrators, by either field',
    async run({ slack, inChannel, me }) {
      const { members } = await slack.call('conversations.members', {
        channel: inChannel.channel,
        limit: maxPeople,
      });
      for (const id of Array.isArray(members) ? members.map(String).slice(0, maxPeople) : []) {
        const { user } = await slack.call('users.info', { user: id });
        const { team_id, is_stranger } = (user ?? {}) as { team_id?: string; is_stranger?: boolean };
        const isElsewhere =
          team_id !== undefined && team_id !== me.team_id && me.is_enterprise_install !== true;
        if (isElsewhere && is_stranger) return works('by both');
        if (isElsewhere) return refused('by team_id only');
        if (is_stranger) return refused('by is_stranger only');
      }
      return skipped('no person of another workspace is in the channel');
    },
  },
  {
    name: 'edit of an older message',
    expects: 'works; edit_window_closed if administrators limit the time for edits',
    does: 'continues in a new message if one can’t be edited any more',
    async run({ slack, inChannel, me, clock }) {
      const { channel } = inChannel;
      const { messages } = await slack.call('conversations.history', { channel, limit: maxMessages });
      const own = (Array.isArray(messages) ? (messages as PastMessage[]) : []).filter((one) =>
        isOwnText(one, me),
      );
      const oldest = own.at(-1);
      const age = oldest ? clock.now() - Number(oldest.ts) * 1_000 : 0;
      if (!oldest || age < oldAfter)
        return skipped('the bot has no message older than an hour in the channel: run it again later');
      const { ts, text, blocks } = oldest;
      // With the same text: at most Slack marks it as edited.
      await slack.call('chat.update', { channel, ts, text, ...(blocks && { blocks }) });
      return works(`after ${Math.floor(age / oldAfter)} h`);
    },
  },
  {
    name: 'suggested prompts in the agent’s messages',
    expects: 'works with agent_view (assistant.threads.setSuggestedPrompts)',
    does: 'sets them in the person’s language; otherwise the manifest’s are shown',
    async run({ slack, inDirectMessage }) {
      if (!inDirectMessage) return skipped('no person is in the channel');
      const { channel: channel_id } = inDirectMessage;
      await slack.call('assistant.threads.setSuggestedPrompts', {
        channel_id,
        prompts: suggestedPrompts('en'),
      });
      return works();
    },
  },
  {
    name: 'Home tab',
    expects: 'works; not_enabled if the app’s settings have it off (views.publish)',
    does: {
      works: 'shows each person their own page',
      refused: 'leaves it, and says in the log how to turn it on',
    },
    feature: slackFeatures.homeTab,
    async run({ slack, person }) {
      if (person === undefined) return skipped('no person is in the channel');
      // The bot replaces it when the person opens the tab.
      const text = { type: 'mrkdwn', text: 'Open this tab again to see your own page.' };
      await slack.call('views.publish', {
        user_id: person,
        view: { type: 'home', blocks: [{ type: 'section', text }] },
      });
      return works();
    },
  },
];

interface PastMessage {
  readonly ts: string;
  readonly text?: string;
  readonly blocks?: readonly unknown[];
  readonly bot_id?: string;
  readonly files?: readonly unknown[];
  readonly streaming_state?: string;
}

/** Whether a message is the bot’s, and an edit with the same text doesn’t change it. */
function isOwnText({ bot_id, text, files, streaming_state }: PastMessage, me: SlackContext['me']): boolean {
  if (bot_id === undefined || bot_id !== me.bot_id || !text) return false;
  return files === undefined && streaming_state === undefined;
}
