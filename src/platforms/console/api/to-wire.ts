import type { Button } from '../../../port/index.ts';
import type { ConsoleChannelsTable, ConsoleThreadsTable } from '../../../store/index.ts';
import type { Draft, Drafts } from '../reply/drafts.ts';
import type { FileRow, Files } from '../store/files.ts';
import { extrasOf, type MessageRow } from '../store/messages.ts';
import { richText } from './markdown.ts';
import type {
  RichNode,
  WireButton,
  WireChannel,
  WireDraft,
  WireFile,
  WireGone,
  WireMessage,
  WireThread,
} from './wire.ts';

/** How long Markdown is rendered before others get their turn, in milliseconds. */
const turn = 5;
/** Characters of a thread's last message that its card shows. */
const previewCharacters = 120;

/** A channel as pages get it. */
export function wireChannel(row: ConsoleChannelsTable): WireChannel {
  const { id, name } = row;
  return { id, name, revision: Number(row.revision), ...(row.removed ? { gone: true } : {}) };
}

/** A thread as pages get it. */
export function wireThread(
  row: ConsoleThreadsTable,
  about: { readonly messages: number; readonly last: string },
): WireThread {
  return {
    id: row.id,
    revision: Number(row.revision),
    channel: row.channel,
    message: Number(row.message),
    name: row.name,
    messages: about.messages,
    preview: plainText(richText(about.last.slice(0, 4 * previewCharacters))).slice(0, previewCharacters),
    ...(row.removed ? { gone: true } : {}),
  };
}

/** A stored file as pages get it. */
export function wireFile(row: FileRow): WireFile {
  return {
    id: row.id,
    name: row.name,
    contentType: row.content_type,
    kind: row.kind,
    description: row.description,
    size: Number(row.size),
    ...(row.seconds === null ? {} : { seconds: row.seconds }),
  };
}

/** Messages as pages get them, with their files, and with words that are not stored yet. */
export async function wireMessages(
  rows: readonly MessageRow[],
  files: Files,
  drafts: Drafts,
): Promise<(WireMessage | WireGone)[]> {
  const held = Map.groupBy(await files.of(rows.map((row) => Number(row.id))), (file) => Number(file.message));
  const made: (WireMessage | WireGone)[] = [];
  let begun = performance.now();
  for (const row of rows) {
    const id = Number(row.id);
    made.push(row.removed ? wireGone(row) : wireMessage(row, held.get(id) ?? [], drafts));
    if (performance.now() - begun > turn) {
      await new Promise(setImmediate);
      begun = performance.now();
    }
  }
  return made;
}

/** The newest state of a growing message as pages get it. */
export function wireDraft(draft: Draft): WireDraft {
  const { id, place, body } = draft;
  return { id, place: place.thread ?? place.channel, body, buttons: draft.buttons.map(wireButton) };
}

function wireMessage(row: MessageRow, files: readonly FileRow[], drafts: Drafts): WireMessage {
  const { buttons = [], mention, link, command, unfinished } = extrasOf(row);
  // The row alone knows whether its text is final: what grows is forgotten only after that is on record.
  const draft = unfinished ? drafts.get(Number(row.id)) : undefined;
  return {
    id: Number(row.id),
    place: row.thread ?? row.channel,
    revision: Number(row.revision),
    author: row.author,
    at: Number(row.created_at),
    body: row.author === 'you' ? [] : (draft?.body ?? richText(row.text)),
    files: files.map(wireFile),
    buttons: (draft?.buttons ?? buttons).map(wireButton),
    ...(command ? { command } : {}),
    ...(link === undefined ? {} : { link }),
    ...(mention ? { mention } : {}),
    ...(row.session === null ? {} : { private: true }),
    ...(draft ? { isDraft: true } : {}),
  };
}

function wireGone(row: MessageRow): WireGone {
  return {
    id: Number(row.id),
    place: row.thread ?? row.channel,
    revision: Number(row.revision),
    gone: true,
  };
}

function wireButton({ id, label, style = 'plain' }: Button): WireButton {
  return { id, label, style };
}

/** The words of rendered Markdown. */
function plainText(nodes: readonly RichNode[]): string {
  const words = nodes.map((node) => (typeof node === 'string' ? node : `${plainText(node.children)} `));
  return words.join('').replaceAll(/\s+/g, ' ').trim();
}
