import { ownMessage, type Quote, repliedTo } from '../../../conversation/index.ts';
import type { CommandAbout, Form, IncomingFile, RawValues } from '../../../port/index.ts';
import { withoutMachineNotes } from '../../../words/index.ts';
import type { WireCommand, WireFile, WireForm, WireValues } from '../api/wire.ts';
import { wireFile } from '../feed/to-wire.ts';
import { incomingFile } from '../post/adapter.ts';
import type { FileRow, Files } from '../store/files.ts';
import { extrasOf, type MessageRow } from '../store/messages.ts';

/** A request's values, and the ids of the uploads among them. */
interface ReadValues {
  readonly values: RawValues;
  readonly files: readonly string[];
}

/** Converts a request's values to the port's. A file's properties come from its row, never from the page. */
export async function readValues(given: WireValues, files: Files): Promise<ReadValues> {
  const values: Record<string, RawValues[string]> = {};
  const held: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'object') {
      values[name] = value;
      continue;
    }
    const row = await files.find(value.file);
    // A deleted upload is refused like any value that is not a file.
    values[name] = row ? incomingFile(row) : '';
    if (row && row.message === null) held.push(row.id);
  }
  return { values, files: held };
}

/** A sent command as shown in the channel. */
export function wireCommand(commands: readonly CommandAbout[], name: string, values: RawValues): WireCommand {
  const { textOption } = commands.find((command) => command.name === name) ?? {};
  const words = (value: RawValues[string]) => (typeof value === 'object' ? value.name : String(value));
  return {
    name,
    text: textOption === undefined || values[textOption] === undefined ? '' : words(values[textOption]),
    options: Object.entries(values)
      .filter(([option, value]) => option !== textOption && value !== undefined && value !== '')
      .map(([option, value]) => ({ name: option, value: words(value) })),
  };
}

/** Converts a form for the page. */
export async function wireForm(form: Form, files: Files): Promise<WireForm> {
  const values: Record<string, string | number | boolean> = {};
  const held: Record<string, WireFile> = {};
  for (const [name, value] of Object.entries(form.values)) {
    if (value === undefined) continue;
    if (typeof value !== 'object') values[name] = value;
    else Object.assign(held, await heldFile(name, value, files));
  }
  const { title, command, fields } = form;
  return { title, command, fields, values, files: held };
}

async function heldFile(name: string, file: IncomingFile, files: Files): Promise<Record<string, WireFile>> {
  const row = await files.find(file.source);
  return row ? { [name]: wireFile(row) } : {};
}

/** The message that a question replies to, as a quote; what was made for the person tells from what. */
export function quotedMessage(row: MessageRow, files: readonly FileRow[]): Quote {
  const isOwn = row.author === 'bot';
  const { command } = extrasOf(row);
  const options = command?.options.map(({ name, value }) => `${name}: ${value}`) ?? [];
  const given = command && [command.name === 'ask' ? '' : `/${command.name}`, command.text, ...options];
  const lines = [
    given ? given.filter(Boolean).join(' ') : withoutMachineNotes(row.text),
    ...files.map((file) => aboutFile(file, isOwn)),
  ];
  const whose = isOwn ? ownMessage : 'earlier message from the same person';
  return { title: `${whose}${repliedTo}`, text: lines.filter(Boolean).join('\n') };
}

/** The bot describes what it makes by its prompt. */
function aboutFile({ kind, name, description }: FileRow, isOwn: boolean): string {
  return isOwn && description !== '' ? `[${kind} made from: ${description}]` : `[${kind}: ${name}]`;
}
