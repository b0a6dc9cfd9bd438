import { ownMessage, type Quote, repliedTo } from '../../../conversation/index.ts';
import type { FileRow } from '../store/files.ts';
import { extrasOf, type MessageRow } from '../store/messages.ts';

/** The message that a question replies to, as a quote; what was made for the person tells from what. */
export function quotedMessage(row: MessageRow, files: readonly FileRow[]): Quote {
  const isOwn = row.author === 'bot';
  const { command } = extrasOf(row);
  const options = command?.options.map(({ name, value }) => `${name}: ${value}`) ?? [];
  const given = command && [command.name === 'ask' ? '' : `/${command.name}`, command.text, ...options];
  const lines = [
    given ? given.filter(Boolean).join(' ') : row.text,
    ...files.map((file) => aboutFile(file, isOwn)),
  ];
  const whose = isOwn ? ownMessage : 'earlier message from the same person';
  return { title: `${whose}${repliedTo}`, text: lines.filter(Boolean).join('\n') };
}

/** The bot describes what it makes by its prompt. */
function aboutFile({ kind, name, description }: FileRow, isOwn: boolean): string {
  return isOwn && description !== '' ? `[${kind} made from: ${description}]` : `[${kind}: ${name}]`;
}
