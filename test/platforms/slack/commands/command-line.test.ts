import { describe, expect, test } from 'vitest';
import { correctedExample } from '../../../../src/platforms/slack/commands/corrected-example.ts';
import { inSlackStyle, typedCommand } from '../../../../src/platforms/slack/commands/slash-commands.ts';
import { parseOptions, readCommandLine } from '../../../../src/port/index.ts';
import { type AnyCommand, commands } from '../../../fakes/commands.ts';

const commandNamed = (name: string) => {
  const found = commands.find((command) => command.name === name);
  if (!found) throw new Error(name);
  return found as unknown as AnyCommand;
};
const read = (name: string, line: string) => readCommandLine(line, commandNamed(name)).values;

describe('a command line', () => {
  test.each([
    ['video', 'a cat --generate-audio', { prompt: 'a cat', generate_audio: 'true' }],
    ['speak', '“what does --force do” --speed 2', { text: 'what does --force do', speed: '2' }],
    ['ask', 'hi --colour blue', { prompt: 'hi', colour: 'blue' }],
    ['ask', 'hi --colour', { prompt: 'hi', colour: '' }],
    ['ask', 'hi --model', { prompt: 'hi', model: '' }],
  ])('%s %s', (name, line, values) => {
    expect(read(name, line)).toEqual(values);
  });

  test('a file option without a value asks for the form', () => {
    expect(readCommandLine('a cat --reference_1', commandNamed('imagine'))).toEqual({
      values: { prompt: 'a cat', reference_1: '' },
      namedFiles: ['reference_1'],
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
    ['/ask', '帮助', '', { command: 'help', line: 'ask', typed: '/ask' }],
    [
      '/troupe',
      '用量 --period week',
      '',
      { command: 'usage', line: '--period week', typed: '/troupe usage' },
    ],
    ['/troupe', '用量 帮助', '', { command: 'help', line: 'usage', typed: '/troupe help' }],
    ['/troupe', '帮助', '', { command: 'help', line: '', typed: '/troupe help' }],
    ['/troupe', '/usage', '', { command: 'usage', line: '', typed: '/troupe usage' }],
    ['/troupe', '/usage help', '', { command: 'help', line: 'usage', typed: '/troupe help' }],
    ['/troupe', 'Reset', '', { command: 'reset', line: '', typed: '/troupe reset' }],
    ['/troupe', 'help video', '', { command: 'help', line: 'video', typed: '/troupe help' }],
    ['/troupe', 'usage help', '', { command: 'help', line: 'usage', typed: '/troupe help' }],
  ])('%s %s', (slash, text, prefix, typed) => {
    expect(typedCommand(slash, text, prefix, commands)).toEqual(typed);
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
