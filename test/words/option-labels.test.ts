import { describe, expect, it } from 'vitest';
import { optionLabel } from '../../src/words/option-labels.ts';
import { commands } from '../fakes/commands.ts';

describe.each(commands)('$name', ({ options }) => {
  const names = Object.keys(options);

  it.each(['en', 'zh-CN'] as const)('calls its options by words in %s, each by its own', (locale) => {
    const labels = names.map((name) => [name.replace(/_\d+$/, ''), optionLabel(name, locale)] as const);
    expect(labels.filter(([name, label]) => label === name)).toEqual([]);
    if (locale === 'zh-CN') expect(labels.filter(([, label]) => !/\p{Script=Han}/u.test(label))).toEqual([]);
    const byLabel = new Map(labels.map(([name, label]) => [label, name]));
    expect(byLabel.size).toBe(new Set(labels.map(([name]) => name)).size);
  });
});
