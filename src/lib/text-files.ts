/** How many text files of a message are read, and how many bytes each may have. */
export const textFiles = { count: 4, bytes: 100 * 1024 } as const;

const names =
  /\.(?:txt|text|md|markdown|log|csv|tsv|json|jsonl|ya?ml|toml|xml|html?|css|scss|[cm]?[jt]sx?|vue|svelte|py|rb|go|rs|java|kts?|swift|cs|php|pl|lua|r|jl|scala|c|cc|cpp|h|hpp|m|mm|sql|sh|bash|zsh|ps1|bat|ini|cfg|conf|env|properties|tex|rst|diff|patch|srt|vtt)$/i;
const types = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|toml|javascript|typescript|sql|x-sh)(?:;|$))/i;

/** Whether a file holds text, by its name or its content type. */
export function isTextFile(file: { readonly name: string; readonly contentType: string | null }): boolean {
  return names.test(file.name) || types.test(file.contentType ?? '');
}

/** The text of a file in UTF-8 or GB 18030 (Chinese Windows); undefined if it's neither. */
export function textOf(bytes: Uint8Array): string | undefined {
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
