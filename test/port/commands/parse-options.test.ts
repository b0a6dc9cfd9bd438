import { describe, expect, it } from 'vitest';
import { type Options, parseOptions, type RawValues } from '../../../src/port/index.ts';

const description = { en: 'x', 'zh-CN': 'x' };
const file = { name: 'cat.png', contentType: 'image/png', size: 3, source: 's' };
const definitions = {
  prompt: { type: 'text', required: true, maxCharacters: 5, description },
  words: { type: 'text', maxBytes: 6, description },
  size: {
    type: 'text',
    pattern: { expression: /^(?:\dk|\d{2,4}x\d{2,4})$/, allowed: '2k, 3k' },
    description,
  },
  ratio: { type: 'choice', choices: ['16:9', '1:1'], description },
  duration: { type: 'integer', min: 4, max: 15, description },
  speed: { type: 'number', min: 0.5, max: 2, description },
  audio: { type: 'boolean', description },
  picture: { type: 'file', media: 'image', reach: 'data', description },
  urls: { type: 'addresses', media: 'image', max: 2, description },
} as const satisfies Options;

const parse = (raw: RawValues) => parseOptions(definitions, { prompt: 'p', ...raw });

describe('parseOptions', () => {
  it('gives every value its type', () => {
    expect(
      parse({
        words: '你好',
        size: ' 2k ',
        ratio: '16:9',
        duration: '8',
        speed: 1.5,
        audio: 'No',
        picture: file,
        urls: 'https://a.example/1.png  https://b.example/2.png',
      }),
    ).toEqual({
      values: {
        prompt: 'p',
        words: '你好',
        size: '2k',
        ratio: '16:9',
        duration: 8,
        speed: 1.5,
        audio: false,
        picture: file,
        urls: ['https://a.example/1.png', 'https://b.example/2.png'],
      },
    });
  });

  it.each<[string, RawValues, object]>([
    ['an unknown option', { colour: 'red' }, { option: 'colour', code: 'unknown-option' }],
    ['a missing one', { prompt: '' }, { option: 'prompt', code: 'missing' }],
    ['only spaces', { prompt: '  ' }, { option: 'prompt', code: 'missing' }],
    ['what nobody sees', { prompt: '\u200b \u2060\ufe0f' }, { option: 'prompt', code: 'missing' }],
    ['too many characters', { prompt: 'sixsix' }, { code: 'too-long', given: '6', allowed: '5' }],
    ['too many bytes', { words: '你好吗' }, { code: 'too-many-bytes', given: '9', allowed: '6' }],
    ['a wrong form', { size: 'huge' }, { code: 'wrong-form', given: 'huge', allowed: '2k, 3k' }],
    ['a long one', { size: `${'x'.repeat(58)}🌊🌊` }, { code: 'wrong-form', given: `${'x'.repeat(58)}…` }],
    ['a value that is no choice', { ratio: '2:1' }, { code: 'not-a-choice', allowed: '16:9, 1:1' }],
    ['half an integer', { duration: '4.5' }, { code: 'not-an-integer', allowed: '4–15' }],
    ['no number', { duration: 'long' }, { code: 'not-an-integer' }],
    ['infinity', { speed: 'Infinity' }, { code: 'not-a-number' }],
    ['a number too small', { duration: 3 }, { code: 'out-of-range', allowed: '4–15' }],
    ['a number too large', { speed: '2.01' }, { code: 'out-of-range', allowed: '0.5–2' }],
    ['neither true nor false', { audio: 'perhaps' }, { code: 'not-a-boolean' }],
    ['text for a file', { picture: 'cat.png' }, { code: 'not-a-file' }],
    ['another kind of file', { picture: { ...file, contentType: 'text/html' } }, { code: 'wrong-media' }],
    ['plain http', { urls: 'http://a.example/1.png' }, { code: 'not-https' }],
    ['no address', { urls: 'cat' }, { code: 'not-https', given: 'cat' }],
    ['too many addresses', { urls: 'https://a https://b https://c' }, { code: 'too-many', allowed: '2' }],
  ])('refuses %s', (_, raw, fault) => {
    expect(parse(raw)).toMatchObject({ faults: [fault] });
  });

  it('takes small letters for capitals, and a Chinese keyboard’s signs for what they stand for', () => {
    expect(parse({ size: '2K', ratio: '１６：９', duration: '１０', audio: 'ＮＯ' })).toEqual({
      values: { prompt: 'p', size: '2k', ratio: '16:9', duration: 10, audio: false },
    });
    for (const size of ['1920X1080', '1920×1080', '１９２０×１０８０', '1920 x 1080', '1920*1080'])
      expect(parse({ size })).toMatchObject({ values: { size: '1920x1080' } });
    expect(parse({ prompt: '１６：Ａ', words: 'Ａ' })).toEqual({
      values: { prompt: '１６：Ａ', words: 'Ａ' },
    });
  });

  it('counts an emoji once, as the service counts characters', () => {
    expect(parse({ prompt: '😀😀😀😀😀' })).toHaveProperty('values');
  });

  it('names every fault at once, and never shows more than 60 characters of what was given', () => {
    const parsed = parse({ ratio: 'x'.repeat(500), duration: 99 });
    expect(parsed).toMatchObject({ faults: [{ option: 'ratio' }, { option: 'duration' }] });
    expect('faults' in parsed && parsed.faults[0]?.given).toHaveLength(60);
  });

  it('is not led astray by names every object has', () => {
    expect(parse({ constructor: 'x' } as unknown as RawValues)).toMatchObject({
      faults: [{ option: 'constructor', code: 'unknown-option' }],
    });
  });
});
