import { describe, expect, it } from 'vitest';
import { definitions, settingNames, switchableCommands } from '../../src/place-settings/index.ts';
import { commandFor, paidCommandNames } from '../../src/port/index.ts';
import { paidOperations } from '../../src/service-rules/prices.ts';
import { words } from '../../src/words/index.ts';
import { type AnyCommand, definitions as commands } from '../fakes/commands.ts';

const all = commands as readonly AnyCommand[];
const named = (name: string) => all.find((command) => command.name === name);

describe('the commands that cost credits', () => {
  it.each(paidOperations)('are known by their operation: %s', (operation) => {
    const command = named(commandFor[operation]);
    expect(command?.operation?.({} as never)).toBe(operation);
    expect(command?.price).toBeInstanceOf(Function);
    expect(command?.defaults).toBeInstanceOf(Function);
  });

  it('are the only ones, but for the samples of /voices', () => {
    const paid = all.filter(({ price }) => price).map(({ name }) => name);
    expect(paid).toEqual([...paidCommandNames, 'voices']);
    expect(named('voices')?.operation?.({} as never)).toBeUndefined();
    expect(named('voices')?.operation?.({ sample: 'x' } as never)).toBe('speech');
  });

  it('can each be limited to some people, and are a kind of /usage in both languages', () => {
    expect(settingNames.filter((name) => name.startsWith('users_'))).toEqual(
      paidCommandNames.map((name) => `users_${name}`),
    );
    for (const locale of ['en', 'zh-CN'] as const)
      expect(Object.keys(words(locale).spending.usage.kinds)).toEqual([...paidOperations]);
  });
});

it('every command but /settings, /privacy and /help can be turned off', () => {
  const always = ['settings', 'privacy', 'report', 'help'];
  const names = all.map(({ name }) => name).filter((name) => !always.includes(name));
  expect([...switchableCommands].sort()).toEqual(names.sort());
  expect(definitions.off.allowed).toBe(`${switchableCommands.join(', ')}, all, none`);
});

// Discord refuses all commands where one description is longer (50035).
it('no description is longer than the strictest platform takes, 100 characters', () => {
  const described = all.flatMap(({ description, options, groups = {} }) => [
    description,
    ...Object.values(options).map((option) => option.description),
    ...Object.values(groups).map((group) => group.description),
  ]);
  const long = described.flatMap((texts) => Object.values(texts)).filter((text) => [...text].length > 100);
  expect(long).toEqual([]);
});
