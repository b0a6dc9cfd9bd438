import {
  bytesOf,
  type ClipFormat,
  fileOf,
  type FormName,
  type MakeForm,
  type Message,
  type OutgoingFile,
  PlatformError,
} from '../port/index.ts';
import type { Words } from '../words/index.ts';

/** Converts a clip to another format; undefined if that can't be done. */
export type ConvertSound = (
  bytes: Uint8Array,
  to: ClipFormat,
) => Promise<{ readonly bytes: Uint8Array; readonly contentType: string } | undefined>;

/** Clip formats with their file extensions, best first. */
const soundFormats: Readonly<Record<ClipFormat, readonly string[]>> = {
  mp3: ['mp3'],
  opus: ['ogg', 'opus'],
  wav: ['wav'],
};

/**
 * A message's clip in each format, its own first: others if a door rejects the format or the size. One that's taken in place
 * of a larger one has to be smaller, and says so.
 */
export function clipForms(
  message: Message,
  convert: ConvertSound,
  say: Words['tooLargeAs'],
): ReadonlyMap<FormName, MakeForm> {
  const forms = new Map<FormName, MakeForm>([['whole', () => message]]);
  const [clip] = message.files ?? [];
  if (clip?.kind !== 'voice' && clip?.kind !== 'audio') return forms;
  const sizes = new Map<FormName, number>([['whole', clip.size]]);
  for (const format of formatsBesides(clip))
    forms.set(format, async (_, refused) => {
      const tooLarge = refused.filter(({ refusal }) => refusal === 'too-large');
      const most = Math.min(...tooLarge.map(({ form }) => sizes.get(form) ?? Number.POSITIVE_INFINITY));
      const made = await inFormat(clip, format, convert);
      if (made) sizes.set(format, made.size);
      if (!made || made.size >= most)
        throw new PlatformError(tooLarge.length > 0 ? 'too-large' : 'file-not-allowed');
      const note = tooLarge.length > 0 ? say(endingOf(clip).toUpperCase(), endingOf(made).toUpperCase()) : '';
      return { ...withNote(message, note), files: [made] };
    });
  return forms;
}

function formatsBesides(clip: OutgoingFile): readonly ClipFormat[] {
  const ending = endingOf(clip);
  return (Object.keys(soundFormats) as ClipFormat[]).filter(
    (format) => !soundFormats[format].includes(ending),
  );
}

function withNote(message: Message, note: string): Message {
  const { text, unquoted } = message;
  const noted = (words: string) => [words, note].filter(Boolean).join('\n\n');
  return {
    ...message,
    ...((text !== undefined || note) && { text: noted(text ?? '') }),
    ...(unquoted !== undefined && { unquoted: noted(unquoted) }),
  };
}

async function inFormat(
  clip: OutgoingFile,
  format: ClipFormat,
  convert: ConvertSound,
): Promise<OutgoingFile | undefined> {
  const made = await convert(await bytesOf(clip), format);
  if (!made) return undefined;
  const { original: _, size: __, open: ___, ...about } = clip;
  const name = `${clip.name.slice(0, -endingOf(clip).length)}${soundFormats[format][0]}`;
  return fileOf(made.bytes, { ...about, name, contentType: made.contentType, kind: 'audio' });
}

const endingOf = ({ name }: OutgoingFile) => name.slice(name.lastIndexOf('.') + 1);
