import { afterEach, describe, expect, test } from 'vitest';
import { shown } from '../../fakes/slack/index.ts';
import { type Stage, type StageOptions, startStage } from './stage.ts';

let stage: Stage;
const begin = async (options?: StageOptions) => {
  stage = await startStage(options);
  return stage;
};
afterEach(() => stage.stop());

describe.each(['socket', 'http'] as const)('talking in %s mode', (mode) => {
  test('a mention is answered once, in its thread, though it comes as app_mention and as message', async () => {
    const { ada, general, until, quiet } = await begin({ mode });
    const { message, deliveries } = ada.says(`${ada.bot} what are tides?`, general);
    expect(deliveries).toHaveLength(2);
    await until(() => stage.posts(general).length > 0);
    await stage.pass(5_000);
    await quiet();
    expect(stage.texts(general, message.ts)).toEqual([expect.stringContaining('You asked: what are tides?')]);
    expect(stage.refusals).toBe(0);
  });
});

test('what people see of the answer', async () => {
  const { ada, general } = await begin();
  ada.says(`${ada.bot} hello`, general);
  await stage.until(() => stage.texts(general).some((text) => text.includes('Regenerate')));
  expect(stage.posts(general).map(shown)).toEqual(['You asked: hello\nRegenerate']);
});
