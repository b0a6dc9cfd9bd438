import { describe, expect, test } from 'vitest';
import { commands } from '../../../../commands/index.ts';
import { readCommandLine } from '../../../../src/platforms/slack/commands/command-line.ts';
import { correctedExample } from '../../../../src/platforms/slack/commands/corrected-example.ts';
import { inSlackStyle, typedCommand } from '../../../../src/platforms/slack/commands/slash-commands.ts';
import { type AnyCommand, parseOptions } from '../../../../src/port/index.ts';

const commandNamed = (name: string) => {
  const found = commands.find((command) => command.name === name);
  if (!found) throw new Error(name);
  return found as unknown as AnyCommand<never>;
};
const read = (name: string, line: string) => readCommandLine(line, commandNamed(name)).values;

describe('a command line', () => {
  test.each([
    ['video', 'a cat surfing', { prompt: 'a cat surfing' }],
    ['video', 'a cat --duration 8 --ratio 9:16', { prompt: 'a cat', duration: '8', ratio: '9:16' }],
    ['video', 'a cat --duration=8', { prompt: 'a cat', duration: '8' }],
    ['video', '--duration 8 a cat', { duration: '8', prompt: 'a cat' }],
    ['video', 'a cat --generate-audio', { prompt: 'a cat', generate_audio: true }],
    ['video', 'a cat --generate_audio false', { prompt: 'a cat', generate_audio: 'false' }],
    ['video', 'a cat —duration 8', { prompt: 'a cat', duration: '8' }],
    ['speak', "don't 'worry'", { text: "don't 'worry'" }],
    ['speak', 'she said "hello" twice', { text: 'she said "hello" twice' }],
    ['speak', '"what does --force do"', { text: 'what does --force do' }],
    ['speak', '“what does --force do” --speed 2', { text: 'what does --force do', speed: '2' }],
    ['speak', 'hello --voice "voice of two words"', { text: 'hello', voice: 'voice of two words' }],
    ['speak', 'hello --voice="two words"', { text: 'hello', voice: 'two words' }],
    ['speak', 'an open " mark --speed 2', { text: 'an open " mark', speed: '2' }],
    ['speak', 'one\ntwo  three', { text: 'one\ntwo  three' }],
    [
      'video',
      'a cat --image_urls https://a.example/1 https://a.example/2 --seed 7',
      { prompt: 'a cat', image_urls: 'https://a.example/1 https://a.example/2', seed: '7' },
    ],
    [
      'imagine',
      '--reference_urls https://a.example/1 a cat',
      { reference_urls: 'https://a.example/1', prompt: 'a cat' },
    ],
    ['ask', 'hi --colour blue', { prompt: 'hi', colour: 'blue' }],
    ['ask', '你好 --model svc-llm-1.5-pro', { prompt: '你好', model: 'svc-llm-1.5-pro' }],
    ['ask', 'hi --model', { prompt: 'hi', model: '' }],
    ['ask', '', {}],
  ])('%s %s', (name, line, values) => {
    expect(read(name, line)).toEqual(values);
  });

  test.each(['‘ ', '" ', '=‘ ', '--a ', '--a "', '--seed=', '“a” ', '--image_urls https://a.example '])(
    'of forty thousand characters of %s is read at once',
    (part) => {
      const line = part.repeat(40_000 / part.length);
      const took = () => {
        const begun = performance.now();
        read('video', line);
        return performance.now() - begun;
      };
      // The fastest of some: the machine may be busy. What is not linear takes thousands.
      expect(Math.min(took(), took(), took())).toBeLessThan(150);
    },
  );

  test('a file option without a value asks for the form', () => {
    expect(readCommandLine('a cat --reference_1', commandNamed('imagine'))).toEqual({
      values: { prompt: 'a cat' },
      wantsFiles: true,
    });
  });
});

describe('the command in what was typed', () => {
  test.each([
    ['/ask', 'hello', '', { command: 'ask', line: 'hello', typed: '/ask' }],
    ['/ask', 'help', '', { command: 'help', line: 'ask', typed: '/ask' }],
    ['/acme-ask', 'hello', 'acme-', { command: 'ask', line: 'hello', typed: '/acme-ask' }],
    ['/troupe', '', '', { command: 'help', line: '', typed: '/troupe help' }],
    [
      '/troupe',
      'usage --period week',
      '',
      { command: 'usage', line: '--period week', typed: '/troupe usage' },
    ],
    ['/troupe', 'Reset', '', { command: 'reset', line: '', typed: '/troupe reset' }],
    ['/troupe', 'help video', '', { command: 'help', line: 'video', typed: '/troupe help' }],
    ['/troupe', 'usage help', '', { command: 'help', line: 'usage', typed: '/troupe help' }],
  ])('%s %s', (slash, text, prefix, typed) => {
    expect(typedCommand(slash, text, prefix)).toEqual(typed);
  });
});

describe('a corrected example', () => {
  test.each([
    ['video', 'a cat --duration 30', '/video a cat --duration 15'],
    ['video', 'a cat --duraton 8', '/video a cat --duration 8'],
    ['video', 'a cat --ratio 16:10', '/video a cat --ratio 16:9'],
    ['video', 'a cat --resolution 720', '/video a cat --resolution 720p'],
    ['video', 'a cat --duration soon --sparkles yes', '/video a cat --duration 4'],
    ['imagine', 'a cat --size huge', '/imagine a cat --size 2k'],
    [
      'imagine',
      'a cat --reference_urls file.png',
      '/imagine a cat --reference_urls https://example.com/1.png',
    ],
    ['speak', 'say -- this --speed 9', '/speak "say -- this" --speed 2'],
  ])('%s %s', (name, line, example) => {
    const command = commandNamed(name);
    const values = read(name, line);
    const parsed = parseOptions(command.options, values);
    if (!('faults' in parsed)) throw new Error('nothing is wrong');
    expect(correctedExample(`/${name}`, command, values, parsed.faults)).toBe(example);
  });

  test('is right itself', () => {
    const command = commandNamed('video');
    const values = read('video', 'a cat --duration 99 --seed x --ratio wide --image_urls http://a.example');
    const parsed = parseOptions(command.options, values);
    if (!('faults' in parsed)) throw new Error('nothing is wrong');
    const example = correctedExample('/video', command, values, parsed.faults);
    const again = readCommandLine(example.slice('/video '.length), command).values;
    expect(parseOptions(command.options, again)).not.toHaveProperty('faults');
  });
});

describe("sentences in Slack's style", () => {
  test.each([
    ['`/help` shows all', '', '`/troupe help` shows all'],
    ['Example: `/imagine prompt:a cat, woodcut size:3k`', '', 'Example: `/imagine a cat, woodcut --size 3k`'],
    ['`/help command:video`', '', '`/troupe help video`'],
    ['answers as to `/ask`', 'acme-', 'answers as to `/acme-ask`'],
    ['- **/reset** — forgets', '', '- **/troupe reset** — forgets'],
    ['`/speak text:Good morning! speed:0.9`', 'x-', '`/x-speak Good morning! --speed 0.9`'],
    ['see https://example.com/ask', '', 'see https://example.com/ask'],
  ])('%s', (text, prefix, styled) => {
    expect(inSlackStyle(text, commands as never, prefix)).toBe(styled);
  });
});
