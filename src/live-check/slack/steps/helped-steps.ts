import { slackFeatures } from '../../../platforms/slack/api/features.ts';
import { hearsStops } from '../../../platforms/slack/reply/stream/agent-sessions.ts';
import { nobodyCame } from '../../nobody.ts';
import { dot } from '../../samples.ts';
import { needs, refused, type Seen, type Step, skipped, works } from '../../step.ts';
import { type Company, mark, openStream, post, type SlackContext, withCompany, words } from '../context.ts';
import type { Press, Stopped, TypedCommand } from '../presses.ts';
import { expecting, manifestHint } from '../refusals.ts';
import { readBySlack, upload } from '../upload.ts';
import { buttonRow } from './stream-steps.ts';

/** Steps about what only a person can do or see. */
export const helpedSteps: readonly Step<SlackContext>[] = [
  {
    name: 'Slack’s own Stop button',
    expects: 'agent_session_stopped comes, and the stream has ended',
    does: 'stops the answer, and ends the session itself',
    run: (context) => withCompany(context, (company) => stopped(context, company)),
  },
  {
    name: 'user group in a command',
    expects: 'with should_escape its id; not documented for groups',
    does: 'takes a group by its id, else by its handle',
    run: (context) =>
      withCompany(context, async ({ helper, presses }) => {
        const request = 'Type “/troupe help @GROUP” in the channel, with the handle of a user group.';
        const command = await helper.wait<TypedCommand>(request, (take) => presses.listen('command', take));
        if (!command) return nobodyCame;
        if (/<!subteam\^\w+/.test(command.text)) return works('its id comes');
        return /@[\p{L}\d]/u.test(command.text)
          ? refused('its handle alone comes')
          : skipped('no group was named');
      }),
  },
  {
    name: 'command in the direct messages of two people',
    expects: 'its channel is unknown to the bot (channel_not_found)',
    does: 'answers through the response_url, and sends files to who asked',
    run: (context) =>
      withCompany(context, async ({ helper, presses }) => {
        const request = 'Type “/troupe help” in your direct messages with somebody else.';
        const command = await helper.wait<TypedCommand>(request, (take) => presses.listen('command', take));
        if (!command) return nobodyCame;
        const { channel_id: channel } = command;
        if (channel === context.inDirectMessage?.channel) return skipped('that was typed to the bot');
        return expecting('channel_not_found', () => post(context, { channel }, { text: mark }));
      }),
  },
  {
    name: 'picture that was not shared, as other people see it',
    expects: 'everybody in the channel sees it (slack_file)',
    does: {
      works: 'shows all images of a command in one message',
      refused: 'shows images as files under the message',
    },
    feature: slackFeatures.slackFileImage,
    run: (context) => withCompany(context, (company) => seenByOthers(context, company)),
  },
];

async function stopped(context: SlackContext, { helper, presses }: Company): Promise<Seen> {
  const { slack, inDirectMessage } = context;
  if (!inDirectMessage) return skipped('nobody is in the channel to write to');
  const { channel, thread } = inDirectMessage;
  const at = { channel_id: channel, thread_ts: thread };
  const answer = await slack.call('agents.sessions.setStatus', { ...at, status: 'processing' });
  if (!hearsStops(answer)) return needs(`Give the app the event agent_session_stopped: ${manifestHint}`);
  const ts = await openStream(context, inDirectMessage, [words(`${mark}: please press Stop`)]);
  const heard = await helper.wait<Stopped>(
    'Press Slack’s own Stop button in the thread of your direct messages with the bot.',
    (take) =>
      presses.listen('stopped', (event) => {
        if (event.channel === channel && event.thread_ts === thread) take(event);
      }),
  );
  await slack.call('agents.sessions.setStatus', { ...at, status: 'closed' });
  if (!heard) return nobodyCame;
  const more = { channel, ts, chunks: [words('more')] };
  const { kind } = await expecting('message_not_in_streaming_state', () =>
    slack.call('chat.appendStream', more),
  );
  return kind === 'refused' ? works('the event came; the stream has ended') : refused('the stream goes on');
}

async function seenByOthers(context: SlackContext, { helper, presses }: Company): Promise<Seen> {
  const id = await upload(context, { ending: 'png', bytes: dot });
  await readBySlack(context, id);
  const buttons = buttonRow(['live-check-seen', 'I see it'], ['live-check-unseen', 'I don’t see it']);
  const blocks = [{ type: 'image', slack_file: { id }, alt_text: mark }, buttons];
  await post(context, context.inChannel, { text: `${mark}: do you see a dot?`, blocks });
  const press = await helper.wait<Press>(
    'Look for a picture (one dark dot) in the newest message of the thread; press one of its buttons.',
    (take) => presses.listen('press', take),
  );
  if (!press) return nobodyCame;
  const isSeen = press.actions.some(({ action_id }) => action_id === 'live-check-seen');
  return isSeen ? works('seen') : refused('not seen');
}
