import { type TextsOfFiles, textFiles } from '../lib/text-files.ts';
import type { Locale } from '../port/index.ts';
import { bytesInWords } from './figures.ts';

/** File names that a note lists. */
const maxNames = 5;

const en = {
  cannotSee: (names: string) => `I can’t look at images or videos or listen to audio: ${names}`,
  cannotRead: (names: string, count: number, limit: string) =>
    `I couldn’t read ${names}. I read up to ${count} text files of at most ${limit} each.`,
};
const sentences: Readonly<Record<Locale, typeof en>> = {
  en,
  'zh-CN': {
    cannotSee: (names) => `我看不了图片和视频，也听不了音频：${names}`,
    cannotRead: (names, count, limit) =>
      `我没能读取 ${names}。我最多读 ${count} 个文本文件，每个不超过 ${limit}。`,
  },
};

/** Lines about files that came with a question and couldn’t be read. */
export function fileNotes(
  { unseen, unread }: Pick<TextsOfFiles, 'unseen' | 'unread'>,
  locale: Locale,
): readonly string[] {
  const { cannotSee, cannotRead } = sentences[locale];
  return [
    ...(unseen.length > 0 ? [cannotSee(nameList(unseen))] : []),
    ...(unread.length > 0
      ? [cannotRead(nameList(unread), textFiles.count, bytesInWords(textFiles.bytes))]
      : []),
  ];
}

/** The first names, as code, so that nothing in them counts as Markdown. */
function nameList(names: readonly string[]): string {
  const some = names.slice(0, maxNames).map((name) => `\`${name.replaceAll('`', "'").slice(0, 60)}\``);
  return [...some, ...(names.length > maxNames ? ['…'] : [])].join(', ');
}
