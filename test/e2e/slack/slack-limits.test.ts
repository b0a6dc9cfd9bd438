import { expect, it } from 'vitest';
import { slackWords } from '../../../src/platforms/slack/words.ts';
import { words } from '../../../src/words/index.ts';
import { shown } from '../../fakes/slack/index.ts';
import { sampleStudio } from '../support/sample-studio.ts';
import { labelsOf, passes, startSlackScene, textOf } from '../support/slack-scene.ts';

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

it('a workflow whose builder names an administrator as its person has their budget, and isn’t exempt from it', async () => {
  const scene = await startSlackScene('socket');
  const { general, ada, until } = scene;
  const boss = scene.chief();
  await boss.types('/troupe settings --user_credits 22 --exempt_administrators on', general);
  await until('the change', () => boss.whispers.length > 0);
  const runs = async () => {
    const inputs = { prompt: 'a hat', channel: general.id, person: boss.user.id };
    const { execution } = ada.runs('imagine', inputs);
    await until('its end', () => execution.state !== 'running');
    return execution;
  };
  expect((await runs()).state).toBe('done');
  expect((await runs()).error).toContain('daily budget of 22 credits');
  expect(await scene.spent()).toBe(22);
});

it('a workflow whose person has left the workspace spends nothing of theirs, and says so', async () => {
  const scene = await startSlackScene('socket');
  const { general, ada, ben, until } = scene;
  ben.user.disabled = true;
  const runs = async (command: string, inputs: object = {}) => {
    const { execution } = ada.runs(command, { prompt: 'a hat', person: ben.user.id, ...inputs });
    await until('its end', () => execution.state !== 'running');
    return execution.error;
  };
  const { spending } = words('zh-CN');
  expect(await runs('imagine', { channel: general.id })).toBe(spending.membersOnly('imagine'));
  expect(await runs('ask')).toBe(spending.membersOnly('ask'));
  // Without a channel it would be posted in their direct messages.
  expect(await runs('imagine')).toBe(slackWords('zh-CN').stepNowhere);
  expect(await scene.spent()).toBe(0);
});

it('without users:read nobody is told that they’re no full member, but what the app lacks, until it has it', async () => {
  const scene = await startSlackScene('socket');
  const { slack, general, ada, ben, said, spent, whispered } = scene;
  const [installation] = slack.world.installations.values();
  const scopes = installation?.scopes as Set<string>;
  scopes.delete('users:read');
  await ada.types('/imagine a cat', general);
  ben.says(`${ben.bot} hello`, general);
  for (const person of [ada, ben]) await whispered(person, 'users:read');
  expect(
    [...ada.whispers, ...ben.whispers].filter(({ text }) => text.includes('try again in a moment')),
  ).toEqual([]);
  expect(said()).toEqual([]);
  expect(await spent()).toBe(0);
  scopes.add('users:read');
  await ada.types('/imagine a cat', general);
  await scene.labelled('Again');
});

it('what’s asked for in direct messages of several people isn’t kept for administrators: by command or button', async () => {
  const scene = await startSlackScene('socket');
  const { slack, workspace, general, ada, ben, until, fills, whispered } = scene;
  const boss = scene.chief();
  const group = slack.channel(workspace, 'mpdm-ada--ben--boss-1', [ada, ben, boss], { kind: 'mpim' });
  await boss.types('/troupe settings --scope workspace --keep_prompts 7', general);
  await until('the change', () => boss.whispers.length > 0);
  const answer = (about: string, channel = group) =>
    until(about, () =>
      scene.said(channel).find((one) => textOf(one).includes(about) && labelsOf(one).length > 1),
    );
  await ada.types('/ask repeat: a hat', general);
  await answer('a hat', general);
  await ada.types('/ask repeat: a secret one', group);
  await fills(ben, ben.presses(await answer('a secret one'), 'Reply'), { prompt: 'repeat: a secret two' });
  await answer('a secret two');
  await boss.types('/troupe usage', general);
  const usage = await whispered(boss, 'As CSV');
  await boss.presses(usage as never, 'As CSV');
  const table = await until(
    'the table',
    () => [...workspace.files.values()].find(({ name }) => name.endsWith('.csv'))?.bytes,
  );
  const text = Buffer.from(table).toString();
  expect(text).toContain('a hat');
  expect(text).not.toContain('secret');
});

it('Edit under an image of a long prompt: who changes only its size gets it for the whole prompt', async () => {
  const drawn: string[] = [];
  const draw: typeof sampleStudio.draw = (order) => {
    drawn.push(order.prompt);
    return sampleStudio.draw(order);
  };
  const scene = await startSlackScene('socket', { media: { ...sampleStudio, draw } });
  const { ada, general, until, labelled } = scene;
  const prompt = `${'a long walk through the green hills '.repeat(90)}ENDS HERE`;
  await ada.types(`/imagine ${prompt}`, general);
  const image = await labelled('Edit');
  await ada.presses(image, 'Edit');
  const form = await until('its form', () => ada.form);
  expect(JSON.stringify(form.content)).toContain('Leave it unchanged and all of it is used.');
  await ada.sends({ size: '3k' });
  await until('the other image', () => drawn.length === 2);
  expect(drawn).toEqual([prompt, prompt]);
});

it.each(['storage_limit_reached', 'missing_scope', 'invalid_arguments'])(
  '/usage tells once what was used, without its chart, where Slack takes no file: %s',
  async (code) => {
    const scene = await startSlackScene('socket');
    const { ada, general, slack } = scene;
    ada.says(`${ada.bot} Say: hello`, general);
    await scene.labelled('Regenerate');
    slack.api.faults.plan('files.getUploadURLExternal', { kind: 'error', code }, 10);
    await ada.types('/troupe usage', general);
    await scene.whispered(ada, 'Credits today');
    await passes(scene, 1);
    const told = ada.whispers.map(shown);
    expect(told).toEqual([expect.stringContaining('*Credits today, by kind (yours)*')]);
    expect(told[0]).not.toContain('direct messages');
  },
);

it('/usage tells what was used, and of no direct messages, while Slack’s uploads are down', async () => {
  const scene = await startSlackScene('socket');
  const { ada, general, slack } = scene;
  ada.says(`${ada.bot} Say: hello`, general);
  await scene.labelled('Regenerate');
  slack.api.faults.plan('files.getUploadURLExternal', { kind: 'status', status: 500, when: 'before' }, 1_000);
  void ada.types('/troupe usage', general);
  await scene.whispered(ada, 'Credits today');
  await scene.whispered(ada, 'can’t be reached');
  const told = ada.whispers.map(shown).filter((text) => text.includes('Credits today'));
  expect(told).toHaveLength(1);
  expect(told[0]).not.toContain('direct messages');
});
