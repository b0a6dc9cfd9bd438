import { suggestedPrompts } from '../../../platforms/slack/commands/suggested-prompts.ts';
import { refused, type Step, skipped, works } from '../../step.ts';
import type { SlackContext } from '../context.ts';

/** Messages, and members of a channel, that are looked at. */
const looked = 100;
const peopleLooked = 30;
/** A message counts as old after so long, in milliseconds. */
const old = 3_600_000;

/** What is there already: the organization, people of other workspaces, older messages, the agent. */
export const placeSteps: readonly Step<SlackContext>[] = [
  {
    name: 'whose the token is',
    expects: 'a workspace’s; on Enterprise Grid it may be a whole organization’s',
    does: 'works in one workspace, or in each of an organization’s: then by the workspace that an event names',
    async run({ me: { team_id, enterprise_id, is_enterprise_install } }) {
      if (is_enterprise_install === true) return works(`the organization’s, ${String(enterprise_id)}`);
      const part = enterprise_id ? `, part of the organization ${String(enterprise_id)}` : '';
      return works(`the workspace’s, ${String(team_id)}${part}`);
    },
  },
  {
    name: 'people of other workspaces',
    expects: 'users.info tells their own team_id; is_stranger is uncertain',
    does: 'takes nobody with either for an administrator',
    async run({ slack, inChannel, me }) {
      const { members } = await slack.call('conversations.members', {
        channel: inChannel.channel,
        limit: peopleLooked,
      });
      for (const id of Array.isArray(members) ? members.map(String).slice(0, peopleLooked) : []) {
        const { user } = await slack.call('users.info', { user: id });
        const { team_id, is_stranger } = (user ?? {}) as { team_id?: string; is_stranger?: boolean };
        const isElsewhere =
          team_id !== undefined && team_id !== me.team_id && me.is_enterprise_install !== true;
        if (isElsewhere && is_stranger) return works('both tell');
        if (isElsewhere) return refused('team_id alone tells');
        if (is_stranger) return refused('is_stranger alone tells');
      }
      return skipped('nobody of another workspace is in the channel');
    },
  },
  {
    name: 'edit of an older message',
    expects: 'works; edit_window_closed where administrators allow edits for a while only',
    does: 'goes on in a new message below one that can be changed no more',
    async run({ slack, inChannel, me, clock }) {
      const { channel } = inChannel;
      const { messages } = await slack.call('conversations.history', { channel, limit: looked });
      const own = (Array.isArray(messages) ? (messages as Past[]) : []).filter((one) => isOwnText(one, me));
      const oldest = own.at(-1);
      const age = oldest ? clock.now() - Number(oldest.ts) * 1_000 : 0;
      if (!oldest || age < old)
        return skipped('the channel has no message of the bot’s from over an hour ago: run it again later');
      const { ts, text, blocks } = oldest;
      // With the words it has: nothing changes but that Slack may call it edited.
      await slack.call('chat.update', { channel, ts, text, ...(blocks && { blocks }) });
      return works(`after ${Math.floor(age / old)} h`);
    },
  },
  {
    name: 'suggestions in the agent’s messages',
    expects: 'works with agent_view (assistant.threads.setSuggestedPrompts)',
    does: 'sets them in the language of who opens its messages; else those of the manifest stay',
    async run({ slack, inDirectMessage }) {
      if (!inDirectMessage) return skipped('nobody is in the channel to write to');
      const { channel: channel_id } = inDirectMessage;
      await slack.call('assistant.threads.setSuggestedPrompts', {
        channel_id,
        prompts: suggestedPrompts('en'),
      });
      return works();
    },
  },
];

interface Past {
  readonly ts: string;
  readonly text?: string;
  readonly blocks?: readonly unknown[];
  readonly bot_id?: string;
  readonly files?: readonly unknown[];
  readonly streaming_state?: string;
}

/** A message of the bot’s that an edit with its own words leaves as it is. */
function isOwnText({ bot_id, text, files, streaming_state }: Past, me: SlackContext['me']): boolean {
  if (bot_id === undefined || bot_id !== me.bot_id || !text) return false;
  return files === undefined && streaming_state === undefined;
}
