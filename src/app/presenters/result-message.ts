import type { Message } from '../../port/index.ts';
import type { Rendered } from '../../renders/index.ts';
import { bytesInWords, type Words } from '../../words/index.ts';

/**
 * A result: its file, or where it can be had instead; below what was asked for, unless that is left out. Where the
 * place doesn't take that, it stands alone.
 */
export function resultMessage(asked: string | undefined, rendered: Rendered, say: Words): Message {
  if ('file' in rendered) return { ...(asked && { text: asked, unquoted: '' }), files: [rendered.file] };
  const { text, link } = unposted(rendered, say);
  return {
    text: [asked, text].filter(Boolean).join('\n'),
    unquoted: text,
    ...(link !== undefined && { link }),
  };
}

function unposted(
  rendered: Exclude<Rendered, { readonly file: unknown }>,
  say: Words,
): { readonly text: string; readonly link?: string } {
  if ('elsewhere' in rendered) return { text: say.linkOnly, link: rendered.elsewhere.link };
  const { bytes, limit, link } = rendered.tooLarge;
  if (link === undefined) return { text: say.errors.tooLarge(bytesInWords(limit)) };
  return { text: say.tooLargeHere(bytesInWords(bytes), bytesInWords(limit)), link };
}
