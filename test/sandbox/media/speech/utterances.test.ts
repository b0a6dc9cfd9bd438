import { describe, expect, it } from 'vitest';
import { SpeechEngine } from '../../../../src/sandbox/media/speech/narrate.ts';
import { narrator, spellNumbers, splitUtterances } from '../../../../src/sandbox/media/speech/voices.ts';

const bilingual = narrator('zh_female_vv_uranus_bigtts');
const spoken = (text: string, voice = bilingual) =>
  [...splitUtterances(text, voice)].map(({ tongue, text }) => [tongue, text.trim()]);

describe('narration', () => {
  it('reads Chinese characters in Mandarin and Latin letters in English', () => {
    expect(spoken('你好，我是 Discord 机器人。')).toEqual([
      ['cmn', '你好，我是'],
      ['en-us', 'Discord'],
      ['cmn', '机器人。'],
    ]);
  });

  it('leaves Latin letters to the accent of a voice that is Chinese only', () => {
    expect(spoken('我用 Discord。', narrator('zh_male_m191_uranus_bigtts'))).toEqual([
      ['cmn', '我用 Discord。'],
    ]);
  });

  it('reads Chinese characters in Mandarin even with an English voice', () => {
    expect(spoken('Say 你好 now.', narrator('en_female_stokie_uranus_bigtts'))).toEqual([
      ['en-gb-x-rp', 'Say'],
      ['cmn', '你好'],
      ['en-gb-x-rp', 'now.'],
    ]);
  });

  it('gives digits to the word before them, else to the one after, else to the language', () => {
    expect(spoken('有3只')).toEqual([['cmn', '有三只']]);
    expect(spoken('3 cats')).toEqual([['en-us', '3 cats']]);
    expect(spoken('3')).toEqual([['cmn', '三']]);
    expect(spoken('3', narrator('zh_female_vv_uranus_bigtts', 'en'))).toEqual([['en-us', '3']]);
  });

  it('finds a tongue for other scripts', () => {
    expect(spoken('Привет. こんにちは。 नमस्ते.').map(([tongue]) => tongue)).toEqual(['ru', 'ja', 'hi']);
  });

  it('pauses longer after a paragraph than after a sentence, and longer there than after a comma', () => {
    const [comma, sentence, paragraph] = [...splitUtterances('你好，hello. Bye.\n再见', bilingual)].map(
      ({ pause }) => pause,
    );
    expect(comma).toBeLessThan(sentence!);
    expect(sentence).toBeLessThan(paragraph!);
  });

  it('does not speak the marks of Markdown', () => {
    expect(
      spoken('**Bold** `code` # title')
        .map(([, text]) => text)
        .join(''),
    ).not.toMatch(/[*`#]/);
  });

  it('never hands on more than 240 characters at once, and never half a character', () => {
    for (const { text } of splitUtterances(`${'𠮷'.repeat(700)}${'word '.repeat(200)}`, bilingual)) {
      expect([...text].length).toBeLessThanOrEqual(240);
      expect(text.isWellFormed()).toBe(true);
    }
  });
});

describe('numbers in Mandarin', () => {
  it.each([
    ['0', '零'],
    ['10', '十'],
    ['11', '十一'],
    ['20', '二十'],
    ['105', '一百零五'],
    ['110', '一百一十'],
    ['1005', '一千零五'],
    ['2024', '两千零二十四'],
    ['10500', '一万零五百'],
    ['20000', '两万'],
    ['100000', '十万'],
    ['1,234,567', '一百二十三万四千五百六十七'],
    ['200000000', '两亿'],
    ['3.14', '三点一四'],
    ['-5', '负五'],
    ['12.5%', '百分之十二点五'],
    ['007', '零零七'],
    ['12345678901234567', '一二三四五六七八九零一二三四五六七'],
    ['2024年5月1日', '二零二四年五月一日'],
    ['2016-02-09', '二零一六年二月九日'],
    ['3:05', '三点零五分'],
    ['2:00', '两点'],
    ['2个', '两个'],
    ['第2个', '第二个'],
    ['12个', '十二个'],
    ['2月', '二月'],
    ['GPT4', 'GPT四'],
  ])('%s is %s', (written, read) => {
    expect(spellNumbers(written)).toBe(read);
  });
});

describe('the synthesizer', () => {
  it('pronounces Mandarin syllables with their tones', async () => {
    const voice = (await SpeechEngine.load()).begin(bilingual.profile);
    const syllables = (text: string) => voice.phonemes('cmn', text).replace(/[ˈˌ_\s]/g, '');
    expect(syllables('你好')).toBe('niɜχɑu2');
    expect(syllables('银行')).toContain('χɑɜŋ');
    expect(new Set(['麻', '马', '骂'].map(syllables)).size).toBe(3);
    expect(syllables('今天天气很好')).not.toContain('tʃaɪniːz');
  });
});
