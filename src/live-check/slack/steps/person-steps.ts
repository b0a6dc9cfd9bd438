import { slackFeatures } from '../../../platforms/slack/api/features.ts';
import { hearsStops } from '../../../platforms/slack/reply/stream/agent-sessions.ts';
import { onePixelPng } from '../../sample-files.ts';
import { needs, notDoneInTime, refused, type Step, type StepResult, skipped, works } from '../../step.ts';
import {
  type HelperSession,
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
import { respond } from './press-steps.ts';
import { buttonRow } from './stream-steps.ts';

/** Steps with something that only a person can do or see. */
export const personSteps: readonly Step<SlackContext>[] = [
  {
    name: 'Slack’s own Stop button',
    expects: 'sends agent_session_stopped, and the stream has ended',
    does: 'stops the answer and closes the session',
    run: (context) => withHelper(context, (session) => tryStop(context, session)),
  },
  {
    name: 'user group in a command',
    expects: 'its id, with should_escape; not documented for groups',
    does: 'reads a group by its id or its handle',
    run: (context) =>
      withHelper(context, async ({ helper, socket }) => {
        const request = 'In the channel, type “/troupe help @GROUP” with the handle of a user group.';
        const command = await helper.wait<TypedCommand>(request, (resolve) =>
          socket.listen('command', resolve),
        );
        if (!command) return notDoneInTime;
        if (/<!subteam\^\w+/.test(command.text)) return works('received its id');
        return /@[\p{L}\d]/u.test(command.text)
          ? refused('received only its handle')
          : skipped('no group was mentioned');
      }),
  },
  {
    name: 'command in the direct messages of two people',
    expects: 'the bot can’t post there (channel_not_found)',
    does: 'answers through the response_url, and sends files to the person directly',
    run: (context) =>
      withHelper(context, async ({ helper, socket }) => {
        const request = 'Type “/troupe help” in your direct messages with another person.';
        const command = await helper.wait<TypedCommand>(request, (resolve) =>
          socket.listen('command', resolve),
        );
        if (!command) return notDoneInTime;
        const { channel_id: channel } = command;
        if (channel === context.inDirectMessage?.channel)
          return skipped('that was typed in the bot’s own direct messages');
        return expectRefusal('channel_not_found', () => post(context, { channel }, { text: label }));
      }),
  },
  {
    name: 'replacing a message over a command’s response_url',
    expects: 'reported to post another one',
    does: 'leaves out what would have to be taken away, such as the Stop button of a private answer',
    run: (context) =>
      withHelper(context, async ({ helper, socket }) => {
        const command = await helper.wait<TypedCommand>('In the channel, type “/troupe help”.', (resolve) =>
          socket.listen('command', resolve),
        );
        if (!command) return notDoneInTime;
        const text = `${label}: is there another message of this check above, for you alone?`;
        const section = { type: 'section', text: { type: 'mrkdwn', text } };
        await respond(command.response_url, { text: `${label}: the first message` });
        await respond(command.response_url, { text, blocks: [section, seenButtons], replace_original: true });
        const request = 'Look above the newest message, which only you see, then press one of its buttons.';
        const { kind } = await askWhetherSeen({ helper, socket }, request);
        if (kind === 'skipped') return notDoneInTime;
        return kind === 'refused' ? works('replaced') : refused('both are there');
      }),
  },
  {
    name: 'message for one person in a thread without replies',
    expects: 'isn’t shown',
    does: 'tells a person alone in the channel until somebody has replied in the thread',
    run: (context) => withHelper(context, (session) => whisperInEmptyThread(context, session)),
  },
  {
    name: 'picture in a block, as other people see it',
    expects: 'everyone in the channel sees it (slack_file)',
    does: {
      works: 'shows all images of a command in one message',
      refused: 'shows images as files under the message',
    },
    feature: slackFeatures.slackFileImage,
    run: (context) => withHelper(context, (session) => seenByOthers(context, session)),
  },
  {
    name: 'picture put into a message by an edit, as other people see it',
    expects: 'others see none; reported',
    does: 'posts a finished image as a new message',
    run: (context) => withHelper(context, (session) => seenAfterEdit(context, session)),
  },
];

async function tryStop(context: SlackContext, { helper, socket }: HelperSession): Promise<StepResult> {
  const { slack, inDirectMessage } = context;
  if (!inDirectMessage) return skipped('no person is in the channel');
  const { channel, thread } = inDirectMessage;
  const at = { channel_id: channel, thread_ts: thread };
  const answer = await slack.call('agents.sessions.setStatus', { ...at, status: 'processing' });
  if (!hearsStops(answer)) return needs(`Subscribe the app to agent_session_stopped: ${manifestHint}`);
  const ts = await openStream(context, inDirectMessage, [textChunk(`${label}: press Stop`)]);
  const event = await helper.wait<Stopped>(
    'Press Slack’s Stop button in the thread in your direct messages with the bot.',
    (resolve) =>
      socket.listen('stopped', (event) => {
        if (event.channel === channel && event.thread_ts === thread) resolve(event);
      }),
  );
  await slack.call('agents.sessions.setStatus', { ...at, status: 'closed' });
  if (!event) return notDoneInTime;
  const more = { channel, ts, chunks: [textChunk('more')] };
  const { kind } = await expectRefusal('message_not_in_streaming_state', () =>
    slack.call('chat.appendStream', more),
  );
  return kind === 'refused'
    ? works('received the event; the stream has ended')
    : refused('the stream continues');
}

async function whisperInEmptyThread(context: SlackContext, session: HelperSession): Promise<StepResult> {
  const { slack, inChannel, person } = context;
  if (person === undefined) return skipped('no person is in the channel');
  const { channel } = inChannel;
  const text = `${label}: is there a message for you alone in the thread of this one?`;
  const section = { type: 'section', text: { type: 'mrkdwn', text } };
  const ts = await post(context, { channel }, { text, blocks: [section, seenButtons] });
  const whisper = { channel, user: person, thread_ts: ts, text: `${label}: only you see this` };
  await slack.call('chat.postEphemeral', whisper);
  return askWhetherSeen(
    session,
    'Open the thread of the newest message in the channel, look for a message for you alone, then press one of the buttons.',
  );
}

async function seenByOthers(context: SlackContext, session: HelperSession): Promise<StepResult> {
  await post(context, context.inChannel, { text: dotQuestion, blocks: await unsharedPicture(context) });
  return askForDot(session);
}

async function seenAfterEdit(context: SlackContext, session: HelperSession): Promise<StepResult> {
  const { channel } = context.inChannel;
  const ts = await post(context, context.inChannel, { text: `${label}: announced` });
  const blocks = await unsharedPicture(context);
  await context.slack.call('chat.update', { channel, ts, text: dotQuestion, blocks });
  return askForDot(session);
}

const dotQuestion = `${label}: do you see a dot?`;

/** The blocks of a message with a picture that is shared nowhere. */
async function unsharedPicture(context: SlackContext) {
  const id = await upload(context, { extension: 'png', bytes: onePixelPng });
  await waitUntilProcessed(context, id);
  return [{ type: 'image', slack_file: { id }, alt_text: label }, seenButtons];
}

function askForDot(session: HelperSession): Promise<StepResult> {
  return askWhetherSeen(
    session,
    'Look for a picture (one dark dot) in the newest message of the thread, then press one of its buttons.',
  );
}

const seenButtons = buttonRow(['live-check-seen', 'I see it'], ['live-check-unseen', 'I don’t see it']);

/** Asks a person what they see, which they say with one of these buttons. */
async function askWhetherSeen({ helper, socket }: HelperSession, request: string): Promise<StepResult> {
  const press = await helper.wait<Press>(request, (resolve) => socket.listen('press', resolve));
  if (!press) return notDoneInTime;
  const isSeen = press.actions.some(({ action_id }) => action_id === 'live-check-seen');
  return isSeen ? works('seen') : refused('not seen');
}
