import { MarkdownSplitter, type SplitOptions } from './markdown/splitter.ts';

/**
 * Finished Markdown → messages of at most `maxLength` that render each on its own: the same that a reply
 * growing to this text ends with. Empty for text that shows nothing.
 * @throws RangeError where `maxLength` is below `smallestMaxLength`.
 */
export function splitMarkdown(text: string, options: SplitOptions): string[] {
  const splitter = new MarkdownSplitter(options);
  splitter.append(text);
  const messages: string[] = [];
  for (let piece = splitter.takeRest(); piece; piece = splitter.takeRest()) messages.push(piece.text);
  return messages;
}
