import { expect, test } from 'vitest';
import type { Invocation } from '../../../../src/engine/index.ts';
import { type Script, type Stage, startStage } from '../support/stage.ts';

let stage: Stage;

/** Starts a bot whose commands note what they are given. */
async function begin(): Promise<object[]> {
  const seen: object[] = [];
  const note: Script = async ({ options, reply }: Invocation<never>) => {
    seen.push(options);
    await reply.say({ text: 'done' });
  };
  stage = await startStage({ scripts: { ask: note, imagine: note, speak: note } });
  return seen;
}

async function next(seen: readonly object[], ask: () => unknown): Promise<object | undefined> {
  const before = seen.length;
  void ask();
  await stage.until(() => seen.length > before);
  return seen.at(-1);
}

test('emoji of messages are characters again, skin tones included, and colons stay colons', async () => {
  const seen = await begin();
  const { ada, general } = stage;
  const text = 'Wave 👋🏼👋 at 10:30:45, foo:cat:bar and std::cout 🎉';
  expect(await next(seen, () => ada.says(`${ada.bot} ${text}`, general))).toMatchObject({ prompt: text });
  expect(await next(seen, () => ada.says('imagine a 🐱 on a 🛹', ada.directMessages))).toMatchObject({
    prompt: 'a 🐱 on a 🛹',
  });
});

test('a voice reads characters and words, and no codes: neither of a workspace’s own emoji nor in slash commands', async () => {
  const seen = await begin();
  const { ada, general } = stage;
  const spoken = { text: 'Good morning 👋🏼 team 🎉' };
  expect(
    await next(seen, () => ada.says(`${ada.bot} speak Good morning 👋🏼 team 🎉 :party-parrot:`, general)),
  ).toEqual(spoken);
  expect(
    await next(seen, () => ada.types('/speak Good morning 👋🏼 team 🎉🎉, foo:bar:baz at 10:30:45', general)),
  ).toEqual({ text: 'Good morning team , foo:bar:baz at 10:30:45' });
  // A model understands them.
  expect(await next(seen, () => ada.types('/imagine a 🐱', general))).toMatchObject({ prompt: 'a :cat:' });
});

test('those of a message that somebody chose, and of its thread, are characters, too', async () => {
  const seen = await begin();
  const { ada, ben, general } = stage;
  const { message } = ben.says('Good morning 👋', general);
  await ada.picks(message, 'Speak this');
  await stage.until(() => ada.form !== undefined);
  expect(JSON.stringify(ada.form?.content)).toContain('Good morning 👋');
  const asked = await next(seen, () => ada.says(`${ada.bot} why?`, general, { thread: message.ts }));
  expect(asked).toMatchObject({ context: expect.stringContaining('Good morning 👋') });
});
