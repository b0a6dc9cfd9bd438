import type { BlockAction, SlashCommand } from '@slack/bolt';
import type { StartTurn } from '../../../engine/index.ts';
import { type CommandAbout, PlatformError, type RawValues, readCommandLine } from '../../../port/index.ts';
import { words } from '../../../words/index.ts';
import { refusalText, withTyped } from '../commands/corrected-example.ts';
import { formLimits } from '../commands/form-inputs.ts';
import { type TypedCommand, typedCommand } from '../commands/slash-commands.ts';
import { interactionId } from '../incoming/arrivals.ts';
import { unmoderated } from '../incoming/place-rules.ts';
import { typedText } from '../markup/incoming-text.ts';
import { answerHeader } from '../markup/message-formats.ts';
import { choosesGroups, commandValues, type Mentions, namesIn } from '../people/people.ts';
import { messageAt, slackAddress } from '../post/address.ts';
import type { RefusedCommand } from '../post/channels/join-offers.ts';
import { slackWords } from '../words.ts';
import {
  type ChannelMembership,
  isClosed,
  membershipFor,
  refusalOf,
  targetOf,
} from './channel-membership.ts';
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
  textOf,
  whisperTo,
} from './handler-context.ts';
import { channelIn } from './on-button-press.ts';

/** A slash command with everything known about it. */
interface CommandEvent extends SlackCaller {
  readonly responseUrl: string;
  readonly typed: TypedCommand;
  readonly mentions: Mentions;
  readonly membership: ChannelMembership;
  /** No app can be invited there. */
  readonly closed: boolean;
  /** As Slack sent it, for when it’s run again. */
  readonly body: SlashCommand;
  readonly turn: StartTurn;
}

/** Handles a slash command; it’s acknowledged when it’s on record. */
export async function onCommand(
  context: HandlerContext,
  body: SlashCommand,
  workspace: string,
): Promise<void> {
  const eventId = interactionId('command', body);
  const { text, labels } = typedText((body as Partial<SlashCommand>).text ?? '');
  const typed = typedCommand(body.command, text, context.prefix, context.dispatcher.commands);
  const address = slackAddress(workspace, body.channel_id);
  const closed = isClosed(body.channel_id, body.channel_name);
  using turn = context.dispatcher.takeTurn(body.user_id, address);
  if (!(await context.arrivals.isFirst(eventId))) {
    await context.acknowledge();
    return await context.dispatcher.leaveToOther(turn, eventId);
  }
  const [requester, mentions, membership] = await Promise.all([
    context.people.find(workspace, body.user_id, body.user_name),
    namesIn(context, address, text, { labels }),
    membershipFor(context, commandNamed(context, typed.command), {
      address,
      user: body.user_id,
      closed,
      hasResponseUrl: true,
    }),
  ]);
  const event: CommandEvent = {
    ...{ eventId, address, typed, mentions, membership, closed, body, turn },
    requester: closed ? unmoderated(requester) : requester,
    responseUrl: body.response_url,
  };
  await orExplain(context, event, () => handle(context, event));
}

async function handle(context: HandlerContext, event: CommandEvent): Promise<void> {
  const { typed, responseUrl: via, address, closed } = event;
  const command = commandNamed(context, typed.command);
  if (!command) return run(context, event, {}, undefined);
  const { values: raw, namedFiles } = readCommandLine(typed.line, command);
  const values = commandValues(command, raw, event.mentions);
  if (namedFiles.length > 0 || isTextMissing(command, values)) {
    await context.acknowledge();
    // What’s entered in a form would be lost.
    if (event.membership.kind === 'uninvited') return refuse(context, event, 'channel');
    const fields = Object.keys(command.options);
    const { form, draft } = await context.dispatcher.typedForm(
      { title: typed.typed, command: command.name, fields, values },
      event.requester,
      formLimits.input,
    );
    const origin = {
      kind: 'command',
      command: command.name,
      workspace: address.workspace,
      channel: address.channel,
      ...{ closed, via },
      ...(draft !== undefined && { draft }),
    } as const;
    return openForm(context, form, origin, event.body.trigger_id, event);
  }
  if (choosesGroups(command.options, values) && (await context.userGroups.areUnreadable(address.workspace))) {
    await context.acknowledge();
    return whisperTo(context, event, slackWords(event.requester.locale).groupsUnreadable);
  }
  return run(context, event, values, command);
}

/** Hands a command to the dispatcher; where its files can’t be posted, says so before anything is spent. */
async function run(
  context: HandlerContext,
  event: CommandEvent,
  options: RawValues,
  command: CommandAbout | undefined,
): Promise<void> {
  const { eventId, requester, typed, membership, responseUrl } = event;
  const address = targetOf(event.address, membership);
  const request = {
    ...{ eventId, command: typed.command, options, address, requester },
    acknowledgement: { responseUrl },
  };
  await using prepared = await context.requests.prepare(request, event.turn);
  if (prepared.kind !== 'accepted') {
    await context.acknowledge();
    if (prepared.kind !== 'refused') return;
    const { locale } = requester;
    const why = command
      ? refusalText(prepared, command, typed.typed, options, locale, Number.POSITIVE_INFINITY)
      : words(locale).unknownCommand(typed.typed.slice(1).replaceAll('`', "'"));
    const isGiven = command && (why !== prepared.text || textOf(command, options) === '');
    return whisperTo(context, event, isGiven ? why : withTyped(why, typed.typed, typed.line, locale));
  }
  const header = answerHeader(requester, typed.typed, quotedText(command, options));
  await carryOut(context, prepared, {
    caller: { eventId, requester, address, responseUrl },
    membership,
    async refuse() {
      await context.acknowledge();
      await refuse(context, event, prepared.seenBy);
    },
    async run(reply) {
      const { goesDirect } = slackWords(requester.locale);
      if (address !== event.address) await whisperTo(context, event, goesDirect).catch(() => undefined);
      const { since } = event.turn;
      await runVisibly(context, prepared, { ...reply, since, header, textSuffices: !command?.postsFiles });
    },
  });
}

/** Says why a command can’t be posted where it was given; where the bot can join the channel, with a button for that. */
async function refuse(
  context: HandlerContext,
  { membership, body, typed, ...caller }: CommandEvent,
  seenBy: 'channel' | 'requester' | 'nobody',
): Promise<void> {
  const { workspace } = caller.address;
  const { locale } = caller.requester;
  const say = slackWords(locale);
  const botName = await context.botName(workspace);
  const canJoin = membership.kind === 'uninvited' && membership.isPublic;
  const why = refusalOf(membership, say, botName, seenBy) ?? '';
  const isLost = !canJoin && typed.line !== '';
  const text = isLost ? withTyped(why, typed.typed, typed.line, locale) : canJoin ? say.addMe(botName) : why;
  const buttons = canJoin ? [await context.joinOffers.button(commandIn(body), say.addMeHere)] : [];
  await replyIn(context, { ...caller, seenBy: 'requester' }).whisper({ text, buttons });
}

/** What’s kept of a command until it’s run again. */
function commandIn(body: SlashCommand): RefusedCommand {
  const { command, text, user_id, user_name, team_id, channel_id, channel_name } = body;
  return { command, text, user_id, user_name, team_id, channel_id, channel_name };
}

/** A command without its required text opens its form. */
function isTextMissing({ options, textOption }: CommandAbout, values: RawValues): boolean {
  if (textOption === undefined || !options[textOption]?.required) return false;
  return String(values[textOption] ?? '').trim() === '';
}

/**
 * Handles *Add me here*: joins the channel, then runs the command that was refused there as if it were typed now. Its
 * price and the rules are checked again.
 */
export async function onJoinPress(context: HandlerContext, body: BlockAction, named: string): Promise<void> {
  const [action] = body.actions;
  const { trigger_id: trigger, response_url: responseUrl, user } = body;
  const channel = channelIn(body);
  const eventId = interactionId('press', body);
  if (!action || !(await context.arrivals.isFirst(eventId))) return;
  const requester = await context.people.find(named, user.id, user.name ?? user.username);
  const caller = { address: slackAddress(named, channel), requester, eventId, responseUrl };
  await orExplain(context, caller, async () => {
    const say = slackWords(requester.locale);
    const refused = await context.joinOffers.take(action.action_id);
    if (!refused || refused.channel_id !== channel || refused.user_id !== user.id)
      return whisperTo(context, caller, words(requester.locale).buttonExpired);
    // In an organization, the press may name another one of the person’s.
    const workspace = refused.team_id;
    const code = await context.joinOffers.join(workspace, channel);
    const botName = await context.botName(workspace);
    const text = code === undefined ? say.joined : say.cantJoin(code, botName);
    // The question is answered: its button goes.
    const shown = { ...messageAt(slackAddress(workspace, channel), ''), platformData: { responseUrl } };
    await context.adapter.edit(shown, { text }).catch((error: unknown) => {
      if (!(error instanceof PlatformError)) throw error;
    });
    if (code !== undefined) return;
    const again = { ...refused, trigger_id: trigger, response_url: responseUrl } as SlashCommand;
    await onCommand(context, again, workspace);
  });
}
