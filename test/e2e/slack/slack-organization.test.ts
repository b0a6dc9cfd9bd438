import { describe, expect, it } from 'vitest';
import type { Ephemeral } from '../../fakes/slack/index.ts';
import { startSlackScene } from '../support/slack-scene.ts';

const yes = 'Yes, go ahead';

/**
 * The app in a whole organization, and somebody who writes in one of its workspaces; `isElsewhere`: the one that Slack names
 * with what they press and choose is another.
 */
async function begin(isElsewhere: boolean, environment: Readonly<Record<string, string>> = {}) {
  const scene = await startSlackScene(
    'oauth',
    {},
    { CONFIRM_OVER_CREDITS: '1000', SLACK_OUTSIDERS: 'on', ...environment },
  );
  const { slack, until } = scene;
  const home = slack.addWorkspace('home', 'E0HOME');
  const sister = slack.addWorkspace('sister', 'E0HOME');
  const hana = slack.person(home, { name: 'hana' });
  const chief = slack.person(home, { name: 'chief', admin: true, owner: true });
  if (isElsewhere) hana.mainTeam = sister.id;
  await scene.installs(chief, true);
  const general = slack.channel(home, 'general', [hana, chief]);
  return {
    ...{ ...scene, home, hana, chief, general },
    whispered: (words: string) =>
      until(words, () => hana.whispers.findLast((one) => JSON.stringify(one.blocks).includes(words))),
    image: (channel = general) => scene.labelled('Edit', channel),
    async settings(line: string) {
      await chief.types(`/troupe settings --scope workspace ${line}`, general);
      await until('the settings', () => chief.whispers.length > 0);
    },
    async chooses(shortcut: string) {
      await hana.picks(chief.says('a lighthouse', general).message, shortcut);
      await until('the form', () => hana.form);
    },
  };
}

// Fact: Presses and shortcuts name the person’s first workspace to an organization’s app; an ephemeral message isn’t
// included (bolt-js#1875, bolt-python#23)
describe.each([
  ['of whoever is there first', false],
  ['of somebody whose first is another', true],
])('a workspace of an organization, in the hands %s', (_, isElsewhere) => {
  it('counts in its budget what’s confirmed under a question that they alone see', async () => {
    const { hana, general, settings, whispered, image, spent } = await begin(isElsewhere, {
      CONFIRM_OVER_CREDITS: '10',
    });
    await settings('--workspace_credits 30');
    await hana.types('/imagine a cat', general);
    await hana.presses((await whispered(yes)) as Ephemeral, yes);
    await image();
    expect(await spent()).toBe(22);
    await hana.types('/imagine a dog', general);
    await whispered('daily budget of 30 credits has 8 left');
  });

  it('counts in its budget what the menu of a message gives', async () => {
    const { hana, settings, chooses, image, spent } = await begin(isElsewhere);
    await settings('--workspace_credits 30');
    await chooses('Imagine this');
    await hana.sends({});
    await image();
    await chooses('Imagine this');
    await hana.sends({});
    expect(hana.form?.errors.prompt).toContain('daily budget of 30 credits has 8 left');
    expect(await spent()).toBe(22);
  });

  it('keeps a command turned off in the menu of a message', async () => {
    const { hana, chief, general, settings, chooses, whispered, spent } = await begin(isElsewhere);
    await chooses('Imagine this');
    await settings('--off imagine');
    await hana.sends({});
    expect(hana.form?.errors.prompt).toContain('is turned off here');
    await hana.picks(chief.says('a lighthouse', general).message, 'Imagine this');
    await whispered('is turned off here');
    expect(await spent()).toBe(0);
  });

  it('has the button that adds the bot to a channel', async () => {
    const { slack, home, hana, whispered, image } = await begin(isElsewhere);
    const outside = slack.channel(home, 'outside', [hana], { withoutBot: true });
    await hana.types('/imagine a cat', outside);
    await hana.presses((await whispered('Add me with the button')) as Ephemeral, 'Add me here');
    await image(outside);
  });
});

it('in a private channel that an organization’s app isn’t in, whose workspace it can’t know, a shortcut asks to be invited', async () => {
  const { slack, home, hana, whispered } = await begin(false);
  const closed = slack.channel(home, 'closed', [hana], { kind: 'group', withoutBot: true });
  await hana.picks(hana.says('a lighthouse', closed).message, 'Ask about this');
  await whispered('Invite me with');
  expect(hana.form).toBeUndefined();
});

it('in a conversation that no app can be in, a shortcut belongs to the person’s workspace', async () => {
  const { slack, home, hana, chief, fills } = await begin(false);
  const group = slack.channel(home, 'mpdm-hana--chief-1', [hana, chief], { kind: 'mpim', withoutBot: true });
  await fills(hana, hana.picks(hana.says('The number is 4711.', group).message, 'Ask about this'), {
    prompt: 'What was the number?',
  });
  expect(hana.form).toBeUndefined();
});

it('the menu of a message works in a channel of the whole organization of which Slack lists no workspaces', async () => {
  const { slack, until, said, hana, chief, home } = await begin(false);
  slack.world.readings.channelWorkspacesTold = 'refused';
  const all = slack.channel(home, 'all-hands', [hana, chief], {
    sharedWith: [slack.addWorkspace('third', 'E0HOME')],
  });
  hana.says(`${hana.bot} hello`, all);
  await until('the answer', () => said(all).length > 0);
  await hana.picks(chief.says('a lighthouse', all).message, 'Ask about this');
  await until('a form or a word', () => Boolean(hana.form ?? hana.whispers.at(-1)));
  expect(hana.whispers).toEqual([]);
  expect(hana.form).toBeDefined();
});

it('of the organization’s channels only those of one’s own workspace are named', async () => {
  const { slack, home, hana, general, said, until } = await begin(false);
  const sister = slack.addWorkspace('sister too', 'E0HOME');
  const other = slack.person(sister, { name: 'other' });
  const [ours, theirs, shared] = [
    slack.channel(home, 'ours', [hana]),
    slack.channel(sister, 'merger', [other]),
    slack.channel(sister, 'both', [other], { sharedWith: [home] }),
  ];
  const named = [ours, theirs, shared].map(({ id }) => `<#${id}>`).join(' ');
  await hana.types(`/ask repeat: ${named}`, general);
  const answer = await until('the answer', () =>
    said(general).find((one) => JSON.stringify(one).includes('#ours')),
  );
  expect(JSON.stringify(answer)).toContain('#ours #… #both');
});

it('an audit channel is one of the workspace’s own, or shared with it, not a sibling’s', async () => {
  const { slack, home, chief, general, said, settings, until } = await begin(false);
  const sister = slack.addWorkspace('sister too', 'E0HOME');
  const other = slack.person(sister, { name: 'other' });
  const [theirs, shared] = [
    slack.channel(sister, 'theirs', [other]),
    slack.channel(sister, 'both', [other, chief], { sharedWith: [home] }),
  ];
  await settings(`--audit_channel ${theirs.id}`);
  await until('why not', () => JSON.stringify(chief.whispers).includes('Nothing was changed'));
  expect(said(theirs)).toEqual([]);
  await chief.types(`/troupe settings --scope workspace --audit_channel ${shared.id}`, general);
  await until('the first words', () => said(shared).length === 1);
});
