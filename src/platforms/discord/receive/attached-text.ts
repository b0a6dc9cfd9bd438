import type { Quote } from '../../../conversation/index.ts';
import { isTextFile, textFiles, textOf } from '../../../lib/text-files.ts';
import { PlatformError } from '../../../port/index.ts';
import type { Download } from '../media/download.ts';

/** A file that is attached to a message, of an event or read. */
export interface AttachedFile {
  readonly name: string;
  readonly contentType: string | null;
  readonly url: string;
  /** In bytes. */
  readonly size: number;
}

/** What was read of files, and the names of those that couldn't be. */
export interface AttachedTexts {
  readonly read: readonly { readonly name: string; readonly text: string }[];
  /** Text files that are too large, too many, gone, or hold no text. */
  readonly unread: readonly string[];
  /** Files of other kinds. */
  readonly unseen: readonly string[];
}

/** Reads the first text files, `most` of them. */
export async function readTexts(
  files: readonly AttachedFile[],
  most: number,
  download: Download,
): Promise<AttachedTexts> {
  const texts = files.filter(isTextFile);
  const contents = await Promise.all(texts.slice(0, most).map((file) => readText(file, download)));
  return {
    read: texts.flatMap(({ name }, index) => {
      const text = contents[index];
      return text === undefined ? [] : [{ name, text }];
    }),
    unread: texts.filter((_, index) => contents[index] === undefined).map(({ name }) => name),
    unseen: files.filter((file) => !isTextFile(file)).map(({ name }) => name),
  };
}

async function readText({ url, size }: AttachedFile, download: Download): Promise<string | undefined> {
  if (size > textFiles.bytes) return undefined;
  try {
    return textOf(await download(url, textFiles.bytes));
  } catch (error) {
    if (error instanceof PlatformError) return undefined;
    throw error;
  }
}

/** The text of a file as a quote. */
export function quotedFile({ name, text }: AttachedTexts['read'][number]): Quote {
  return { title: `file ${name}`, text };
}
