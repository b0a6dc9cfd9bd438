import type { StartTurn } from '../../../engine/index.ts';
import { titleOf } from '../../../lib/text.ts';
import { type Address, commandFor, type CommandRequest, undefinedIfRefused } from '../../../port/index.ts';
import { jobLife } from '../../../store/index.ts';
import { words } from '../../../words/index.ts';
import { eventOf, spokenRequest } from '../../../words/spoken-request.ts';
import { refusalText } from '../commands/corrected-example.ts';
import { unmoderated } from '../incoming/place-rules.ts';
import { inCanvas, type MessageEvent, messageId, withWords } from '../incoming/slack-message.ts';
import {
  mentionedUsers,
  mentionsSomebody,
  typedText,
  withEmoji,
  withMention,
  withoutMention,
  writtenText,
} from '../markup/incoming-text.ts';
import { speakerHeader } from '../markup/message-formats.ts';
import { mrkdwn } from '../markup/mrkdwn.ts';
import { commandValues, namesIn } from '../people/people.ts';
import { isDirect, slackAddress, timeOf } from '../post/address.ts';
import { FirstSign } from '../reply/live-answer.ts';
import { slackWords } from '../words.ts';
import { membershipFor } from './channel-membership.ts';
import {
  carryOut,
  commandNamed,
  type HandlerContext,
  orExplain,
  quotedText,
  runVisibly,
  type SlackCaller,
  textOf,
  whisperTo,
} from './handler-context.ts';
import { questionContext } from './question-context.ts';
import { referencesOf } from './references.ts';

/** Longest title of a conversation: the first words in it. */
const titleLength = 60;

/** Where an event belongs. */
interface Origin {
  readonly workspace: string;
  readonly botUser: string;
}

/** Subtypes of what people write; the others are Slack’s own notices and changes. */
const personalSubtypes: readonly (string | undefined)[] = [
  undefined,
  'file_share',
  'me_message',
  'thread_broadcast',
  inCanvas,
];

/** Slack’s own users. What they say looks like a person’s message: in direct messages, that the bot was taken out of a channel. */
const slackUsers: readonly string[] = ['USLACKBOT', 'USLACK'];

/** Slack’s notices that a channel’s posting rules may have changed, or who may know its name. */
const changeSubtypes: readonly (string | undefined)[] = [
  'channel_archive',
  'channel_unarchive',
  'group_archive',
  'group_unarchive',
  'channel_posting_permissions',
  'channel_convert_to_private',
];

/**
 * Handles a message to the bot like `/ask`: a mention, a direct message, or a message in a thread it takes part in.
 * Resolves when it’s on record. Rejects where a fault of this machine prevents that: then the person is told, or Slack
 * sends it again.
 */
export async function onMessage(context: HandlerContext, sent: MessageEvent, origin: Origin): Promise<void> {
  const event = { ...withEmoji(sent), ...(sent.message && { message: withEmoji(sent.message) }) };
  const { user } = event;
  await noteInThread(context, event, origin.workspace);
  await context.deletions.note(event, origin.workspace);
  if (changeSubtypes.includes(event.subtype))
    return context.channels.changed(origin.workspace, event.channel);
  if (user === undefined || user === origin.botUser) return;
  const channel = slackAddress(origin.workspace, event.channel);
  const said = withWords(event);
  if (!isPersonal(event) && !(await isAskedByBot(context, said, channel))) return;
  using turn = context.dispatcher.takeTurn(user, channel);
  await handle(context, { ...said, user }, origin, turn);
}

/** The id of a message, or the one that it's on record by: it may have come under a later id of its channel before. */
async function eventIdOf(
  { api, dispatcher }: HandlerContext,
  { channel, ts }: MessageEvent,
): Promise<string> {
  const [first = channel, ...later] = api.channelIds(channel);
  for (const id of later) {
    const eventId = messageId({ channel: id, ts });
    if (await dispatcher.isRecorded(eventId)) return eventId;
  }
  return messageId({ channel: first, ts });
}

/**
 * Does the work once for a message, under whichever of its channel's ids the first of its events came; and once for each
 * change of it, after that.
 */
async function once(
  { api, arrivals }: HandlerContext,
  { channel, ts, edited }: MessageEvent,
  work: () => Promise<void>,
): Promise<void> {
  const ids = api.channelIds(channel).map((id) => messageId({ channel: id, ts }));
  const onceUnder = (keys: readonly string[], inner: typeof work) =>
    keys.reduce((rest, key) => () => arrivals.once(key, rest), inner)();
  if (!edited) return onceUnder(ids, work);
  const changes = ids.map((id) => `${id} ${edited.ts}`);
  const onceForChange = () => onceUnder(changes, work);
  await onceUnder(ids, onceForChange);
  await onceForChange();
}

/** Whether it's a change of a message that something came of before; of old ones that isn't on record any more. */
async function isHandled(
  { dispatcher, clock }: HandlerContext,
  event: MessageEvent,
  eventId: string,
): Promise<boolean> {
  if (!event.edited) return false;
  const at = timeOf(event.ts);
  return clock.now() - at >= jobLife || dispatcher.isHandled(eventId, at);
}

/** Whether it’s what a person wrote, and not a notice or a change, or an app’s or Slack’s own. */
export function isPersonal({ bot_id, subtype, user }: MessageEvent): boolean {
  const isOfPerson = user !== undefined && bot_id === undefined && !slackUsers.includes(user);
  return isOfPerson && personalSubtypes.includes(subtype);
}

/**
 * Whether another app's bot asks something, where those are answered: it mentions the bot in a message of its own user. Webhooks
 * and workflows have none, and are never answered.
 */
async function isAskedByBot(
  { access, dispatcher }: HandlerContext,
  { bot_id, subtype, user = '', text = '', channel }: MessageEvent,
  address: Address,
): Promise<boolean> {
  if (bot_id === undefined || subtype !== undefined || isDirect(channel) || slackUsers.includes(user))
    return false;
  const isOwn = access.placeOfBot(user) !== undefined;
  return !isOwn && mentionedUsers(text).length > 0 && dispatcher.answersBots(address);
}

async function handle(
  context: HandlerContext,
  sent: MessageEvent & { readonly user: string },
  origin: Origin,
  turn: StartTurn,
): Promise<void> {
  const event = { ...sent, ...(await textHere(context, sent, origin.botUser)) };
  if (isDirect(event.channel)) await context.directMessages.noteOwn(origin.workspace, event.channel);
  const isBots = event.bot_id !== undefined;
  if (isBots && !isMention(event, origin.botUser)) return;
  const forBot = await isForBot(context, event, origin);
  if (forBot === false) return;
  if (!isBots) context.isAwaited();
  // A mention also comes as `message`, Slack may repeat any event, and a change is a mention again: one answer for one message.
  await once(context, event, async () => {
    const eventId = await eventIdOf(context, event);
    if (await isHandled(context, event, eventId)) return;
    const address = await addressOf(context, event, origin.workspace);
    const [requester, asked, isGroup] = await Promise.all([
      context.people.findAt(address, origin.workspace, event.user),
      askedFor(context, event, origin),
      isInGroup(context, event, origin.workspace),
    ]);
    const isUnmentioned = forBot === 'unmentioned';
    const text = withoutMention(event.text ?? '', origin.botUser).trim();
    const spoken = {
      ...asked,
      ...(isUnmentioned
        ? { isUnmentioned }
        : { said: { text, ...(event.edited && { writtenAt: timeOf(event.ts) }) } }),
    };
    const said = { event, ...origin, asked: spoken };
    const known = isBots ? { ...requester, bot: true as const } : requester;
    const person = { address, requester: isGroup ? unmoderated(known) : known, eventId };
    const isPrivate = asked.options.private || commandNamed(context, asked.command)?.seenBy === 'requester';
    const request = { ...person, since: turn.since, seenBy: isPrivate ? 'requester' : 'channel' } as const;
    // To say what it’s about may take longer than people wait. What doesn’t name the bot may be none of its business.
    const sign = isUnmentioned ? undefined : new FirstSign(context, request);
    const caller = { ...person, ...(sign && { sign }) };
    let goesOn = false;
    const later: Later = (work) => {
      goesOn = true;
      context.waiting.answered();
      void orExplain(context, caller, work).finally(() => void sign?.end());
    };
    try {
      await orExplain(context, caller, () => prepareAndRun(context, said, caller, turn, later));
    } finally {
      if (!goesOn) void sign?.end();
    }
  });
}

/** Goes on with the event acknowledged: what goes wrong now, the person is told here. */
type Later = (work: () => Promise<void>) => void;

/**
 * A message’s text where it mentions the bot by another workspace’s bot user: as if by the one here. In a channel of
 * several workspaces people mention that of their own, and Slack may name any of them with the message.
 */
async function textHere(
  context: HandlerContext,
  { text = '', channel }: MessageEvent,
  botUser: string,
): Promise<{ readonly text?: string }> {
  if (isDirect(channel)) return {};
  const others = mentionedUsers(text).filter((id) => id !== botUser);
  const bots = await Promise.all(
    others.map(async (id) => ((await isBotIn(context, id, channel)) ? [id] : [])),
  );
  return bots.flat().length > 0 ? { text: withMention(text, botUser, bots.flat()) } : {};
}

/** Whether a user is the app’s bot of some workspace and in a channel. Nothing is read for people. */
async function isBotIn(
  { access, channels }: HandlerContext,
  user: string,
  channel: string,
): Promise<boolean> {
  const workspace = access.placeOfBot(user);
  if (workspace === undefined || (await access.find({ team: workspace }))?.botUser !== user) return false;
  const refusal = await channels.refusalAt(slackAddress(workspace, channel), { fresh: false });
  return refusal?.kind !== 'not-a-member';
}

/** Where Slack lets an app read little, threads are put together from the messages that events brought. */
async function noteInThread(
  { threadReader, log }: HandlerContext,
  { channel, subtype, message, ...event }: MessageEvent,
  workspace: string,
): Promise<void> {
  try {
    if (subtype === 'message_changed' && message) await threadReader.change(workspace, channel, message);
    else if (subtype !== 'message_deleted')
      await threadReader.note(workspace, channel, { ...event, ...(subtype !== undefined && { subtype }) });
  } catch (error) {
    log.warn({ error }, 'a message of a thread in Slack could not be kept');
  }
}

/** A message to the bot, and what it asks for. */
interface Said extends Origin {
  readonly event: MessageEvent & { readonly user: string };
  readonly asked: AskedFor;
}

/** Puts a message’s command on record; the answer comes after that. */
async function prepareAndRun(
  context: HandlerContext,
  said: Said,
  caller: SlackCaller,
  turn: StartTurn,
  later: Later,
): Promise<void> {
  const { event } = said;
  const { address, requester } = caller;
  const closed = event.subtype === inCanvas;
  const target = { address, user: requester.id, closed, hasResponseUrl: false };
  const membershipOf = (name: string) => membershipFor(context, commandNamed(context, name), target);
  const [{ typed, notes, ...asked }, looked, references] = await Promise.all([
    withContext(context, said, caller),
    membershipOf(said.asked.command),
    undefinedIfRefused(referencesOf(context, event, said)),
  ]);
  if (!references)
    return later(() => whisperTo(context, caller, slackWords(requester.locale).fileUnreadable));
  if (notes.length > 0 && asked.command !== commandFor.chat)
    return later(() => whisperTo(context, caller, notes.join('\n')));
  const command = commandNamed(context, asked.command);
  const membership = asked.command === said.asked.command ? looked : await membershipOf(asked.command);
  const request = { ...caller, ...eventOf(caller.eventId, asked.command), ...asked, ...references };
  await using prepared = await context.requests.prepare(request, turn);
  if (prepared.kind === 'refused') {
    if (prepared.repeated) return;
    const why = refusalText(prepared, command, typed, asked.options, requester.locale);
    return later(() => whisperTo(context, caller, why));
  }
  if (prepared.kind !== 'accepted') return;
  const title = isNewTopic(event) ? titleOf(textOf(command, asked.options), titleLength) : '';
  // Several people may talk to the bot in a thread at the same time.
  const inThread = event.thread_ts !== undefined && !isDirect(event.channel) && prepared.seenBy === 'channel';
  const text = quotedText(command, asked.options);
  // Notes name files, and a name may be anything.
  const header = [...(inThread ? [speakerHeader(requester, text)] : []), ...notes.map(mrkdwn)].join('\n');
  const above = { ...(title !== '' && { title }), ...(header !== '' && { header }) };
  await carryOut(context, prepared, {
    ...{ caller, membership },
    refuse: async (why) => later(() => whisperTo(context, caller, why)),
    run: async (reply) =>
      later(() => runVisibly(context, prepared, { ...reply, since: turn.since, ...above })),
  });
}

/** A question with what it refers to; a message that only shares something is one too. */
async function withContext(
  context: HandlerContext,
  { event, asked, ...origin }: Said,
  { requester: { locale } }: SlackCaller,
): Promise<AskedFor & { readonly notes: readonly string[] }> {
  const isEmpty = withoutMention(event.text ?? '', origin.botUser).trim() === '';
  if (asked.command !== commandFor.chat && !isEmpty && !asked.instead) return { ...asked, notes: [] };
  const thread = isEmpty ? undefined : await threadOf(context, event, origin);
  const at = { ...origin, channel: event.channel, locale, thread };
  const { context: quotes, notes, shares } = await questionContext(context, event, at);
  if (isEmpty && !shares) return { ...asked, notes };
  const prompt = { command: commandFor.chat, options: { prompt: words(locale).quotedPrompt } };
  const added = { ...(quotes !== undefined && { added: { context: quotes } }) };
  if (asked.instead) return { ...asked, instead: { ...asked.instead, ...added }, notes: [] };
  return { ...asked, ...(isEmpty && prompt), ...added, notes };
}

/**
 * The thread that belongs to a question: where the bot is mentioned. What people tell it without a mention it knows
 * from its answers; in direct messages once it has answered in the thread.
 */
async function threadOf(
  { threads }: HandlerContext,
  event: MessageEvent,
  { workspace, botUser }: Origin,
): Promise<string | undefined> {
  const { channel, thread_ts: thread } = event;
  if (thread === undefined || isMention(event, botUser)) return thread;
  if (!isDirect(channel)) return undefined;
  return (await threads.has(workspace, channel, thread)) ? undefined : thread;
}

/** Whether it’s in direct messages of several people: only `message` events tell, and a mention may come without one. */
async function isInGroup(
  { channels }: HandlerContext,
  { channel_type: kind, channel }: MessageEvent,
  workspace: string,
): Promise<boolean> {
  return kind === undefined ? channels.isGroup(slackAddress(workspace, channel)) : kind === 'mpim';
}

function isMention({ type, text = '' }: MessageEvent, botUser: string): boolean {
  return type === 'app_mention' || mentionedUsers(text).includes(botUser);
}

/** Whether a message is for the bot: it mentions it, or is said to it without a mention in a thread it takes part in. */
async function isForBot(
  context: HandlerContext,
  event: MessageEvent,
  { workspace, botUser }: Origin,
): Promise<'mentioned' | 'unmentioned' | false> {
  if (isDirect(event.channel)) return 'mentioned';
  const { text = '', channel, thread_ts: thread, ts } = event;
  if (isMention(event, botUser)) {
    if (thread !== undefined) await context.threads.noteTalk(workspace, channel, thread, 'bot', ts);
    return 'mentioned';
  }
  if (thread === undefined || !(await context.threads.has(workspace, channel, thread))) return false;
  // People who address somebody else talk to them, and the next message may be the answer to that.
  if (mentionsSomebody(text)) {
    await context.threads.noteTalk(workspace, channel, thread, 'people', ts);
    return false;
  }
  return (await context.threads.talkIn(workspace, channel, thread)) === 'bot' ? 'unmentioned' : false;
}

/**
 * Answers go into the thread under the message, which is a conversation of its own: Slack’s agents have one for each
 * thread.
 */
async function addressOf(context: HandlerContext, event: MessageEvent, workspace: string) {
  const { channel, ts, thread_ts: thread } = event;
  if (thread !== undefined) return context.threads.addressOf(workspace, channel, thread);
  return slackAddress(workspace, channel, ts, { newThread: 'yes' });
}

/** The command in a message, and how it was typed; `ask` for plain text. */
interface AskedFor extends Pick<
  CommandRequest,
  'command' | 'options' | 'added' | 'isUnmentioned' | 'instead' | 'said'
> {
  readonly typed?: string;
}

/** Reads a message: the command it begins with, or a question. */
async function askedFor(
  context: HandlerContext,
  { bot_id, text = '', files = [], channel }: MessageEvent,
  { workspace, botUser }: Origin,
): Promise<AskedFor> {
  const { commands } = context.dispatcher;
  const at = { workspace, channel };
  const said = withoutMention(text, botUser);
  const question = async () => {
    const { nameOf } = await namesIn(context, at, said);
    return { prompt: writtenText(said, nameOf).trim() };
  };
  // Other bots only ask.
  if (bot_id !== undefined) return { command: commandFor.chat, options: await question() };
  const { text: line, labels } = typedText(said);
  const spoken = spokenRequest(line.trim(), {
    commands,
    prefix: context.prefix,
    hasFiles: files.length > 0,
  });
  const definition = commandNamed(context, spoken.command);
  if (definition === undefined || spoken.typed === undefined) {
    if (spoken.command !== commandFor.chat) return spoken;
    return { ...spoken, options: await question() };
  }
  const names = await namesIn(context, at, line, { labels });
  const options = commandValues(definition, spoken.options, names);
  const { instead } = spoken;
  return { ...spoken, options, ...(instead && { instead: { ...instead, options: await question() } }) };
}

function isNewTopic({ channel, thread_ts }: MessageEvent): boolean {
  return isDirect(channel) && thread_ts === undefined;
}
