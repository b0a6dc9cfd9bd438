import { expect, it } from 'vitest';
import { shown } from '../../fakes/slack/index.ts';
import { noise } from '../../platforms/discord/support/pictures.ts';
import { startSlackScene } from '../support/slack-scene.ts';

it('an image to go by that somebody has deleted is named, before the image and at Again, and nothing is spent', async () => {
  const scene = await startSlackScene('socket');
  const { ada, general, spent, until, labelled } = scene;
  const lost = (name: string) =>
    ada.whispers.filter((one) => shown(one).includes(`I can’t open \`${name}\``));
  const [kept, deleted] = ['kept.png', 'deleted.png'].map((name) => ada.file(name, noise(16)));
  if (!kept || !deleted) throw new Error('no files');
  ada.says(`${ada.bot} imagine a cat`, general, { files: [kept] });
  const drawn = await labelled('Again');
  const before = await spent();
  ada.says(`${ada.bot} imagine a cat`, general, { files: [deleted] });
  ada.deletesFile(deleted);
  await until('why there is none', () => lost('deleted.png').length === 1);
  ada.deletesFile(kept);
  await ada.presses(drawn, 'Again');
  await until('why there is none again', () => lost('kept.png').length === 1);
  expect(await spent()).toBe(before);
});
