import { expect, it } from 'vitest';
import type { FakePerson } from '../../fakes/slack/index.ts';
import { startSlackScene, textOf } from '../support/slack-scene.ts';

it('Home and direct messages are no channel, and name their budget otherwise; its list has each language’s marks', async () => {
  const scene = await startSlackScene('socket', {}, { CHANNEL_DAILY_CREDITS: '7000' });
  const { ada, ben, said, until } = scene;
  const ours = 'Budget of our direct messages: 7,000 of 7,000';
  const home = async (person: FakePerson) => {
    person.opensHome();
    return JSON.stringify((await until('Home', () => person.home)).content.blocks);
  };
  const [english, chinese] = [await home(ada), await home(ben)];
  expect(english).toContain(ours);
  expect(chinese).toContain('我们私信的预算：还剩 7,000');
  expect(english).toContain('`/ask`: Ask something');
  expect(chinese).toContain('`/ask`：提问');
  await ada.types('/troupe usage', ada.directMessages);
  await until('the same there', () => said(ada.directMessages).some((one) => textOf(one).includes(ours)));
});

it('Home tells guests that an administrator has to allow what costs credits, in their language, and members nothing of it', async () => {
  const { ada, slack, until, workspace } = await startSlackScene('socket');
  const home = async (person: FakePerson) => {
    person.opensHome();
    return JSON.stringify((await until('Home', () => person.home)).content.blocks);
  };
  const [gus, gao] = ['en-US', 'zh-CN'].map((locale) =>
    slack.person(workspace, { name: `guest-${locale.slice(0, 2)}`, guest: true, locale }),
  );
  expect(await home(gus!)).toContain('Guests can use these where an administrator allows it.');
  expect(await home(gao!)).toContain('管理员允许的地方，访客可以使用这些命令。');
  expect(await home(ada)).not.toContain('Guests');
});

// Slack names a person's time zone (users.info, `tz`), and may know newer ones than this machine.
it('who’s in a time zone that isn’t known here gets what they ask for, in the place’s or UTC', async () => {
  const scene = await startSlackScene('socket', {}, { USER_DAILY_CREDITS: '1' });
  const { general, slack, workspace } = scene;
  const zoe = slack.person(workspace, { name: 'zoe', timeZone: 'America/Nowhere' });
  const amy = slack.person(workspace, { name: 'amy', timeZone: 'Asia/Tokyo' });
  for (const { user } of [zoe, amy]) general.members.add(user.id);
  await zoe.types('/troupe usage', general);
  const { blocks } = await scene.whispered(zoe, 'Credits today, by kind (yours)');
  expect(JSON.stringify(blocks)).toContain('00:00 UTC');
  await amy.types('/troupe usage', general);
  const known = await scene.whispered(amy, 'Credits today, by kind (yours)');
  expect(JSON.stringify(known.blocks)).toMatch(/at \w+ \d+, \d{4}, 9:00\sAM/);
  zoe.opensHome();
  await scene.until('their Home tab', () => zoe.home);
});
