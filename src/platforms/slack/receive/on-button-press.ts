import type { BlockAction, types } from '@slack/bolt';
import { holdsId } from '../../../lib/text.ts';
import {
  type AcceptedRequest,
  type MessageAddress,
  parseActionId,
  type Person,
  PlatformError,
} from '../../../port/index.ts';
import { formLimits } from '../commands/form-inputs.ts';
import { typedName } from '../commands/slash-commands.ts';
import { interactionId } from '../incoming/arrivals.ts';
import { markdownIn, threadOfButtons } from '../markup/blocks.ts';
import { answerHeader } from '../markup/message-formats.ts';
import { messageAt, questionAt, slackAddress } from '../post/address.ts';
import type { UnfinishedAnswer } from '../reply/unfinished-answer-records.ts';
import { type ChannelMembership, isClosed, membershipFor } from './channel-membership.ts';
import {
  carryOut,
  commandNamed,
  type HandlerContext,
  openForm,
  orExplain,
  quotedText,
  replyIn,
  runVisibly,
  type SlackCaller,
  whisperTo,
} from './handler-context.ts';

/** Handles a button press; it’s acknowledged when its command is on record, or won’t be. */
export async function onButtonPress(
  context: HandlerContext,
  body: BlockAction,
  workspace: string,
): Promise<void> {
  const action = pressedIn(body);
  const { response_url: responseUrl } = body;
  const container = containerOf(body);
  const eventId = interactionId('press', body);
  if (!action || !parseActionId(action.action_id) || !(await context.arrivals.isFirst(eventId))) return;
  const channel = await channelOf(context, body, action.action_id);
  const ts = String(container.message_ts ?? '');
  const within = container.thread_ts === ts ? undefined : container.thread_ts;
  // What only one person is shown may stand outside of the thread that it belongs to.
  const outside = container.is_ephemeral ? threadOfButtons(action.block_id) : undefined;
  const thread = within ?? outside;
  const address = await context.threads.addressOf(workspace, channel, thread, within === undefined);
  const { id, name, username } = body.user;
  const requester = await context.people.findAt(address, workspace, id, name ?? username);
  const url = container.is_ephemeral ? { responseUrl } : { pressUrl: responseUrl };
  const pressed = messageAt({ ...address, platformData: { ...address.platformData, ...url } }, ts);
  const asks = isDecision(action.action_id) && !container.is_ephemeral;
  const message = asks ? questionAt(pressed) : pressed;
  const caller = { address, requester, eventId, responseUrl };
  const press = { caller, message, action, thread, isOutside: within === undefined };
  await orExplain(context, caller, () => handle(context, body, press));
}

/** The id of the channel of a press: what was asked for under a later one goes on under that. */
async function channelOf(
  { api, dispatcher }: HandlerContext,
  body: BlockAction,
  actionId: string,
): Promise<string> {
  const first = channelIn(body);
  const ids = api.channelIds(first);
  const asked = ids.length > 1 ? (await dispatcher.askedAt(actionId))?.channel : undefined;
  return asked !== undefined && ids.includes(asked) ? asked : first;
}

/** The id of the channel in which something was pressed, as Slack names it now. */
export function channelIn(body: BlockAction): string {
  return body.channel?.id ?? String(containerOf(body).channel_id ?? '');
}

/** The pressed button. Of Slack’s own feedback buttons, which share an id, the value says what the pressed one does. */
export function pressedIn({
  actions: [action],
}: Pick<BlockAction, 'actions'>): BlockAction['actions'][number] | undefined {
  if (action?.type !== 'feedback_buttons' || !('value' in action)) return action;
  return { ...action, action_id: String(action.value) };
}

/** Where the button stands. Slack's page of a payload's fields has the message, and not this (block_actions). */
function containerOf({ container, message, channel }: BlockAction): BlockAction['container'] {
  const { ts, thread_ts }: { ts?: string; thread_ts?: string } = message ?? {};
  const byMessage = { message_ts: ts, thread_ts, channel_id: channel?.id, is_ephemeral: !message };
  return (container as BlockAction['container'] | undefined) ?? byMessage;
}

/** Whether the event shows the blocks of the message with the button: of one that only one person sees, it may not. */
function isShown({ message }: BlockAction): boolean {
  return Array.isArray(message?.blocks) && message.blocks.length > 0;
}

/** Where the id of a pressed button stands in its block. */
function idOf(action: BlockAction['actions'][number] | undefined): readonly [name: string, id: string] {
  if (action?.type === 'feedback_buttons' && 'value' in action) return ['value', String(action.value)];
  return ['action_id', action?.action_id ?? ''];
}

interface ButtonEvent {
  readonly caller: SlackCaller & { readonly responseUrl: string };
  readonly message: MessageAddress;
  readonly action: BlockAction['actions'][number];
  readonly thread: string | undefined;
  /** The message stands outside of that thread. */
  readonly isOutside: boolean;
}

async function handle(
  context: HandlerContext,
  body: BlockAction,
  { caller, message, action, thread, isOutside }: ButtonEvent,
): Promise<void> {
  const { address, requester, eventId, responseUrl } = caller;
  const { workspace, channel } = address;
  const hasButton = holdsId(body.message?.blocks, ...idOf(body.actions[0]));
  const text = markdownIn(body.message?.blocks) ?? body.message?.text;
  await using prepared = await context.requests.preparePress({
    ...{ eventId, actionId: action.action_id, address, message, requester },
    ...(isShown(body) && !hasButton && { isMadeUp: true }),
    ...(hasButton && !containerOf(body).is_ephemeral && { isSeenByAll: true }),
    ...(text !== undefined && { text }),
    acknowledgement: { responseUrl },
    maxInput: formLimits.input,
  });
  if (prepared.kind !== 'accepted') await context.acknowledge();
  switch (prepared.kind) {
    case 'refused':
      if (prepared.isOver && (await isReplaced(context, message, prepared.text))) return;
      return whisperTo(context, caller, prepared.text);
    case 'form': {
      const { form } = prepared;
      const below = thread ?? (form.isBelow ? message.message : undefined);
      const origin = {
        kind: 'press',
        action: form.sentAs ?? action.action_id,
        command: form.command,
        workspace,
        channel,
        message: message.message,
        ...(below !== undefined && { thread: below }),
        isOutside,
        via: responseUrl,
      } as const;
      return openForm(context, form, origin, body.trigger_id, caller);
    }
    case 'accepted': {
      return await carryOut(context, prepared, {
        caller,
        membership: await membershipAt(context, caller, prepared, action.action_id),
        async refuse(why) {
          await context.acknowledge();
          await whisperTo(context, caller, why);
        },
        async run(reply) {
          // A text that’s shared needs no membership.
          const suffices = isTextAlone(context, action.action_id) ? { textSuffices: true } : {};
          const isShared = !(await context.directMessages.isOwn(workspace, channel));
          const header = headerOf(context, requester, prepared, action);
          await runVisibly(context, prepared, { ...reply, ...suffices, ...(isShared && { header }) });
        },
      });
    }
  }
}

/** Puts a text in the place of a message that only its presser sees; false for others, and where Slack doesn’t let it. */
async function isReplaced(
  { responseUrls }: HandlerContext,
  { platformData }: MessageAddress,
  text: string,
): Promise<boolean> {
  const url = platformData?.responseUrl;
  if (url === undefined) return false;
  try {
    await responseUrls.replace(url, { text });
    return true;
  } catch (error) {
    if (error instanceof PlatformError) return false;
    throw error;
  }
}

/** Who pressed what, and the question that is answered: a confirmed command is shown as the command itself. */
function headerOf(
  context: HandlerContext,
  requester: Person,
  { call }: AcceptedRequest,
  action: BlockAction['actions'][number],
): string {
  const label = 'text' in action ? action.text.text : '';
  if (!call) return answerHeader(requester, label);
  const { command, options } = call;
  const how = isDecision(action.action_id) ? typedName(command, context.prefix) : label;
  return answerHeader(requester, how, quotedText(commandNamed(context, command), options), options);
}

/** Whether a button answers a question of the bot’s. */
function isDecision(actionId: string): boolean {
  return ['yes', 'no', 'instead'].includes(parseActionId(actionId)?.action ?? '');
}

/** Whether the bot may post what comes of a button; where its presser alone sees that, it doesn't matter. */
async function membershipAt(
  context: HandlerContext,
  { address, requester }: SlackCaller,
  { call, seenBy }: AcceptedRequest,
  actionId: string,
): Promise<ChannelMembership> {
  if (seenBy !== 'channel') return { kind: 'member' };
  const command = commandNamed(context, call?.command ?? parseActionId(actionId)?.command);
  const target = { address, user: requester.id, closed: isClosed(address.channel), hasResponseUrl: true };
  return membershipFor(context, command, target);
}

/** Whether a button's command posts only text. */
function isTextAlone(context: HandlerContext, actionId: string): boolean {
  return !commandNamed(context, parseActionId(actionId)?.command)?.postsFiles;
}

/**
 * Handles Slack’s own Stop button in a thread like the answer’s own. Slack has already ended the streams; the session
 * is ended with the answer, or here where there is none (agent_session_stopped).
 */
export async function onStopButton(
  context: HandlerContext,
  event: types.AgentSessionStoppedEvent,
  workspace: string,
): Promise<void> {
  const { channel, thread_ts: thread, streaming_message_ts: streams = [] } = event;
  await context.nativeStreams.noteStopped(workspace, channel, streams);
  const answers: UnfinishedAnswer[] = [];
  for (const id of context.api.channelIds(channel))
    answers.push(...(await context.unfinishedAnswerRecords.inThread(workspace, id, thread)));
  for (const answer of answers) await stop(context, event, answer);
  if (answers.length === 0) {
    await context.sessions.settle(slackAddress(workspace, channel, undefined, { under: thread }));
  }
}

async function stop(
  context: HandlerContext,
  event: types.AgentSessionStoppedEvent,
  { address, stop: actionId }: UnfinishedAnswer,
): Promise<void> {
  const eventId = `slack:stopped:${actionId}:${event.event_ts}`;
  if (!(await context.arrivals.isFirst(eventId))) return;
  const requester = await context.people.find(address.workspace, event.user);
  const caller = { address, requester, eventId };
  await orExplain(context, caller, async () => {
    const message = messageAt(address, event.streaming_message_ts?.[0] ?? event.thread_ts);
    await using prepared = await context.requests.preparePress({ ...caller, actionId, message });
    if (prepared.kind === 'refused') return whisperTo(context, caller, prepared.text);
    if (prepared.kind === 'accepted') {
      await prepared.run(replyIn(context, { ...caller, seenBy: prepared.seenBy }));
    }
  });
}
