import { expect, it } from 'vitest';
import { sampleStudio } from '../support/sample-studio.ts';
import { labelsOf, startSlackScene } from '../support/slack-scene.ts';

const thirty = { USER_DAILY_CREDITS: '30', CHANNEL_DAILY_CREDITS: '30', WORKSPACE_DAILY_CREDITS: '30' };
const lifting =
  '--user_credits 0 --channel_credits 0 --exempt_administrators on --time_zone Pacific/Kiritimati';

it('an administrator of a workspace lifts no budget: not in a channel, a group or direct messages', async () => {
  const scene = await startSlackScene('socket', {}, thirty);
  const { slack, workspace, ada, ben } = scene;
  const boss = slack.person(workspace, { name: 'boss', admin: true });
  const channel = slack.channel(workspace, 'bosses', [boss, ada]);
  const group = slack.channel(workspace, 'three', [boss, ada, ben], { kind: 'mpim' });
  const places = [channel, group, boss.directMessages];
  const told = (words: string) =>
    [...boss.whispers, ...places.flatMap((place) => scene.said(place))].filter((one) =>
      JSON.stringify(one).includes(words),
    ).length;
  for (const place of places) {
    await boss.types(`/troupe settings ${lifting}`, place);
    await boss.types(`/troupe settings --scope workspace --workspace_credits 0 ${lifting}`, place);
  }
  await scene.until('the settings', () => told('Settings of this') === 4);
  await scene.until('the refusals', () => told('You can’t change that in a direct message') === 2);
  for (const place of places) {
    for (let index = 0; index < 3; index++) await boss.types(`/imagine number ${index}`, place);
  }
  await scene.until('the refusals', () => told('daily budget of 30 credits') === 8);
  await scene.until('the image', async () => (await scene.spent()) > 0);
  expect(await scene.spent()).toBe(22);
});

it('Edit under an image of a long prompt: who changes only its size gets it for the whole prompt', async () => {
  const drawn: string[] = [];
  const draw: typeof sampleStudio.draw = (order) => {
    drawn.push(order.prompt);
    return sampleStudio.draw(order);
  };
  const scene = await startSlackScene('socket', { media: { ...sampleStudio, draw } });
  const { ada, general, said, until } = scene;
  const prompt = `${'a long walk through the green hills '.repeat(90)}ENDS HERE`;
  await ada.types(`/imagine ${prompt}`, general);
  const image = await until('the image', () => said().find((one) => labelsOf(one).includes('Edit')));
  await ada.presses(image, 'Edit');
  const form = await until('its form', () => ada.form);
  expect(JSON.stringify(form.content)).toContain('Leave it unchanged and all of it is used.');
  await ada.sends({ size: '3k' });
  await until('the other image', () => drawn.length === 2);
  expect(drawn).toEqual([prompt, prompt]);
});
