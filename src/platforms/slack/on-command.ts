import type { SlashCommand } from '@slack/bolt';
import { type AnyCommand, parseOptions, type RawValues } from '../../port/index.ts';
import { words } from '../../words/index.ts';
import { slackWords } from '../../words/slack.ts';
import { readCommandLine } from './command-line.ts';
import { type TypedCommand, typedCommand } from './commands.ts';
import { correctedExample } from './corrected-example.ts';
import { headerOf } from './header.ts';
import { type Asking, type Listening, orTell, replyIn, tell } from './listening.ts';
import { isMember } from './membership.ts';
import { openForm } from './open-form.ts';
import { placeOf } from './place.ts';
import { writtenText } from './text.ts';

/** A slash command somebody typed; acknowledged already. */
export async function onCommand(parts: Listening, body: SlashCommand): Promise<void> {
  const eventId = `slack:command:${body.trigger_id}`;
  if (!parts.recent.isNew(eventId)) return;
  const requester = await parts.people.find(body.team_id, body.user_id, body.user_name);
  const typed = typedCommand(
    body.command,
    writtenText(body.text, () => undefined),
    parts.prefix,
  );
  const given: Given = {
    eventId,
    requester,
    address: placeOf(body.team_id, body.channel_id),
    responseUrl: body.response_url,
    typed,
  };
  await orTell(parts, given, () => carryOut(parts, given, typed.line, body.trigger_id));
}

async function carryOut(parts: Listening, given: Given, line: string, trigger: string): Promise<void> {
  const { typed, requester, responseUrl, address } = given;
  const command = parts.dispatcher.commands.find(({ name }) => name === typed.command);
  if (!command) return void (await run(parts, given, {}, undefined));
  const { values, wantsFiles } = readCommandLine(line, command);
  if (wantsFiles || isTextMissing(command, values)) {
    const origin = {
      kind: 'command',
      command: command.name,
      channel: address.channel,
      ...(responseUrl !== undefined && { via: responseUrl }),
    } as const;
    const form = { title: typed.typed, command: command.name, fields: Object.keys(command.options), values };
    return openForm(parts, form, origin, trigger, given);
  }
  const parsed = parseOptions(command.options, values);
  if (!('faults' in parsed)) return run(parts, given, values, command);
  const { faults } = parsed;
  const say = slackWords(requester.locale);
  const example = correctedExample(typed.typed, command, values, faults);
  const lines = [
    words(requester.locale).faults(command.name, faults),
    say.corrected(example),
    say.optionNote,
  ];
  await tell(parts, given, lines.join('\n'));
}

/** A command somebody gave. */
export interface Given extends Asking {
  readonly typed: Pick<TypedCommand, 'command' | 'typed'>;
}

/** Hands a command to the dispatcher; where its files could not be posted, says so before anything is spent. */
export async function run(
  parts: Listening,
  given: Given,
  options: RawValues,
  command: AnyCommand<never> | undefined,
): Promise<void> {
  const { eventId, requester, address, typed } = given;
  const prepared = await parts.dispatcher.prepare({
    eventId,
    command: typed.command,
    options,
    address,
    requester,
    ...(given.responseUrl !== undefined && { acknowledgement: { responseUrl: given.responseUrl } }),
  });
  if (prepared.kind === 'refused') return tell(parts, given, prepared.text);
  if (prepared.kind !== 'accepted') return;
  const say = slackWords(requester.locale);
  if (command?.postsFiles && !(await isMember(parts.api, parts.clock, address))) {
    return tell(parts, given, say.inviteMe(parts.botName));
  }
  const { seenBy } = prepared;
  const wordsSuffice = !command?.postsFiles;
  // Where files come, the words that come with them quote what was asked for.
  const header = headerOf(requester, typed.typed, wordsSuffice ? textOf(command, options) : '');
  await prepared.run(replyIn(parts, { ...given, seenBy, header, wordsSuffice }));
}

function textOf(command: AnyCommand<never> | undefined, options: RawValues): string {
  return String(options[command?.textOption ?? ''] ?? '');
}

/** A command that wants words but got none opens its form. */
function isTextMissing({ options, textOption }: AnyCommand<never>, values: RawValues): boolean {
  if (textOption === undefined || !options[textOption]?.required) return false;
  return String(values[textOption] ?? '').trim() === '';
}
