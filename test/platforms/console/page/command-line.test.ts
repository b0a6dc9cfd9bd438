import { describe, expect, it } from 'vitest';
import type { WireCommandDefinition, WireOption } from '../../../../src/platforms/console/api/wire.ts';
import { wireCommandOf } from '../../../../src/platforms/console/feed/to-wire.ts';
import {
  commandCompletions,
  contextAt,
  optionCompletions,
  readCommandLine,
  valueCompletions,
  writeCommandLine,
} from '../../../../src/platforms/console/page/input/command-line.ts';
import { spokenRequest } from '../../../../src/words/spoken-request.ts';
import { commands as real } from '../../../fakes/commands.ts';

function option(name: string, type: WireOption['type'], more: Partial<WireOption> = {}): WireOption {
  return { name, type, description: `the ${name}`, required: false, ...more };
}

const video: WireCommandDefinition = {
  name: 'video',
  localNames: ['视频'],
  paid: true,
  description: 'Films',
  textOption: 'prompt',
  options: [
    option('prompt', 'text', { required: true }),
    option('duration', 'integer', { min: 4, max: 15 }),
    option('ratio', 'choice', { choices: ['16:9', '9:16', '1:1'] }),
    option('generate_audio', 'boolean'),
    option('voice', 'text', { suggests: true }),
    option('image_1', 'file', { media: 'image', reach: 'address' }),
    option('image_urls', 'addresses', { media: 'image', max: 9 }),
  ],
};
const voices: WireCommandDefinition = {
  name: 'voices',
  localName: '声音',
  localNames: ['声音'],
  paid: false,
  description: 'Lists',
  options: [],
};
const commands = [video, voices];
const read = (line: string) => readCommandLine(line, commands);

describe('the input', () => {
  it.each(['hello', 'what is /video', '/etc/passwd is a file', '//', ''])('“%s” is plain text', (line) => {
    expect(read(line).name).toBeUndefined();
  });

  it.each([
    ['/video a cat', { prompt: 'a cat' }],
    ['  /VIDEO a cat', { prompt: 'a cat' }],
    ['/video a cat --duration 8', { prompt: 'a cat', duration: '8' }],
  ])('“%s” is parsed', (line, values) => {
    expect(read(line)).toMatchObject({ name: 'video', values, faults: [] });
  });

  it('also accepts a command’s name in any language', () => {
    expect(read('/声音')).toMatchObject({ definition: voices, faults: [] });
  });

  it('reports faults', () => {
    expect(read('/film x').faults).toEqual([{ kind: 'unknown-command', name: 'film' }]);
    expect(read('/video x --lenght 8').faults).toEqual([{ kind: 'unknown-option', name: 'lenght' }]);
  });

  it('returns its parts with their positions', () => {
    const line = '/video a cat --duration 8 --oops';
    const parts = read(line).parts.map(({ kind, start, end }) => [kind, line.slice(start, end)]);
    expect(parts).toEqual([
      ['command', '/video'],
      ['text', 'a cat'],
      ['option', '--duration'],
      ['value', '8'],
      ['fault', '--oops'],
    ]);
  });

  it('is written so that it parses to the same values', () => {
    const values = { prompt: 'about --amend', duration: '8' };
    expect(read(writeCommandLine(video, values)).values).toEqual(values);
    expect(writeCommandLine(voices, {})).toBe('/voices');
  });
});

describe('a message', () => {
  const wired = real.map((command) => wireCommandOf(command, 'en'));
  const readReal = (line: string) => readCommandLine(line, wired);

  it.each([
    ['imagine a cat --size 3k', 'imagine', { prompt: 'a cat', size: '3k' }],
    ['Imagine: a cat', 'imagine', { prompt: 'a cat' }],
    ['画图 一只猫 --size 3k', 'imagine', { prompt: '一只猫', size: '3k' }],
    ['朗读：你好', 'speak', { text: '你好' }],
    ['imagine a cat --sise 3k', 'imagine', { prompt: 'a cat', sise: '3k' }],
    ['ask why? --model svc-llm-1.5-pro', 'ask', { prompt: 'why?', model: 'svc-llm-1.5-pro' }],
    ['usage --period week', 'usage', { period: 'week' }],
    ['imagine', 'help', { command: 'imagine' }],
    ['视频 帮助', 'help', { command: 'video' }],
    ['/troupe imagine a cat', 'imagine', { prompt: 'a cat' }],
    ['/troupe', 'help', {}],
  ])('“%s” is the command that the server finds in it', (line, name, values) => {
    expect(readReal(line)).toMatchObject({ isMessage: true, definition: { name }, values });
    expect(spokenRequest(line, { commands: real })).toMatchObject({ command: name, options: values });
  });

  it.each([
    'ask me anything',
    'settings are wrong, why?',
    'I imagine a cat',
    'imagination is all --size 3k',
    '/etc/hosts is a file',
  ])('“%s” is a question', (line) => {
    expect(readReal(line)).toMatchObject({
      isMessage: true,
      name: undefined,
      definition: undefined,
      parts: [],
    });
    expect(spokenRequest(line, { commands: real })).toEqual({ command: 'ask', options: { prompt: line } });
  });

  it('has the parts and completions of its command', () => {
    const line = ' 画图 一只猫 --si';
    const parts = readReal(line).parts.map(({ kind, start, end }) => [kind, line.slice(start, end)]);
    expect(parts).toEqual([
      ['command', '画图'],
      ['text', '一只猫'],
      ['fault', '--si'],
    ]);
    expect(contextAt(line, line.length, wired)).toMatchObject({ kind: 'option', typed: 'si' });
    const size = 'imagine a cat --size ';
    expect(contextAt(size, size.length, wired)).toMatchObject({ kind: 'value', option: { name: 'size' } });
  });

  it('is a command with its slash, where nothing has to be guessed', () => {
    expect(readReal('/画图 一只猫')).toMatchObject({ isMessage: false, definition: { name: 'imagine' } });
    expect(readReal('/imagine')).toMatchObject({ isMessage: false, definition: { name: 'imagine' } });
    expect(readReal('/troupe of actors').faults).toEqual([{ kind: 'unknown-command', name: 'troupe' }]);
  });
});

describe('completion', () => {
  const at = (line: string) => contextAt(line, line.length, commands);

  it('knows the context at the cursor', () => {
    expect(at('/vi')).toMatchObject({ kind: 'command', typed: 'vi', start: 0, end: 3 });
    expect(contextAt('/video x', 2, commands)).toMatchObject({ kind: 'command', end: 6 });
    expect(at('/video a --du')).toMatchObject({ kind: 'option', typed: 'du', start: 9 });
    expect(at('/video a --ratio ')).toMatchObject({ kind: 'value', typed: '', option: { name: 'ratio' } });
    expect(at('/video a --ratio 9')).toMatchObject({ kind: 'value', typed: '9' });
    expect(at('/video a ratio:9')).toMatchObject({ kind: 'value', typed: '9' });
    expect(at('/video a --ratio 9:16 ')).toBeUndefined();
    expect(at('/video a cat')).toBeUndefined();
    expect(at('plain --words')).toBeUndefined();
    expect(at('/nothing --du')).toBeUndefined();
  });

  it('offers prefix matches first, then other matches', () => {
    expect(commandCompletions('v', commands).map(({ insert }) => insert)).toEqual(['/video ', '/voices ']);
    expect(commandCompletions('ic', commands).map(({ label }) => label)).toEqual(['/voices 声音']);
    expect(commandCompletions('声', commands).map(({ insert }) => insert)).toEqual(['/voices ']);
    const context = at('/video a --duration 8 --');
    if (context?.kind !== 'option') throw new Error('not an option');
    expect(optionCompletions(context).map(({ label }) => label)).toEqual([
      ...['--ratio', '--generate_audio', '--voice', '--image_urls'],
    ]);
    expect(valueCompletions(video.options[2]!, '1').map(({ label }) => label)).toEqual([
      '16:9',
      '1:1',
      '9:16',
    ]);
    expect(valueCompletions(video.options[3]!, '').map(({ label }) => label)).toEqual(['true', 'false']);
  });
});
