import type { SlashCommand } from '@slack/bolt';
import type { AnyCommand, OptionFault, RawValues, StartTurn } from '../../../port/index.ts';
import { readCommandLine } from '../commands/command-line.ts';
import { correctedExample } from '../commands/corrected-example.ts';
import { openForm } from '../commands/open-form.ts';
import { type TypedCommand, typedCommand } from '../commands/slash-commands.ts';
import { acknowledging } from '../connection/acknowledging.ts';
import { headerOf } from '../markup/header.ts';
import { commandValues, type Mentions, namesIn } from '../people/mentions.ts';
import { slackAddress } from '../post/address.ts';
import { slackWords } from '../words.ts';
import { type Asking, type HandlerContext, inOrder, orTell, replyIn, tell } from './handler-context.ts';
import { typedText } from './incoming-text.ts';
import { isClosed, refusalOf, type Standing, standingFor, targetOf } from './membership.ts';

/** A command somebody gave. */
interface Given extends Asking {
  readonly typed: TypedCommand;
  readonly mentions: Mentions;
  readonly trigger: string;
  readonly standing: Standing;
  /** No app can be invited there. */
  readonly closed: boolean;
  /** Call it when the command is on record, or will never be. */
  readonly acknowledge: () => Promise<void>;
  readonly arrival: StartTurn;
}

/** A slash command somebody typed in a workspace; acknowledged when it is on record. */
export async function onCommand(
  context: HandlerContext,
  body: SlashCommand,
  workspace: string,
  ack: () => Promise<void>,
): Promise<void> {
  const eventId = `slack:command:${body.trigger_id}`;
  if (!context.recent.isNew(eventId)) return ack();
  const acknowledge = acknowledging(context.clock, ack);
  const { text, labels } = typedText(body.text);
  const typed = typedCommand(body.command, text, context.prefix);
  const address = slackAddress(workspace, body.channel_id);
  const closed = isClosed(body.channel_id, body.channel_name);
  await inOrder(context, body.user_id, address, async (arrival) => {
    const [requester, mentions, standing] = await Promise.all([
      context.people.find(workspace, body.user_id, body.user_name),
      namesIn(context, workspace, text, labels),
      standingFor(context, commandOf(context, typed), {
        address,
        user: body.user_id,
        closed,
        byAddress: true,
      }),
    ]);
    const given: Given = {
      eventId,
      requester,
      address,
      responseUrl: body.response_url,
      typed,
      mentions,
      trigger: body.trigger_id,
      standing,
      closed,
      acknowledge,
      arrival,
    };
    await orTell(context, given, () => carryOut(context, given));
  });
  await acknowledge();
}

function commandOf(context: HandlerContext, { command }: TypedCommand): AnyCommand<never> | undefined {
  return context.dispatcher.commands.find(({ name }) => name === command);
}

async function carryOut(context: HandlerContext, given: Given): Promise<void> {
  const { typed, responseUrl, address, acknowledge, closed } = given;
  const command = commandOf(context, typed);
  if (!command) return run(context, given, {}, undefined);
  const { values: raw, wantsFiles } = readCommandLine(typed.line, command);
  const values = commandValues(command.options, raw, given.mentions);
  if (wantsFiles || isTextMissing(command, values)) {
    await acknowledge();
    const origin = {
      kind: 'command',
      command: command.name,
      workspace: address.workspace,
      channel: address.channel,
      closed,
      ...(responseUrl !== undefined && { via: responseUrl }),
    } as const;
    const form = { title: typed.typed, command: command.name, fields: Object.keys(command.options), values };
    return openForm(context, form, origin, given.trigger, given);
  }
  return run(context, given, values, command);
}

/** What is wrong with the options, with a corrected example of what was typed. */
function withExample(
  text: string,
  faults: readonly OptionFault[],
  command: AnyCommand<never>,
  { typed, requester }: Given,
  values: RawValues,
): string {
  const say = slackWords(requester.locale);
  const example = correctedExample(typed.typed, command, values, faults);
  return [text, say.corrected(example), say.optionNote].join('\n');
}

/** Hands a command to the dispatcher; where its files could not be posted, says so before anything is spent. */
async function run(
  context: HandlerContext,
  given: Given,
  options: RawValues,
  command: AnyCommand<never> | undefined,
): Promise<void> {
  const { eventId, requester, typed, standing, acknowledge } = given;
  const address = targetOf(given.address, standing);
  const request = {
    eventId,
    command: typed.command,
    options,
    address,
    requester,
    ...(given.responseUrl !== undefined && { acknowledgement: { responseUrl: given.responseUrl } }),
  };
  const prepared = await context.dispatcher.prepare(request, given.arrival);
  if (prepared.kind !== 'accepted') {
    await acknowledge();
    if (prepared.kind !== 'refused') return;
    const { text, faults } = prepared;
    return tell(
      context,
      given,
      command && faults ? withExample(text, faults, command, given, options) : text,
    );
  }
  const say = slackWords(requester.locale);
  const { seenBy } = prepared;
  const refusal = refusalOf(standing, say, await context.botName(address.workspace), seenBy);
  if (refusal !== undefined) {
    await prepared.abandon();
    await acknowledge();
    return tell(context, given, refusal);
  }
  await prepared.record();
  await acknowledge();
  if (address !== given.address) await tell(context, given, say.goesDirect).catch(() => undefined);
  const wordsSuffice = !command?.postsFiles;
  // Where files come, the words that come with them quote what was asked for.
  const header = headerOf(requester, typed.typed, wordsSuffice ? textOf(command, options) : '');
  await prepared.run(replyIn(context, { ...given, address, seenBy, header, wordsSuffice }));
}

function textOf(command: AnyCommand<never> | undefined, options: RawValues): string {
  return String(options[command?.textOption ?? ''] ?? '');
}

/** A command that wants words but got none opens its form. */
function isTextMissing({ options, textOption }: AnyCommand<never>, values: RawValues): boolean {
  if (textOption === undefined || !options[textOption]?.required) return false;
  return String(values[textOption] ?? '').trim() === '';
}
