import { expect, it } from 'vitest';
import { localeOfText } from '../../src/port/index.ts';

it.each([
  ['海为什么是蓝的？', 'zh-CN'],
  ['用 TypeScript 写一个排序函数', 'zh-CN'],
  ['為什麼', 'zh-CN'],
  ['what does the character 猫 mean?', undefined],
  ['draw という単語の意味を説明して', undefined],
  ['日本語で説明してください', undefined],
  ['한국어로 漢字', undefined],
  ['Warum ist der Himmel blau?', undefined],
  ['123 ??', undefined],
])('%s: %s', (text, locale) => {
  expect(localeOfText(text)).toBe(locale);
});

it.each([
  ['ja', undefined],
  ['ko', undefined],
  ['zh-TW', 'zh-CN'],
  ['en-US', 'zh-CN'],
])('Chinese characters only, where people’s language is %s', (around, locale) => {
  expect(localeOfText('東京都庁所在地', around)).toBe(locale);
});
