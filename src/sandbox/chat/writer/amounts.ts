/** The requested length of an answer. */
export interface Length {
  readonly amount: number;
  readonly unit: 'characters' | 'words';
}

const longest: Record<Length['unit'], number> = { characters: 200_000, words: 40_000 };
const maxItems = 500;
const charactersPerToken = 4;
const numeral = '[零一二两三四五六七八九十百千万]';
const number = `((?<!\\d)\\d[\\d,]{0,12}(?:\\.\\d{1,6})?|(?<!${numeral})${numeral}{1,12})`;
const lengthPattern = new RegExp(
  `${number}\\s{0,3}(k|thousand|千|万)?[\\s-]{0,3}(?:个)?\\s{0,3}(words?|characters?|chars?|letters?|tokens?|字符|字|单词|词)`,
  'i',
);
const countPatterns = [
  new RegExp(
    `${number}[\\s-]{0,3}(?:rows?|items?|bullets?|points?|steps?|lines?|entries|things|行|项|条|点|步|列)`,
    'i',
  ),
  new RegExp(`(?:list|table|top)(?: of)? ${number}\\b(?!\\s*(?:words?|characters?|chars?))`, 'i'),
];
const scales: Readonly<Record<string, number>> = { k: 1_000, thousand: 1_000, 千: 1_000, 万: 10_000 };

/** The length a question asks for, at most 200,000 characters or 40,000 words; undefined if it names none. */
export function readLength(question: string): Length | undefined {
  const match = lengthPattern.exec(question);
  if (match) return exact(match);
  if (/\b(?:very|extremely|really) long\b|非常长|很长/i.test(question))
    return { amount: 15_000, unit: 'characters' };
  if (/\blong\b|\bdetailed\b|\bessay\b|长文|长一点|详细|作文/i.test(question))
    return { amount: 5_000, unit: 'characters' };
  return undefined;
}

/** The number of rows, items or lines a question asks for, at most 500. */
export function readCount(question: string): number | undefined {
  for (const pattern of countPatterns) {
    const value = readNumber(pattern.exec(question)?.[1] ?? '');
    if (value >= 1) return Math.min(value, maxItems);
  }
  return undefined;
}

function exact([, digits = '', scale = '', word = '']: RegExpExecArray): Length | undefined {
  const value = readNumber(digits) * (scales[scale.toLowerCase()] ?? 1);
  if (!(value >= 1)) return undefined;
  if (/^token/i.test(word)) return limited(value * charactersPerToken, 'characters');
  return limited(value, /^(?:word|单词|词)/i.test(word) ? 'words' : 'characters');
}

function limited(amount: number, unit: Length['unit']): Length {
  return { amount: Math.min(Math.round(amount), longest[unit]), unit };
}

/** Parses a number in digits or Chinese numerals; NaN if it is neither. */
function readNumber(text: string): number {
  return /^\d/.test(text) ? Number(text.replaceAll(',', '')) : readNumerals(text);
}

const units: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1_000 };

function readNumerals(text: string): number {
  if (text === '') return Number.NaN;
  let total = 0;
  let section = 0;
  let digit = 0;
  for (const character of text) {
    const unit = units[character];
    if (character === '万') {
      total += (section + digit) * 10_000;
      section = 0;
      digit = 0;
    } else if (unit !== undefined) {
      section += (digit || 1) * unit;
      digit = 0;
    } else digit = character === '两' ? 2 : '零一二三四五六七八九'.indexOf(character);
  }
  return total + section + digit;
}
