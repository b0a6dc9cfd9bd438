import type { Message } from '../../port/index.ts';
import type { Rendered } from '../../renders/index.ts';
import { bytesInWords, type Words } from '../../words/index.ts';

/**
 * A result below its prompt (`about`, if given): its file, or the link where it can be downloaded. If moderation doesn't
 * take the prompt, the result is posted alone.
 */
export function resultMessage(about: string | undefined, rendered: Rendered, say: Words): Message {
  if ('file' in rendered) return { ...(about && { text: about, unquoted: '' }), files: [rendered.file] };
  const { text, link } = unposted(rendered, say);
  return {
    text: [about, text].filter(Boolean).join('\n'),
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
