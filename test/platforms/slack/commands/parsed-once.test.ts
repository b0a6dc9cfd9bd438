import { beforeEach, expect, test, vi } from 'vitest';
import { parseOptions } from '../../../../src/port/commands/options.ts';
import { type Stage, startStage } from '../support/stage.ts';

vi.mock(import('../../../../src/port/commands/options.ts'), async (original) => {
  const real = await original();
  return { ...real, parseOptions: vi.fn(real.parseOptions) };
});

let stage: Stage;
const parsed = vi.mocked(parseOptions);
beforeEach(() => {
  parsed.mockClear();
});

test.each(['/video a cat', '/video a cat --duration 30'])(
  'the options of %s are parsed once',
  async (line) => {
    let hasRun = false;
    const video = async () => {
      hasRun = true;
    };
    stage = await startStage({ scripts: { video } });
    await stage.ada.types(line, stage.general);
    await stage.until(() => hasRun || stage.whispers().join().includes('`/video a cat --duration 15`'));
    expect(parsed).toHaveBeenCalledTimes(1);
  },
);

test('the options of a form are parsed once each time it is sent', async () => {
  let hasRun = false;
  const imagine = async () => {
    hasRun = true;
  };
  stage = await startStage({ scripts: { imagine } });
  const { ada } = stage;
  await stage.openForm(ada, '/imagine');
  await ada.sends({ prompt: 'a cat', size: 'huge' });
  expect(ada.form?.errors.size).toContain('Allowed: 2k, 3k, 4k');
  expect(parsed).toHaveBeenCalledTimes(1);
  await ada.sends({ prompt: 'a cat', size: '2k' });
  await stage.until(() => hasRun);
  expect(parsed).toHaveBeenCalledTimes(2);
});
