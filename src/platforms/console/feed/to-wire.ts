import { beginningOf } from '../../../lib/text.ts';
import {
  type Button,
  type CommandAbout,
  draftFormId,
  type Locale,
  type Option,
  spokenCommandOf,
} from '../../../port/index.ts';
import type { ConsoleChannelsTable, ConsoleThreadsTable } from '../../../store/index.ts';
import { allowedInWords } from '../../../words/option-labels.ts';
import { richText } from '../api/markdown.ts';
import type {
  RichNode,
  WireButton,
  WireChannel,
  WireCommandDefinition,
  WireDeletedMessage,
  WireDraft,
  WireFile,
  WireMessage,
  WireOption,
  WireThread,
} from '../api/wire.ts';
import type { FileRow, Files } from '../store/files.ts';
import { type Draft, type Drafts, extrasOf, type MessageRow } from '../store/messages.ts';

/** How long Markdown is rendered before yielding to the event loop, in milliseconds. */
const renderSlice = 5;
/** Characters of a message that are shown on a thread's card, or above a reply. */
const previewCharacters = 120;

/** Converts a channel for the page. */
export function wireChannel(row: ConsoleChannelsTable): WireChannel {
  const { id, name } = row;
  return { id, name, revision: Number(row.revision), ...(row.removed ? { gone: true } : {}) };
}

/** Converts a thread for the page. */
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
    preview: previewOf(about.last),
    ...(row.removed ? { gone: true } : {}),
  };
}

/** The beginning of a Markdown text, without its marks. */
export function previewOf(text: string): string {
  return beginningOf(plainText(richText(beginningOf(text, 4 * previewCharacters))), previewCharacters);
}

/** Converts a stored file for the page. */
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

/** Converts messages for the page, with their files and the newest draft text. */
export async function wireMessages(
  rows: readonly MessageRow[],
  files: Files,
  drafts: Drafts,
): Promise<(WireMessage | WireDeletedMessage)[]> {
  const held = Map.groupBy(await files.of(rows.map((row) => Number(row.id))), (file) => Number(file.message));
  const made: (WireMessage | WireDeletedMessage)[] = [];
  let begun = performance.now();
  for (const row of rows) {
    const id = Number(row.id);
    made.push(row.removed ? wireGone(row) : wireMessage(row, held.get(id) ?? [], drafts));
    if (performance.now() - begun > renderSlice) {
      await new Promise(setImmediate);
      begun = performance.now();
    }
  }
  return made;
}

/** Converts a draft for the page. */
export function wireDraft(draft: Draft): WireDraft {
  const { id, place, body } = draft;
  return { id, place: place.thread ?? place.channel, body, buttons: draft.buttons.map(wireButton) };
}

function wireMessage(row: MessageRow, files: readonly FileRow[], drafts: Drafts): WireMessage {
  const { buttons = [], mention, link, spoiler, command, persona, repliesTo, unfinished } = extrasOf(row);
  // Only the row says whether the text is final: a draft is deleted after the final text is stored.
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
    ...(persona === undefined ? {} : { persona }),
    ...(repliesTo === undefined ? {} : { repliesTo }),
    ...(link === undefined ? {} : { link }),
    ...(spoiler ? { spoiler } : {}),
    ...(mention ? { mention } : {}),
    ...(row.session === null ? {} : { private: true }),
    ...(draft ? { isDraft: true } : {}),
  };
}

function wireGone(row: MessageRow): WireDeletedMessage {
  return {
    id: Number(row.id),
    place: row.thread ?? row.channel,
    revision: Number(row.revision),
    gone: true,
  };
}

function wireButton({ id, label, description, style = 'plain', confirm, row }: Button): WireButton {
  return {
    id,
    label,
    style,
    ...(description !== undefined && { description }),
    ...(confirm && { confirm: { question: confirm.question, yes: confirm.yes } }),
    ...(row !== undefined && { row }),
  };
}

/** The text of rendered Markdown. */
function plainText(nodes: readonly RichNode[]): string {
  const words = nodes.map((node) => (typeof node === 'string' ? node : `${plainText(node.children)} `));
  return words.join('').replaceAll(/\s+/g, ' ').trim();
}

/** In the id of a menu's entry, instead of a draft: the draft is made when its form opens. */
export const newDraft = 'new';

/** Converts a command's definition for the page, in one language. */
export function wireCommandOf(command: CommandAbout, locale: Locale): WireCommandDefinition {
  const { name } = command;
  const localName = locale === 'en' ? undefined : command.localNames?.[locale];
  return {
    ...spokenCommandOf(command),
    ...(localName === undefined ? {} : { localName }),
    description: command.description[locale],
    options: Object.entries(command.options).map(([option, definition]) => {
      const group = Object.values(command.groups ?? {}).find(({ fields }) => fields.includes(option));
      return { ...wireOptionOf(option, definition, locale), ...(group && { group: group.title[locale] }) };
    }),
    ...(command.fromMessage && {
      fromMessage: { label: command.fromMessage.label[locale], action: draftFormId(name, newDraft) },
    }),
  };
}

function wireOptionOf(name: string, option: Option, locale: Locale): WireOption {
  return {
    name,
    type: option.type,
    description: option.description[locale],
    required: option.required === true,
    ...rulesOf(option, locale),
  };
}

function rulesOf(option: Option, locale: Locale): Partial<WireOption> {
  switch (option.type) {
    case 'text':
      return {
        ...(option.maxCharacters === undefined ? {} : { maxCharacters: option.maxCharacters }),
        ...(option.maxBytes === undefined ? {} : { maxBytes: option.maxBytes }),
        ...(option.pattern === undefined ? {} : { allowed: allowedInWords(option.pattern.allowed, locale) }),
        ...(option.suggest === undefined ? {} : { suggests: true }),
      };
    case 'choice':
      return { choices: option.choices };
    case 'integer':
    case 'number':
      return { min: option.min, max: option.max };
    case 'boolean':
      return {};
    case 'file':
      return { media: option.media, reach: option.reach };
    case 'addresses':
      return { media: option.media, max: option.max };
  }
}
