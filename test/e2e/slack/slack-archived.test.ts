import { expect, it } from 'vitest';
import { words } from '../../../src/words/index.ts';
import { labelsOf, startSlackScene, textOf } from '../support/slack-scene.ts';

it.each([
  'by words',
  // It has a response address, by which the channel may be told so at once.
  'by a command',
])(
  'what an answer and an image %s leave in a channel that’s archived ends once it’s restored',
  async (how) => {
    const scene = await startSlackScene('socket', { pace: 3, renderTime: 5 });
    const { ada, general, said, until, labelled } = scene;
    if (how === 'by words') ada.says(`${ada.bot} imagine a lighthouse`, general);
    else await ada.types('/imagine a lighthouse', general);
    ada.says(`${ada.bot} Write 4000 characters about green`, general);
    const shows = (ending: string) => () => said().find((one) => textOf(one).endsWith(ending));
    const image = await until('an announcement', shows('Drawing…'));
    const answer = await labelled('Stop');
    ada.setsPosting(general, { archived: true });
    const labels = () => said(ada.directMessages).flatMap(labelsOf);
    await until('all in direct messages', () =>
      ['Again', 'Regenerate'].every((one) => labels().includes(one)),
    );
    ada.setsPosting(general, { archived: false });
    const ending = words('en').postedDirectly('gone');
    for (const one of [image, answer]) await until('its end', () => textOf(one).endsWith(`\n${ending}`));
    expect([image, answer].flatMap(labelsOf)).toEqual([]);
  },
);

it('what an answer to a command leaves in a channel that’s archived ends, too, where all of it came by its response address', async () => {
  const scene = await startSlackScene('socket', { pace: 3 });
  const { ada, general, until, labelled } = scene;
  await ada.types('/ask Write 3000 characters about green', general);
  const begun = await labelled('Stop');
  ada.setsPosting(general, { archived: true });
  const whole = await labelled('Regenerate');
  expect(whole).not.toBe(begun);
  ada.setsPosting(general, { archived: false });
  await until('its end', () => textOf(begun).endsWith(`\n${words('en').postedBelow}`));
  expect(labelsOf(begun)).toEqual([]);
});

it.each(['works', 'refused'] as const)(
  'an answer deleted in an archived channel goes, at the latest once that’s restored: chat.delete there %s',
  async (reading) => {
    const scene = await startSlackScene('socket');
    const { ada, general, slack, said, until, labelled } = scene;
    slack.world.readings.deleteWhereArchived = reading;
    ada.says(`${ada.bot} Say: secret`, general);
    const answer = await labelled('Delete');
    ada.setsPosting(general, { archived: true });
    await ada.presses(answer, 'Delete');
    if (reading === 'refused') {
      await until('a word that it stays', () => ada.whispers.length > 0);
      expect(said()).toEqual([answer]);
      ada.setsPosting(general, { archived: false });
    }
    await until('its end', () => said().length === 0);
  },
);
