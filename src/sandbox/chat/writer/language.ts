/** Languages the sandbox writes in. */
export type Language = 'en' | 'zh';

const asksForChinese =
  /\b(?:answer|reply|write|respond|speak)\b[^.!?\n]{0,40}\bin chinese\b|用中文|用汉语|说中文/i;
const asksForEnglish =
  /\b(?:answer|reply|write|respond|speak)\b[^.!?\n]{0,40}\bin english\b|用英文|用英语|说英语/i;
const minShareOfHan = 0.2;

/** The language of an answer: the requested one, else the question's. */
export function languageOf(question: string): Language {
  if (asksForChinese.test(question)) return 'zh';
  if (asksForEnglish.test(question)) return 'en';
  const han = question.match(/\p{Script=Han}/gu)?.length ?? 0;
  const letters = question.match(/\p{L}/gu)?.length ?? 0;
  return han > 0 && han >= letters * minShareOfHan ? 'zh' : 'en';
}
