import { expect, it } from 'vitest';
import { changeSandbox } from '../../fakes/sandbox.ts';
import type { Message } from '../../fakes/slack/index.ts';
import { labelsOf, startSlackScene, textOf } from '../support/slack-scene.ts';

/** The lines above a message's text. */
const above = ({ blocks }: Message) => {
  const [first] = blocks as { type: string; elements?: { text: string }[] }[];
  return first?.type === 'context' ? first.elements?.[0]?.text : undefined;
};

it('an administrator makes a persona in a form; it answers who asks it, or a channel, under its name', async () => {
  const scene = await startSlackScene('socket');
  const { slack, workspace, ada, until, fills, whispered } = scene;
  const boss = slack.person(workspace, { name: 'boss', admin: true });
  const channel = slack.channel(workspace, 'bridge', [boss, ada]);
  await boss.types('/troupe settings personas', channel);
  const page = await until('the page', () =>
    boss.whispers.find((one) => labelsOf(one).includes('Add a persona')),
  );
  await fills(boss, boss.presses(page, 'Add a persona'), {
    name: 'Captain <!here>',
    prompt: 'You are a captain.',
  });
  await whispered(boss, 'without links or marks');
  await fills(boss, boss.presses(page, 'Add a persona'), {
    name: 'Captain @here',
    prompt: 'You are a captain.',
  });
  await whispered(boss, '✅ Saved');

  await ada.types('/troupe settings personas --name Eve', channel);
  await whispered(ada, 'Only administrators');
  await ada.types('/ask Where to? --as Bob', channel);
  await whispered(ada, 'Personas: ');
  expect(await scene.spent()).toBe(0);

  const answer = (count: number) =>
    until(`answer ${count}`, () => {
      const message = scene.said(channel)[count - 1];
      return message && labelsOf(message).includes('Regenerate') ? message : undefined;
    });
  await ada.types('/ask repeat: West --as "captain @HERE"', channel);
  const first = await answer(1);
  expect(above(first)).toMatch(/West\n\*Captain @\u2060here\*$/);
  await ada.presses(first, 'Regenerate');
  expect(above(await answer(2))).toMatch(/\n\*Captain @\u2060here\*$/);

  await boss.types('/troupe settings answers --as captain @here --machine_note everything', channel);
  await whispered(boss, 'Changed: `as`');
  await scene.restart();
  await ada.types('/ask Where to?', channel);
  const named = await answer(3);
  expect(above(named)).toMatch(/\n\*Captain @\u2060here\*$/);
  expect(textOf(named)).toContain('Made with AI');
  await ada.types('/ask Where to? --as none --private', channel);
  const alone = await until('it', () => ada.whispers.find((one) => labelsOf(one).includes('Share here')));
  expect(JSON.stringify(alone)).not.toContain('Captain');
  // What isn't shown is said by the bot itself.
  await boss.types('/troupe settings moderation --blocked_words tar', channel);
  await whispered(boss, 'Changed: `blocked_words`');
  await changeSandbox(scene.sandbox, { answers: ['It smells. Of tar.', 'It smells. Of tar.'] });
  for (const more of ['', ' --private']) {
    const place = () => (more === '' ? scene.said(channel) : ada.whispers);
    await ada.types(`/ask What is it?${more}`, channel);
    const withheld = await until('why not', () =>
      place().find((one) => JSON.stringify(one).includes('has a word that’s blocked')),
    );
    expect(JSON.stringify(withheld)).not.toContain('Captain');
  }
});
