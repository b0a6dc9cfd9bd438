import type { Message } from '../../port/index.ts';
import type { Rendered } from '../../renders/index.ts';
import { bytesInWords, type Words } from '../../words/index.ts';

/**
 * Results below their prompt (`about`, if given): the files, or the links where they can be downloaded. If moderation
 * doesn't take the prompt, the results are posted alone. `note`: what else there is to say of them.
 */
export function resultMessage(
  about: string | undefined,
  rendered: Rendered,
  say: Words,
  note?: string,
): Message {
  const joined = (...lines: readonly (string | undefined)[]) => lines.filter(Boolean).join('\n');
  if ('files' in rendered) {
    const text = joined(about, note);
    return { ...(text && { text, unquoted: note ?? '' }), files: rendered.files };
  }
  const { text, links } = unposted(rendered, say);
  const [link, ...more] = links;
  // Only one link can be shown with a preview.
  const words = joined(text, ...(more.length > 0 ? links : []), note);
  return {
    text: joined(about, words),
    unquoted: words,
    ...(link !== undefined && more.length === 0 && { link }),
  };
}

function unposted(
  rendered: Exclude<Rendered, { readonly files: unknown }>,
  say: Words,
): { readonly text: string; readonly links: readonly string[] } {
  if ('elsewhere' in rendered) return { text: say.linkOnly, links: rendered.elsewhere.links };
  const { bytes, limit, links } = rendered.tooLarge;
  // A place may take less than it states: then what it takes isn't known.
  const most = limit < bytes ? bytesInWords(limit) : undefined;
  if (links.length === 0) return { text: say.errors.tooLarge(most), links };
  return { text: say.tooLargeHere(bytesInWords(bytes), most), links };
}
