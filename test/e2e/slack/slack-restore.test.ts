import { expect, it } from 'vitest';
import { restorable } from '../support/restorable.ts';
import { type SlackScene, startSlackScene } from '../support/slack-scene.ts';

const filmsIn = ({ said }: SlackScene) => said().filter(({ files = [] }) => files.length > 0);

it('a film that was posted after the copy was made isn’t posted again once that is restored', async () => {
  const { url, renders, copy, restore } = await restorable();
  const scene = await startSlackScene('http', { renderTime: 2 }, { DATABASE_URL: url });
  await scene.ada.types('/video a cat surfing --duration 4 --resolution 480p', scene.general);
  await scene.until('a film that is being made', () => renders()[0]?.state === 'waiting');
  await copy();
  await scene.until('the film', () => filmsIn(scene).length > 0);
  await scene.until('its record', () => renders()[0]?.delivered);
  const posted = scene.said().length;

  await scene.restart(restore);
  await scene.until('its record again', () => renders()[0]?.delivered);
  expect(filmsIn(scene)).toHaveLength(1);
  expect(scene.said()).toHaveLength(posted);
});

it('a film that waited to be ordered as the copy was made, and was posted since, stays as it is', async () => {
  const { url, renders, copy, restore } = await restorable();
  const scene = await startSlackScene('http', { renderTime: 2 }, { DATABASE_URL: url });
  await scene.ada.types('/video a dog [[rate limit 40 once]] --duration 4', scene.general);
  await scene.until('one that waits to be ordered', () => renders()[0]?.state === 'reserved');
  await copy();
  await scene.until('the film', () => filmsIn(scene).length > 0);
  await scene.until('its record', () => renders()[0]?.delivered);
  const shown = () => scene.said().map((message) => [message.text, message.blocks]);
  const before = shown();
  await scene.restart(restore);
  await scene.until('its record again', () => renders()[0]?.delivered);
  expect(shown()).toEqual(before);
});
