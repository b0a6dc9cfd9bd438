import { expect, it } from 'vitest';
import { shown } from '../../fakes/slack/index.ts';
import { passes, startSlackScene } from '../support/slack-scene.ts';

it('a group that’s chosen stays so where its form is sent unchanged, though a menu hasn’t room for all groups', async () => {
  const scene = await startSlackScene('socket');
  const { slack, workspace, ada, general, until, fills } = scene;
  const chief = scene.chief();
  // Menus have the smallest first.
  for (let number = 1; number <= 120; number++) slack.group(workspace, `few${number}`, [ada]);
  slack.group(workspace, 'films', [ada, chief]);
  await chief.types('/troupe settings --users_video @films', general);
  const page = await until('the settings', () => chief.whispers.at(-1));
  await fills(chief, chief.presses(page, 'Who can use what'), {});
  const told = await until('what holds now', () => chief.whispers.find((one) => one !== page));
  const video = /`users_video`: .*/.exec(JSON.stringify(told.blocks))?.[0];
  expect(video).toContain('@films');
});

it('a budget by group takes the group’s name, typed or entered in a form', async () => {
  const scene = await startSlackScene('socket');
  const { slack, workspace, ada, general, until, fills } = scene;
  const chief = scene.chief();
  slack.group(workspace, 'films', [ada]);
  const shows = (credits: number) =>
    until('the budget', () =>
      chief.whispers.findLast((one) => JSON.stringify(one.blocks).includes(`@films ${credits}`)),
    );
  await chief.types('/troupe settings --role_credits @films=500', general);
  await fills(chief, chief.presses(await shows(500), 'Limits'), { role_credits: '@films=400' });
  await shows(400);
});

it('a form offers everyone for who can use a command, and nobody for who can’t use the bot', async () => {
  const scene = await startSlackScene('socket');
  const { ada, general, until, fills } = scene;
  const chief = scene.chief();
  await chief.types(`/troupe settings --scope workspace --blocked <@${ada.user.id}>`, general);
  const page = await until('the settings', () => chief.whispers.at(-1));
  await chief.types('/troupe settings', general);
  const ofChannel = await until('the channel’s', () => chief.whispers.find((one) => one !== page));
  await chief.presses(ofChannel, 'Who can use what');
  const form = await until('the form', () => chief.form);
  const blocks = form.content.blocks as {
    label: { text: string };
    element: { options?: { text: { text: string } }[] };
  }[];
  const firstOf = (label: string) =>
    blocks.find((block) => block.label.text === label)?.element.options?.[0]?.text.text;
  expect(firstOf('Who can use /ask: groups')).toBe('Everyone');
  expect(firstOf('Who can’t use me: groups')).toBe('Nobody');
  await fills(chief, Promise.resolve(), { 'Who can’t use me: groups': 'none' });
  const told = await until('what holds now', () =>
    chief.whispers.findLast((one) => one !== page && one !== ofChannel),
  );
  expect(JSON.stringify(told.blocks)).toContain('`blocked`: nobody (this channel)');
});

it('a form changes what was changed in it, though another administrator changed something meanwhile', async () => {
  const scene = await startSlackScene('socket');
  const { general, until } = scene;
  const [chief, other] = [scene.chief(), scene.chief()];
  for (const one of [chief, other]) {
    await one.types('/troupe settings --scope workspace', general);
    await one.presses(await until('the settings', () => one.whispers[0]), 'Budgets');
    await until('the form', () => one.form);
  }
  await passes(scene, 0.1);
  await other.sends({ user_credits: '200' });
  const shows = (words: string) =>
    until(words, () =>
      chief.whispers.concat(other.whispers).findLast((one) => JSON.stringify(one.blocks).includes(words)),
    );
  await shows('`user_credits`: `200`');
  await chief.sends({ channel_credits: '500' });
  const told = await shows('`channel_credits`: `500`');
  expect(JSON.stringify(told.blocks)).toContain('`user_credits`: `200`');
});

it('settings have the names of the people, groups and the channel that were chosen', async () => {
  const scene = await startSlackScene('socket');
  const { slack, workspace, ada, general, until } = scene;
  const chief = scene.chief();
  slack.group(workspace, 'films', [ada]);
  const audit = slack.channel(workspace, 'audit', [chief]);
  const choices = `--users_video "@ada @films" --blocked @ben --audit_channel ${audit.id}`;
  await chief.types(`/troupe settings --scope workspace ${choices}`, general);
  const told = await until('the settings', () => chief.whispers.at(-1));
  const lines = shown(told).split('\n');
  for (const line of ['users_video`: ada, @films', 'blocked`: ben', 'audit_channel`: audit'])
    expect(lines).toContainEqual(`• \`${line} (the workspace)`);
});

it('the history of settings has names, too', async () => {
  const scene = await startSlackScene('socket');
  const { slack, workspace, ada, general, whispered } = scene;
  const chief = scene.chief();
  slack.group(workspace, 'films', [ada]);
  const audit = slack.channel(workspace, 'audit', [chief]);
  const choices = `--users_video "@ada @films" --audit_channel ${audit.id}`;
  await chief.types(`/troupe settings --scope workspace ${choices}`, general);
  await chief.types('/troupe settings --users_video none', general);
  await chief.types('/troupe settings --page history', general);
  const history = shown(await whispered(chief, 'Change history'));
  expect(history).toContain('`users_video` not set → ada, @films (the workspace)');
  expect(history).toContain('`users_video` not set → everyone (this channel)');
  expect(history).toContain('`audit_channel` not set → audit (the workspace)');
});
