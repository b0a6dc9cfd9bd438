import { expect, it, onTestFinished } from 'vitest';
import { words } from '../../src/words/index.ts';
import { Life } from './support/life.ts';
import { slackPlace } from './support/slack.ts';
import { isIdle } from './support/under-way.ts';
import { World } from './support/world.ts';

it('an answer whose process dies before any of it is there has told nobody that they talk to a machine: the next one does', async () => {
  const world = await World.open(slackPlace);
  onTestFinished(() => world.close());
  const { life } = await world.start(new Life(), true);
  const asking = await world.place.asking('directly', 'en');
  const isOver = () => isIdle(world);
  await world.answersNext('One.', 'instant');
  life.diesAfter(1, /first-contacts/);
  asking.ask('First?');
  await world.until('its death', () => life.isDead);
  await world.start(new Life(), true);
  await world.until('its end', isOver);
  const line = words('en').firstContact.slice('-# '.length);
  const said = async () => (await asking.posted()).map(({ text }) => text);
  expect((await said()).join('\n')).not.toMatch(/One\.|an AI/);
  await world.answersNext('Two.', 'instant');
  asking.ask('Second?');
  await world.until('the next', async () => (await said()).join('\n').includes('Two.') && (await isOver()));
  await world.calm();
  expect((await said()).at(-1)).toContain(line);
});
