import { MarkdownSplitter, type SplitOptions } from './markdown/splitter.ts';

/**
 * Splits finished Markdown into messages of at most `maxLength` that each render on their own: the same messages as a
 * live reply with this text. Empty if the text shows nothing.
 * @throws {RangeError} if `maxLength` is below `smallestMaxLength`.
 */
export function splitMarkdown(text: string, options: SplitOptions): string[] {
  const splitter = new MarkdownSplitter(options);
  splitter.append(text);
  const messages: string[] = [];
  for (let piece = splitter.takeRest(); piece; piece = splitter.takeRest()) messages.push(piece.text);
  return messages;
}
