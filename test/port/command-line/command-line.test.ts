import { describe, expect, it } from 'vitest';
import {
  type LineCommand,
  readOptions,
  writeOptions,
  writeValue,
} from '../../../src/port/command-line/parse.ts';
import { isLinear } from '../../is-linear.ts';

const video: LineCommand = {
  textOption: 'prompt',
  options: [
    { name: 'prompt', type: 'text' },
    { name: 'duration', type: 'integer' },
    { name: 'ratio', type: 'choice' },
    { name: 'generate_audio', type: 'boolean' },
    { name: 'voice', type: 'text' },
    { name: 'image_1', type: 'file' },
    { name: 'image_urls', type: 'addresses' },
  ],
};
const read = (line: string) => readOptions(line, video);

describe('a command line', () => {
  it.each<[string, Record<string, string>]>([
    ['', {}],
    ['a cat surfing', { prompt: 'a cat surfing' }],
    ['a\n\n  b   c', { prompt: 'a\n\n  b   c' }],
    ['a cat --duration 8 --ratio 9:16', { prompt: 'a cat', duration: '8', ratio: '9:16' }],
    ['a cat --duration=8', { prompt: 'a cat', duration: '8' }],
    ['a cat --DURATION 8', { prompt: 'a cat', duration: '8' }],
    ['a cat —duration 8', { prompt: 'a cat', duration: '8' }],
    ['a cat –duration 8 –ratio=“9:16”', { prompt: 'a cat', duration: '8', ratio: '9:16' }],
    ['a cat – surfing, 1–2 m, –5 °C', { prompt: 'a cat – surfing, 1–2 m, –5 °C' }],
    ['a cat ——duration 8 ——ratio="9:16"', { prompt: 'a cat', duration: '8', ratio: '9:16' }],
    ['a cat —— surfing', { prompt: 'a cat —— surfing' }],
    ['--duration 8 a cat', { duration: '8', prompt: 'a cat' }],
    ['--duration=8 a --ratio="9:16" cat', { duration: '8', ratio: '9:16', prompt: 'a cat' }],
    ['--duration= 8 a cat', { duration: '8', prompt: 'a cat' }],
    ['prompt:a cat duration:8 ratio:9:16', { prompt: 'a cat', duration: '8', ratio: '9:16' }],
    ['--prompt a cat --duration 8', { prompt: 'a cat', duration: '8' }],
    ['--prompt "a --duration 9 cat"', { prompt: 'a --duration 9 cat' }],
    ['the prompt: a cat', { prompt: 'the prompt: a cat' }],
    ['the prompt:a cat', { prompt: 'the prompt:a cat' }],
    ['https://x duration: 8', { prompt: 'https://x duration: 8' }],
    ['a colour:blue cat', { prompt: 'a colour:blue cat' }],
    ['a cat — surfing', { prompt: 'a cat — surfing' }],
    ['--generate_audio a cat', { generate_audio: 'true', prompt: 'a cat' }],
    ['a cat --generate-audio', { prompt: 'a cat', generate_audio: 'true' }],
    ['a cat --generate_audio false', { prompt: 'a cat', generate_audio: 'false' }],
    ['--generate-audio no a cat', { generate_audio: 'no', prompt: 'a cat' }],
    ['generate_audio:no a cat', { generate_audio: 'no', prompt: 'a cat' }],
    ['a cat --generate_audio none', { prompt: 'a cat', generate_audio: 'none' }],
    [
      'x --image_urls https://a https://b --duration 5',
      { prompt: 'x', image_urls: 'https://a https://b', duration: '5' },
    ],
    ['--image_urls "https://a https://b" x', { image_urls: 'https://a https://b', prompt: 'x' }],
    ['--image_urls https://a a cat', { image_urls: 'https://a', prompt: 'a cat' }],
    ['你好 --voice 声音', { prompt: '你好', voice: '声音' }],
  ])('%j is read', (line, values) => {
    expect(read(line)).toMatchObject({ values, faults: [] });
    expect(read(line).values).toEqual(values);
  });

  it.each([
    ['--persona You are a pirate --at_once 3', { persona: 'You are a pirate', at_once: '3' }],
    ['persona:You are a pirate', { persona: 'You are a pirate' }],
    ['--persona "You are --at_once" --at_once 3', { persona: 'You are --at_once', at_once: '3' }],
    ['--at_once 3 4', { at_once: '3' }],
  ])('without words of its own gives %j to its options', (line, values) => {
    const settings: LineCommand = {
      options: [
        { name: 'persona', type: 'text' },
        { name: 'at_once', type: 'integer' },
      ],
    };
    expect(readOptions(line, settings).values).toEqual(values);
  });

  it.each<[string, Record<string, string>]>([
    ['"what does --force do"', { prompt: 'what does --force do' }],
    ['“what does --force do” --duration 8', { prompt: 'what does --force do', duration: '8' }],
    ["don't 'worry'", { prompt: "don't 'worry'" }],
    ['she said "hello" twice', { prompt: 'she said "hello" twice' }],
    ['x --voice "two words"', { prompt: 'x', voice: 'two words' }],
    ['x --voice="two words"', { prompt: 'x', voice: 'two words' }],
    ['voice:“a b” x', { voice: 'a b', prompt: 'x' }],
    ["x --voice 'two words'", { prompt: 'x', voice: 'two words' }],
    ['an open " mark --duration 8', { prompt: 'an open " mark', duration: '8' }],
    ['x --voice "not closed yet', { prompt: 'x', voice: 'not closed yet' }],
    ['x --voice="not closed yet', { prompt: 'x', voice: 'not closed yet' }],
    ["x --voice 'n roll", { voice: "'n", prompt: 'x roll' }],
  ])('%j is read by its quotation marks', (line, values) => {
    expect(read(line).values).toEqual(values);
  });

  it.each<[string, Record<string, string>]>([
    ['-- --duration 5', { prompt: '--duration 5' }],
    ['--duration 5 -- "a" --x', { duration: '5', prompt: '"a" --x' }],
    ['a cat -- in a hat --duration 5', { prompt: 'a cat -- in a hat', duration: '5' }],
  ])('%j: all is text after two dashes that stand before it', (line, values) => {
    expect(read(line).values).toEqual(values);
  });

  it('says which options do not exist, and which lack a value', () => {
    expect(read('x --lenght 8')).toMatchObject({
      values: { prompt: 'x', lenght: '8' },
      faults: [{ kind: 'unknown-option', name: 'lenght' }],
    });
    expect(read('x --lenght=8').faults).toEqual([{ kind: 'unknown-option', name: 'lenght' }]);
    const duration = { kind: 'needs-value', option: { name: 'duration' } };
    expect(read('x --duration').faults).toMatchObject([duration]);
    expect(read('x --duration=').faults).toMatchObject([duration]);
    expect(read('x --duration --ratio 1:1')).toMatchObject({ values: { ratio: '1:1' }, faults: [duration] });
    expect(read('x --image_1').faults).toMatchObject([{ kind: 'needs-value', option: { name: 'image_1' } }]);
  });

  it('tells its parts apart, each where it stands', () => {
    const line = 'a cat --duration 8 ratio:1:1 --oops what --image_urls https://a https://b';
    const parts = read(line).parts.map(({ kind, start, end }) => [kind, line.slice(start, end)]);
    expect(parts).toEqual([
      ['text', 'a cat'],
      ['option', '--duration'],
      ['value', '8'],
      ['option', 'ratio:'],
      ['value', '1:1'],
      ['fault', '--oops'],
      ['value', 'what'],
      ['option', '--image_urls'],
      ['value', 'https://a https://b'],
    ]);
  });

  it.each([
    '‘ ',
    '" ',
    '=‘ ',
    '--a ',
    '--a "',
    '--seed=',
    'voice:"',
    '--voice=" ',
    '“a” ',
    '-- ',
    '--duration ',
    '--image_urls https://a.example ',
  ])('of forty thousand characters of %j is read in one go', (part) => {
    expect(isLinear(read, part, 40_000)).toBe(true);
  });

  it.each<Record<string, string>>([
    { prompt: 'a cat', duration: '8' },
    { prompt: 'about --amend and ratio:x' },
    { prompt: 'about --amend and "ratio:x"', duration: '8' },
    { prompt: 'all “of” the "marks" --here', duration: '8' },
    { prompt: '"in marks"', ratio: '1:1' },
    { prompt: "'in marks'" },
    { prompt: '-- dashes' },
    { prompt: 'ratio:1:1' },
    { prompt: 'two\nlines' },
    { prompt: 'x', image_urls: 'https://a https://b' },
    { prompt: 'x', voice: 'two words' },
    { prompt: 'x', voice: 'a "word"' },
    { prompt: 'x', voice: '--dashes' },
    { prompt: 'x', voice: '——dashes' },
    { prompt: 'x', voice: '"' },
    { duration: '8' },
    {},
  ])('is written so that it reads the same: %j', (values) => {
    const written = writeOptions(values, video);
    expect(read(written)).toMatchObject({ values, faults: [] });
    expect(read(written).values).toEqual(values);
  });

  it('is written as a person would', () => {
    expect(writeOptions({ duration: '8', prompt: 'a cat — surfing' }, video)).toBe(
      'a cat — surfing --duration 8',
    );
    expect(writeOptions({ prompt: 'what does --force do' }, video)).toBe('"what does --force do"');
    expect(writeValue('https://a https://b')).toBe('https://a https://b');
    expect(writeValue('two words')).toBe('"two words"');
  });
});
