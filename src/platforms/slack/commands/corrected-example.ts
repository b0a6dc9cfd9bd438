import { nearest } from '../../../lib/nearest.ts';
import { titleOf } from '../../../lib/text.ts';
import { writeOptions } from '../../../port/command-line/parse.ts';
import {
  type CommandAbout,
  lineCommandOf,
  type Locale,
  type Option,
  type OptionFault,
  type RawValues,
} from '../../../port/index.ts';
import { slackWords } from '../words.ts';

type Definition = Pick<CommandAbout, 'options' | 'textOption'>;

/** How much of the text of a message is in the example: it stays in the message. */
const mostOfMessage = 60;

/**
 * Why a command was refused; where it was typed and its options are wrong, with a corrected example of the line.
 * @param most how much of its text is in that, in characters
 */
export function refusalText(
  { text, faults }: { readonly text: string; readonly faults?: readonly OptionFault[] },
  command: Definition | undefined,
  typed: string | undefined,
  values: RawValues,
  locale: Locale,
  most = mostOfMessage,
): string {
  // What's wrong with the files of a message isn't in its line.
  const inLine = faults?.filter((fault) => fault.code === 'unknown-option' || command?.options[fault.option]);
  if (!command || typed === undefined || !inLine?.length) return text;
  const say = slackWords(locale);
  return [
    text,
    say.corrected(asLine(correctedExample(typed, command, values, inLine, most))),
    ...(Object.keys(command.options).length > 0 ? [say.optionNote] : []),
  ].join('\n');
}

/** Slack keeps nothing of a slash command, so its person gets back what they typed, to send it again. */
export function withTyped(text: string, typed: string, line: string, locale: Locale): string {
  return `${text}\n${slackWords(locale).typed(asLine(`${typed} ${line}`.trimEnd()))}`;
}

/** A line as code, to be copied; in a block of its own where it isn't one line. */
function asLine(line: string): string {
  return /[`\n]/.test(line) ? `\n\`\`\`\n${line.replaceAll('```', "'''")}\n\`\`\`` : `\`${line}\``;
}

/**
 * Corrects what somebody typed: each wrong value is replaced by the nearest allowed one, each unknown option by the
 * one that was probably meant, or left out.
 */
export function correctedExample(
  typed: string,
  command: Definition,
  values: RawValues,
  faults: readonly OptionFault[],
  most = mostOfMessage,
): string {
  const corrected: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && typeof value !== 'object') corrected[name] = String(value);
  }
  for (const fault of faults) correct(fault, command, corrected);
  const { textOption = '' } = command;
  const text = corrected[textOption];
  if (text !== undefined && text.length > most)
    corrected[textOption] = titleOf(text, most).replaceAll('`', "'");
  return `${typed} ${writeOptions(corrected, lineCommandOf(command))}`.trimEnd();
}

function correct(fault: OptionFault, { options }: Definition, corrected: Record<string, string>): void {
  const { option: name } = fault;
  if (fault.code === 'unknown-option') {
    const isChoice = ([, option]: [string, Option]) =>
      option.type === 'choice' && option.choices.includes(name);
    const [meant = nearest(name, Object.keys(options), 3)] = Object.entries(options).find(isChoice) ?? [];
    const typedValue = corrected[name];
    delete corrected[name];
    if (meant !== undefined && corrected[meant] === undefined && typedValue !== undefined) {
      corrected[meant] = typedValue === '' ? allowedValue(options[meant], name) : typedValue;
    }
    return;
  }
  const definition = options[name];
  if (definition?.type === 'file') delete corrected[name];
  else corrected[name] = allowedValue(definition, corrected[name] ?? '');
}

function allowedValue(definition: Option | undefined, typedValue: string): string {
  switch (definition?.type) {
    case 'choice':
      return nearest(typedValue, definition.choices, 3) ?? definition.choices[0] ?? '…';
    case 'integer':
    case 'number':
      return String(nearestNumber(definition, typedValue));
    case 'boolean':
      return 'true';
    case 'addresses':
      return 'https://example.com/1.png';
    case 'text':
      return definition.pattern ? (definition.pattern.allowed.split(', ')[0] ?? '…') : '…';
    default:
      return '…';
  }
}

function nearestNumber(definition: Extract<Option, { min: number }>, typedValue: string): number {
  const number = Number.parseFloat(typedValue);
  if (Number.isNaN(number)) return definition.min;
  const whole = definition.type === 'integer' ? Math.round(number) : number;
  return Math.min(definition.max, Math.max(definition.min, whole));
}
