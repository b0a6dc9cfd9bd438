import {
  bytesOf,
  type ClipFormat,
  fileOf,
  type Message,
  type OutgoingFile,
  OutletError,
} from '../port/index.ts';

/** Makes another format of a clip; undefined where that cannot be done. */
export type ConvertSound = (
  bytes: Uint8Array,
  to: ClipFormat,
) => Promise<{ readonly bytes: Uint8Array; readonly contentType: string } | undefined>;

/** Formats of a clip, the best first, by the endings of their files. */
const soundFormats: Readonly<Record<ClipFormat, readonly string[]>> = {
  mp3: ['mp3'],
  opus: ['ogg', 'opus'],
  wav: ['wav'],
};

/** A clip as a file in each format that it isn't in already. */
export function otherFormats({ files = [], ...message }: Message, convert: ConvertSound) {
  const [clip] = files;
  if (clip?.kind !== 'voice' && clip?.kind !== 'audio') return [];
  const ending = endingOf(clip);
  return (Object.keys(soundFormats) as ClipFormat[])
    .filter((format) => !soundFormats[format].includes(ending))
    .map((format) => ({
      format,
      make: async () => ({ ...message, files: [await inFormat(clip, format, convert)] }),
    }));
}

async function inFormat(clip: OutgoingFile, format: ClipFormat, convert: ConvertSound) {
  const made = await convert(await bytesOf(clip), format);
  if (!made) throw new OutletError('file-not-allowed', `no ${format} can be made of it`);
  const { original: _, size: __, open: ___, ...about } = clip;
  const name = `${clip.name.slice(0, -endingOf(clip).length)}${soundFormats[format][0]}`;
  return fileOf(made.bytes, { ...about, name, contentType: made.contentType, kind: 'audio' });
}

const endingOf = ({ name }: OutgoingFile) => name.slice(name.lastIndexOf('.') + 1);
