import { expect, it } from 'vitest';
import type { FakePerson, Message } from '../../fakes/slack/index.ts';
import { labelsOf, type SlackScene, startSlackScene, textOf } from '../support/slack-scene.ts';

const isWhole = (message: Message | undefined) => labelsOf(message).includes('Regenerate');

/** Changes a message, and waits until the bot has taken notice. */
async function edits(scene: SlackScene, person: FakePerson, message: Message, text: string) {
  const deliveries = person.edits(message, text);
  let isOver = false;
  void Promise.all(deliveries.map(({ done }) => done)).then(() => {
    isOver = true;
  });
  await scene.until('the change', () => isOver);
}

// Fact: A changed mention comes as `app_mention` again, with `edited` and its first `ts` (bolt-js#960, slack-go#1256,
// PostHog/posthog#59517)
it('a mention that an edit adds is answered once', async () => {
  const scene = await startSlackScene('socket');
  const { ada, general, said, until } = scene;
  const { message } = ada.says('Say: red', general);
  await edits(scene, ada, message, `${ada.bot} Say: green`);
  await until('the answer', () => isWhole(said()[0]));
  await edits(scene, ada, message, `${ada.bot} Say: blue`);
  ada.says(`${ada.bot} Say: yellow`, general);
  await until('the next answer', () => isWhole(said()[1]));
  expect(said().map(textOf).join()).toMatch(/green.*yellow/su);
});
