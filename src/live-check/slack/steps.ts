import { webApi } from '@slack/bolt';
import {
  isAccessLost,
  isFeatureMissing,
  isFormatRefused,
  isUneditable,
  retryAfter,
  slackCode,
  slackFeatures,
} from '../../platforms/slack/api/errors.ts';
import { isKindRefused } from '../../platforms/slack/media/files.ts';
import { hearsStops } from '../../platforms/slack/reply/stream/agent-sessions.ts';
import { lackedEvent, missingScopes } from '../../platforms/slack/setup/manifest.ts';
import { Ended, needs, refused, type Seen, skipped, type Step, unclear, works } from '../run-steps.ts';
import { emptyMp4, onePixelPng, shortMp3, shortWav, silentVoiceMessage } from '../sample-files.ts';
import { buttonRow, label, picture, type Place, type SlackChannel } from './client.ts';

type SlackStep = Step<SlackChannel>;

const otherClips = 'posts clips in another of mp3, ogg and wav; refuses /speak if none works';
/** The types of file that troupe posts. */
const fileTypes = [
  ['mp3', shortMp3, slackFeatures.mp3File, otherClips],
  ['ogg', silentVoiceMessage.bytes, slackFeatures.oggFile, otherClips],
  ['wav', shortWav, slackFeatures.wavFile, otherClips],
  ['png', onePixelPng, slackFeatures.pngFile, 'refuses /imagine before anything is paid for'],
  ['mp4', emptyMp4, slackFeatures.mp4File, 'refuses /video before anything is paid for'],
] as const;

/** What the check finds out by itself; what uses up a rate limit comes last. */
export const unaidedSteps: readonly SlackStep[] = [
  {
    name: 'log-in',
    expected: 'a workspace, or on Enterprise Grid a whole organization; the scopes of the manifest',
    async run({ me: { team_id, enterprise_id, is_enterprise_install, response_metadata } }) {
      const missing = missingScopes(response_metadata?.scopes ?? []);
      if (missing.length > 0) return needs(`Give the app ${missing.join(', ')}: ${manifestHint}`);
      if (is_enterprise_install) return works(`the organization ${enterprise_id}, with all scopes`);
      const part = enterprise_id ? `, part of the organization ${enterprise_id}` : '';
      return works(`the workspace ${team_id}${part}, with all scopes`);
    },
  },
  {
    name: 'people of other workspaces',
    expected: 'users.info returns their own team_id; is_stranger is uncertain',
    async run({ slack, inChannel, me }) {
      for await (const { team_id, is_stranger } of slack.membersOf(inChannel.channel)) {
        const isElsewhere = team_id !== undefined && team_id !== me.team_id && !me.is_enterprise_install;
        if (isElsewhere && is_stranger) return works('by both');
        if (isElsewhere) return refused('by team_id only');
        if (is_stranger) return refused('by is_stranger only');
      }
      return skipped('no person of another workspace is in the channel');
    },
  },
  {
    name: 'Home tab',
    expected: 'works; not_enabled if the app’s settings have it off (views.publish)',
    otherwise: 'leaves it, and says in the log how to turn it on',
    async run({ slack, person }) {
      // The bot replaces it when the person opens the tab.
      const text = { type: 'mrkdwn', text: 'Open this tab again to see your own page.' };
      const view = { type: 'home', blocks: [{ type: 'section', text }] };
      await slack.call('views.publish', { user_id: person, view });
    },
  },
  {
    name: 'markdown block in a message',
    expected: 'works',
    feature: slackFeatures.markdownBlock,
    otherwise: 'posts answers in mrkdwn',
    async run({ slack, inChannel }) {
      await slack.post(inChannel, 'Markdown', [{ type: 'markdown', text: `**${label}**: Markdown` }]);
    },
  },
  {
    name: 'feedback buttons under a message',
    expected: 'works; on which surfaces isn’t documented',
    feature: slackFeatures.feedbackButtons,
    otherwise: 'uses two ordinary buttons',
    async run({ slack, inChannel }) {
      const button = (text: string) => ({ text: { type: 'plain_text', text }, value: text });
      const [positive_button, negative_button] = [button('Good'), button('Bad')];
      const element = { type: 'feedback_buttons', action_id: 'live-check', positive_button, negative_button };
      await slack.post(inChannel, 'feedback', [{ type: 'context_actions', elements: [element] }]);
    },
  },
  {
    name: 'plain @here in a message',
    expected: 'taken for a mention, except in verbatim mrkdwn; reported to stay text',
    async run({ slack, inChannel }) {
      // In a thread nobody is notified.
      const text = `${label}: plain @here`;
      const object = { type: 'mrkdwn', text };
      const shown: string[] = [];
      for (const block of [
        { type: 'section', text: object },
        { type: 'markdown', text },
        { type: 'section', text: { ...object, verbatim: true } },
      ]) {
        const { message } = await slack.post(inChannel, 'a plain name', [block]);
        shown.push(JSON.stringify(message).includes('@here') ? 'text' : 'a mention');
      }
      const [loose, markdown, verbatim] = shown;
      const found = `${loose} in mrkdwn, ${markdown} in Markdown, ${verbatim} in verbatim mrkdwn`;
      return shown.includes('a mention') ? works(found) : refused(found);
    },
  },
  {
    name: 'long Chinese text in blocks',
    expected: 'works up to about 13,200; not documented whether characters or bytes',
    async run({ slack, inChannel }) {
      const section = { type: 'section', text: { type: 'mrkdwn', text: '字'.repeat(2_500) } };
      await slack.post(inChannel, 'a long text', [section, section, section]);
      return works('counted in characters');
    },
  },
  {
    name: 'status with loading messages',
    expected: 'works with up to 10 of 50 characters',
    feature: slackFeatures.loadingMessages,
    otherwise: 'shows only “is thinking…”',
    async run({ slack, inChannel: { channel: channel_id, thread: thread_ts } }) {
      const at = { channel_id, thread_ts };
      const loading_messages = ['x'.repeat(50), 'thinking'];
      await slack.call('assistant.threads.setStatus', { ...at, status: 'is thinking…', loading_messages });
      await slack.call('assistant.threads.setStatus', { ...at, status: '' });
    },
  },
  {
    name: 'agent session: status and name',
    expected: 'works with agent_view',
    feature: slackFeatures.agentSessions,
    otherwise: 'shows only the older status',
    run: (channel) => sessionAt(channel, channel.inDirectMessage),
  },
  {
    name: 'agent session in a channel: status and name',
    expected: 'not documented',
    feature: slackFeatures.agentSessionsInChannel,
    otherwise: 'shows only the older status in channels',
    run: (channel) => sessionAt(channel, channel.inChannel),
  },
  {
    name: 'event of Slack’s own Stop button',
    expected: 'agents.sessions.setStatus warns if the app isn’t subscribed to it',
    feature: slackFeatures.stopEvent,
    otherwise: 'adds its own Stop button; the log and npm run doctor explain how to subscribe',
    async run({ slack, inDirectMessage: { channel: channel_id, thread: thread_ts } }) {
      const at = { channel_id, thread_ts };
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
  {
    name: 'stream in direct messages: start, append, stop',
    expected: 'works, in chunks',
    feature: slackFeatures.streamInDirectMessage,
    otherwise: 'edits messages there',
    run: (channel) => streamIn(channel, channel.inDirectMessage),
  },
  {
    name: 'stream in a channel: start, append, stop',
    expected: 'works; channel_type_not_supported in some workspaces',
    run: (channel) => streamIn(channel, channel.inChannel),
  },
  {
    name: 'stream started without text',
    expected: 'works; chunks may follow',
    async run(channel) {
      const at = await startStream(channel, []);
      await channel.slack.call('chat.appendStream', { ...at, chunks: [textChunk(label)] });
    },
  },
  {
    name: 'stream ended without text',
    expected: 'refused (no_text)',
    async run(channel) {
      const at = await startStream(channel, []);
      try {
        await channel.slack.call('chat.stopStream', at);
        return works('ended');
      } catch (error) {
        // It can be deleted only after it has ended, which takes some text.
        await channel.slack.call('chat.appendStream', { ...at, chunks: [textChunk(label)] });
        throw error;
      }
    },
  },
  {
    name: 'stream ended with text and buttons',
    expected: 'works (chunks and blocks)',
    feature: slackFeatures.blocksAtStreamStop,
    otherwise: 'posts the buttons in a message of their own',
    async run(channel) {
      const at = await startStream(channel);
      const blocks = [buttonRow(['live-check', 'Nothing happens'])];
      await channel.slack.call('chat.stopStream', { ...at, chunks: [textChunk(' the end')], blocks });
    },
  },
  {
    name: 'edit after a stream has ended',
    expected: 'documented to fail (block_mismatch); reported to work',
    async run(channel) {
      const at = await startStream(channel);
      await channel.slack.call('chat.stopStream', at);
      const text = `${label}: edited`;
      const blocks = [{ type: 'section', text: { type: 'mrkdwn', text } }];
      await channel.slack.call('chat.update', { ...at, text, blocks });
    },
  },
  {
    name: 'picture in a block, uploaded without sharing',
    expected: 'works (slack_file)',
    feature: slackFeatures.slackFileImage,
    otherwise: 'shows images as files under the message',
    async run(channel) {
      await channel.slack.post(channel.inChannel, 'a picture', [await pictureIn(channel)]);
    },
  },
  {
    name: 'picture sent back as Slack returned it',
    expected: 'refused (invalid_blocks): Slack adds its size and URL; reported to work again since',
    async run(channel) {
      const { slack, inChannel } = channel;
      const { ts, message } = await slack.post(inChannel, 'a picture', [await pictureIn(channel)]);
      const changed = { channel: inChannel.channel, ts, text: label, blocks: message?.blocks };
      await slack.call('chat.update', changed);
    },
  },
  ...fileTypes.map(([extension, bytes, feature, otherwise]): SlackStep => ({
    name: `${extension} file`,
    expected: 'works; file_type_not_allowed if administrators forbid the type',
    ...{ feature, otherwise },
    async run({ slack }) {
      await slack.upload(extension, bytes);
    },
  })),
  {
    name: 'reading a thread twice in a row',
    expected: 'works for internal and Marketplace apps; others get one call a minute',
    feature: slackFeatures.quickHistory,
    otherwise: 'builds threads from the messages it received as well, and says what may be missing',
    async run({ slack, inChannel: { channel, thread } }) {
      try {
        for (let time = 0; time < 2; time++)
          await slack.once('conversations.replies', { channel, ts: thread, limit: 20 });
        return works();
      } catch (error) {
        const seconds = retryAfter(error);
        if (seconds === undefined) throw error;
        return refused(`rate limited for ${seconds} s`);
      }
    },
  },
];

async function sessionAt({ slack }: SlackChannel, { channel, thread }: Place): Promise<Seen> {
  const at = { channel_id: channel, thread_ts: thread };
  await slack.call('agents.sessions.setStatus', { ...at, status: 'processing', title: label });
  await slack.call('agents.sessions.rename', { ...at, title: `${label} (renamed)` });
  await slack.call('agents.sessions.setStatus', { ...at, status: 'closed' });
  return works();
}

/** A piece of a stream's text. */
const textChunk = (text: string) => ({ type: 'markdown_text', text });

/** Streams word by word in a thread. */
async function streamIn(channel: SlackChannel, place: Place): Promise<Seen> {
  const { slack } = channel;
  const at = await startStream(channel, [textChunk(`${label}: streams `)], place);
  await slack.call('chat.appendStream', { ...at, chunks: [textChunk('word by word')] });
  await slack.call('chat.stopStream', at);
  channel.streams ??= place;
  return works();
}

/** Starts a stream, in a thread in which streams work. Outside direct messages Slack wants to be told for whom it is. */
async function startStream(
  { slack, streams, inDirectMessage, person, workspace }: SlackChannel,
  chunks: readonly object[] = [textChunk(label)],
  place = streams,
) {
  if (!place) throw new Ended(skipped('streams don’t work here'));
  const recipient = { recipient_user_id: person, recipient_team_id: workspace };
  const ts = await slack.startStream(place, {
    ...(place !== inDirectMessage && recipient),
    ...(chunks.length > 0 && { chunks }),
  });
  return { channel: place.channel, ts };
}

/** @throws {Ended} if the workspace takes no pictures at all. */
async function pictureIn(channel: SlackChannel): Promise<object> {
  return picture(channel).catch((error: unknown) => {
    throw isKindRefused(error) ? new Ended(skipped('PNG files are forbidden here')) : error;
  });
}

/** How to fix a missing scope or event. */
const manifestHint =
  'replace the app’s manifest with the output of npm run slack:manifest, and reinstall the app';

/** What an error says about a step. Only a refusal of the feature itself counts as refused and is remembered. */
export function explain(error: unknown): Seen {
  const code = slackCode(error);
  if (code === undefined)
    return unclear(
      retryAfter(error) === undefined ? 'no response from Slack' : 'Slack’s rate limit is reached',
    );
  if (isAccessLost(error))
    return needs(`Slack refused SLACK_BOT_TOKEN (${code}): reinstall the app and set its new token`);
  if (code === 'missing_scope') return needs(`Give the app ${scopeOf(error)}: ${manifestHint}`);
  const hint = hints[code] ?? (code.startsWith('restricted_action') ? settingsHint : undefined);
  if (hint !== undefined) return needs(`${hint} (${code})`);
  const isRefusal = [isFeatureMissing, isFormatRefused, isKindRefused, isUneditable].some((matches) =>
    matches(error),
  );
  // A temporary error, or an unknown code, says nothing about what the workspace allows.
  return isRefusal ? refused(`refused: ${code}`) : unclear(`Slack answered ${code}`);
}

const invite = 'The bot isn’t in the channel: type /invite @troupe there';
const settingsHint =
  'The channel’s settings don’t let the bot post: allow everyone to post and reply, or use another channel';
const archived = 'The channel is archived: use another one';
const shared =
  'Administrators don’t allow files in channels shared with other organizations: use a channel of this workspace only';
const administrators = 'Administrators don’t allow this: ask them to change it';

/** What to do about codes that concern the channel, the person or an administrator’s setting instead of the feature. */
const hints: Readonly<Record<string, string>> = {
  not_in_channel: invite,
  channel_not_found: invite,
  is_archived: archived,
  is_inactive: archived,
  posting_to_channel_denied: settingsHint,
  posting_to_general_channel_denied: settingsHint,
  restricted_action_non_threadable_channel:
    'The channel doesn’t allow threads, which the check needs: use another channel',
  messages_tab_disabled: `Turn on the Messages tab in the app’s settings: ${manifestHint}`,
  file_uploads_disabled: 'Administrators have disabled file uploads: ask them to enable them',
  slack_connect_blocked_file_type: shared,
  slack_connect_clip_sharing_blocked: shared,
  slack_connect_file_link_sharing_blocked: shared,
  slack_connect_file_upload_sharing_blocked: shared,
  ekm_access_denied: administrators,
  no_permission: administrators,
  access_denied: administrators,
};

function scopeOf(error: unknown): string {
  const data = error instanceof webApi.WebAPIPlatformError ? error.data : undefined;
  return data && 'needed' in data ? `the scope ${String(data.needed)}` : 'its missing scope';
}
