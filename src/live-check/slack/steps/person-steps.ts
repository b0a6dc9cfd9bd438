import { slackFeatures } from '../../../platforms/slack/api/features.ts';
import { hearsStops } from '../../../platforms/slack/reply/stream/agent-sessions.ts';
import { notDoneInTime } from '../../nobody.ts';
import { onePixelPng } from '../../sample-files.ts';
import { needs, refused, type Step, type StepResult, skipped, works } from '../../step.ts';
import {
  type Helping,
  label,
  openStream,
  post,
  type SlackContext,
  textChunk,
  withHelper,
} from '../context.ts';
import { expectRefusal, manifestHint } from '../refusals.ts';
import type { Press, Stopped, TypedCommand } from '../socket-listener.ts';
import { upload, waitUntilProcessed } from '../upload.ts';
import { buttonRow } from './stream-steps.ts';

/** Steps about what only a person can do or see. */
export const personSteps: readonly Step<SlackContext>[] = [
  {
    name: 'Slack’s own Stop button',
    expects: 'agent_session_stopped comes, and the stream has ended',
    does: 'stops the answer, and ends the session itself',
    run: (context) => withHelper(context, (company) => stopped(context, company)),
  },
  {
    name: 'user group in a command',
    expects: 'with should_escape its id; not documented for groups',
    does: 'takes a group by its id, else by its handle',
    run: (context) =>
      withHelper(context, async ({ helper, presses }) => {
        const request = 'Type “/troupe help @GROUP” in the channel, with the handle of a user group.';
        const command = await helper.wait<TypedCommand>(request, (take) => presses.listen('command', take));
        if (!command) return notDoneInTime;
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
      withHelper(context, async ({ helper, presses }) => {
        const request = 'Type “/troupe help” in your direct messages with somebody else.';
        const command = await helper.wait<TypedCommand>(request, (take) => presses.listen('command', take));
        if (!command) return notDoneInTime;
        const { channel_id: channel } = command;
        if (channel === context.inDirectMessage?.channel) return skipped('that was typed to the bot');
        return expectRefusal('channel_not_found', () => post(context, { channel }, { text: label }));
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
    run: (context) => withHelper(context, (company) => seenByOthers(context, company)),
  },
];

async function stopped(context: SlackContext, { helper, presses }: Helping): Promise<StepResult> {
  const { slack, inDirectMessage } = context;
  if (!inDirectMessage) return skipped('nobody is in the channel to write to');
  const { channel, thread } = inDirectMessage;
  const at = { channel_id: channel, thread_ts: thread };
  const answer = await slack.call('agents.sessions.setStatus', { ...at, status: 'processing' });
  if (!hearsStops(answer)) return needs(`Give the app the event agent_session_stopped: ${manifestHint}`);
  const ts = await openStream(context, inDirectMessage, [textChunk(`${label}: please press Stop`)]);
  const heard = await helper.wait<Stopped>(
    'Press Slack’s own Stop button in the thread of your direct messages with the bot.',
    (take) =>
      presses.listen('stopped', (event) => {
        if (event.channel === channel && event.thread_ts === thread) take(event);
      }),
  );
  await slack.call('agents.sessions.setStatus', { ...at, status: 'closed' });
  if (!heard) return notDoneInTime;
  const more = { channel, ts, chunks: [textChunk('more')] };
  const { kind } = await expectRefusal('message_not_in_streaming_state', () =>
    slack.call('chat.appendStream', more),
  );
  return kind === 'refused' ? works('the event came; the stream has ended') : refused('the stream goes on');
}

async function seenByOthers(context: SlackContext, { helper, presses }: Helping): Promise<StepResult> {
  const id = await upload(context, { ending: 'png', bytes: onePixelPng });
  await waitUntilProcessed(context, id);
  const buttons = buttonRow(['live-check-seen', 'I see it'], ['live-check-unseen', 'I don’t see it']);
  const blocks = [{ type: 'image', slack_file: { id }, alt_text: label }, buttons];
  await post(context, context.inChannel, { text: `${label}: do you see a dot?`, blocks });
  const press = await helper.wait<Press>(
    'Look for a picture (one dark dot) in the newest message of the thread; press one of its buttons.',
    (take) => presses.listen('press', take),
  );
  if (!press) return notDoneInTime;
  const isSeen = press.actions.some(({ action_id }) => action_id === 'live-check-seen');
  return isSeen ? works('seen') : refused('not seen');
}
