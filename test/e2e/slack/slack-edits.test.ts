import { expect, it } from 'vitest';
import { words } from '../../../src/words/index.ts';
import { type FakePerson, type Message, shown } from '../../fakes/slack/index.ts';
import { everythingIn } from '../support/everything.ts';
import { labelsOf, passes, type SlackScene, startSlackScene, textOf } from '../support/slack-scene.ts';

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

// Fact: A changed mention is another `app_mention`, with `edited` and its first `ts` (bolt-js#960, slack-go#1256,
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

it('a mention without words that’s edited into a question is answered once, though it was explained', async () => {
  const scene = await startSlackScene('socket');
  const { ada, general, said, until } = scene;
  const { message } = ada.says(ada.bot, general);
  await until('the help', () => ada.whispers.length === 1);
  await edits(scene, ada, message, `${ada.bot} Say: green`);
  await until('the answer', () => isWhole(said()[0]));
  await edits(scene, ada, message, `${ada.bot} Say: blue`);
  ada.says(`${ada.bot} Say: yellow`, general);
  await until('the next answer', () => isWhole(said()[1]));
  expect(said().map(textOf).join()).toMatch(/green.*yellow/su);
});

it('a question that’s edited is answered once, also after a restart', async () => {
  const scene = await startSlackScene('socket');
  const { ada, general, said, until } = scene;
  const { message } = ada.says(`${ada.bot} Say: red`, general);
  await until('the answer', () => isWhole(said()[0]));
  await edits(scene, ada, message, `${ada.bot} Say: green`);
  await scene.restart();
  await edits(scene, ada, message, `${ada.bot} imagine a cat --size 9k`);
  ada.says(`${ada.bot} Say: blue`, general);
  await until('the next answer', () => isWhole(said()[1]));
  expect(said().map(textOf).join()).not.toContain('green');
  expect(ada.whispers).toEqual([]);
});

it('a question that’s edited after Delete my data is answered once, and none of its words are left', async () => {
  const { url, rowsWith } = await everythingIn();
  const scene = await startSlackScene('socket', {}, { DATABASE_URL: url });
  const { ada, general, said, until, labelled, whispered } = scene;
  const { message } = ada.says(`${ada.bot} Say: red`, general);
  await until('the answer', () => isWhole(said()[0]));
  await ada.types('/imagine a wheel of CHEDDAR', general);
  await labelled('Again');
  const drawn = said().length;
  const label = 'Delete my data';
  await ada.types('/troupe privacy', general);
  await ada.presses(await whispered(ada, label), label);
  const question = await until('a question', () => ada.whispers[1]);
  await ada.presses(question, label);
  await until('the deletion', () => ada.whispers.some(({ text }) => text.startsWith('Deleted.')));
  await passes(scene, 60);
  await scene.restart();
  await edits(scene, ada, message, `${ada.bot} Say: green`);
  expect(rowsWith('CHEDDAR')).toEqual([]);
  ada.says(`${ada.bot} Say: blue`, general);
  await until('the next answer', () => isWhole(said()[drawn]));
  expect(said().map(textOf).join()).not.toContain('green');
});

it('an edit of an old “yes”, or one that adds a mention to it, doesn’t confirm another question', async () => {
  const scene = await startSlackScene('socket', {}, { CONFIRM_OVER_CREDITS: '1' });
  const { ada, general, until } = scene;
  const { message: root } = ada.says(`${ada.bot} imagine a cat`, general);
  await until('a question', () => ada.whispers.length === 1);
  const { message: said } = ada.says('yes', general, { thread: root.ts });
  const { message: yes } = ada.says(`${ada.bot} yes`, general, { thread: root.ts });
  await until('the cat', async () => (await scene.spent()) === 22 && scene.said().some(labelsOf));
  await passes(scene, 60);
  ada.says(`${ada.bot} imagine a dog`, general, { thread: root.ts });
  const question = await until('another question', () => ada.whispers[1]);
  await edits(scene, ada, yes, `${ada.bot} Yes`);
  await edits(scene, ada, yes, `${ada.bot} imagine a bird`);
  await edits(scene, ada, said, `${ada.bot} yes`);
  await ada.presses(question, 'No');
  await until('its end', () => shown(question) === words('en').question.declined);
  expect(await scene.spent()).toBeLessThan(2 * 22);
});

it('a refused mention that’s corrected is answered', async () => {
  const scene = await startSlackScene('socket');
  const { ada, general, until } = scene;
  const { message } = ada.says(`${ada.bot} imagine a cat --size 9k`, general);
  await until('the refusal', () => ada.whispers.length === 1);
  await edits(scene, ada, message, `${ada.bot} imagine a cat --size 3k`);
  await scene.labelled('Again');
  expect(ada.whispers.length).toBe(1);
});
