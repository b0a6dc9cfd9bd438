/** How many text files of a message are read, and how many bytes each may have. */
export const textFiles = { count: 4, bytes: 100 * 1024 } as const;

const names =
  /\.(?:txt|text|md|markdown|log|csv|tsv|json|jsonl|ya?ml|toml|xml|html?|css|scss|[cm]?[jt]sx?|vue|svelte|py|rb|go|rs|java|kts?|swift|cs|php|pl|lua|r|jl|scala|c|cc|cpp|h|hpp|m|mm|sql|sh|bash|zsh|ps1|bat|ini|cfg|conf|env|properties|tex|rst|diff|patch|srt|vtt)$/i;
const types = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|toml|javascript|typescript|sql|x-sh)(?:;|$))/i;

/** A file as platforms tell of it. */
export interface NamedFile {
  readonly name: string;
  readonly contentType: string | null;
  /** In bytes. */
  readonly size: number;
}

/** What was read of files, and the names of those that couldn't be. */
export interface TextsOfFiles<F extends NamedFile = NamedFile> {
  readonly read: readonly { readonly name: string; readonly text: string; readonly file: F }[];
  /** Text files that are too large, too many, gone, or hold no text. */
  readonly unread: readonly string[];
  /** Files of other kinds. */
  readonly unseen: readonly string[];
}

/** Reads the first text files, `most` of them. `bytesOf` gives a file's bytes; undefined if they can't be had. */
export async function readTexts<F extends NamedFile>(
  files: readonly F[],
  most: number,
  bytesOf: (file: F, maxBytes: number) => Promise<Uint8Array | undefined>,
): Promise<TextsOfFiles<F>> {
  const texts = files.filter(isTextFile);
  const contents = await Promise.all(
    texts.slice(0, most).map(async (file) => {
      const bytes = file.size > textFiles.bytes ? undefined : await bytesOf(file, textFiles.bytes);
      return bytes && textOf(bytes);
    }),
  );
  return {
    read: texts.flatMap((file, index) => {
      const text = contents[index];
      return text === undefined ? [] : [{ name: file.name, text, file }];
    }),
    unread: texts.filter((_, index) => contents[index] === undefined).map(({ name }) => name),
    unseen: files.filter((file) => !isTextFile(file)).map(({ name }) => name),
  };
}

/** Whether a file holds text, by its name or its content type. */
function isTextFile(file: Pick<NamedFile, 'name' | 'contentType'>): boolean {
  return names.test(file.name) || types.test(file.contentType ?? '');
}

/** The text of a file in UTF-8 or GB 18030 (Chinese Windows); undefined if it's neither. */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  for (const encoding of ['utf-8', 'gb18030']) {
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
      // The next encoding may fit.
    }
  }
  return undefined;
}
