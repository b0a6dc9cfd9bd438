// The console page loads this file in the browser: it imports nothing from outside this folder.
import { type LineCommand, readOptions } from './parse.ts';
import { quoted } from './tokenize.ts';

/** Writes a command's values as a line that reads as the same ones: the text, then `--name value`. */
export function writeOptions(values: Readonly<Record<string, string>>, command: LineCommand): string {
  const { textOption = '' } = command;
  const { [textOption]: text = '', ...others } = values;
  const options = Object.entries(others)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `--${name} ${writeValue(value)}`);
  if (text === '') return options.join(' ');
  if (readsAsText(text, command)) return [text, ...options].join(' ');
  const inMarks = quoted(text);
  // After a lone `--` all is text, whatever it holds.
  return inMarks === undefined ? [...options, '--', text].join(' ') : [inMarks, ...options].join(' ');
}

/** A value as written after its option's name: in quotation marks if it would otherwise be read as more than a value. */
export function writeValue(value: string): string {
  const isOneWord = !/\s/u.test(value) && !/^(?:--|—|["'“”„‘])/.test(value);
  const areAddresses = value.split(/\s+/u).every((word) => /^https?:\/\/[^"“]/i.test(word));
  return isOneWord || areAddresses ? value : (quoted(value) ?? value);
}

/** Whether a text stays itself without quotation marks. Dashes that are none of an option's only look like one. */
function readsAsText(text: string, command: LineCommand): boolean {
  if (text.includes('--')) return false;
  const { values } = readOptions(text, command);
  return Object.keys(values).length === 1 && values[command.textOption ?? ''] === text;
}
