import { describe, expect, test } from 'vitest';
import type { SlackApi } from '../../../../src/platforms/slack/api/slack-api.ts';
import type { Channels } from '../../../../src/platforms/slack/post/channels/channels.ts';
import { JoinOffers } from '../../../../src/platforms/slack/post/channels/join-offers.ts';
import { openKeyv } from '../../../../src/store/index.ts';
import { allowing } from '../../../fakes/commands.ts';
import { blocksAsText, shown } from '../../../fakes/slack/index.ts';
import { setting, type Stage, type StageOptions, startStage } from '../support/stage.ts';

let stage: Stage;

let drawn: unknown[];
async function begin(options: StageOptions = {}): Promise<void> {
  drawn = [];
  stage = await startStage({
    scripts: {
      imagine: async ({ options: values, reply }) => {
        drawn.push(values);
        await reply.say({ text: 'Drawn.' });
      },
    },
    ...options,
  });
}

const whispered = () => stage.ada.whispers.map(({ blocks }) => blocksAsText(blocks));
const last = () => {
  const whisper = stage.ada.whispers.at(-1);
  if (!whisper) throw new Error('nothing was whispered');
  return whisper;
};

/** Ada gives a command where the bot isn't, and takes the button. */
async function takesTheButton(meanwhile = () => {}): Promise<void> {
  await stage.ada.types('/imagine a cat', stage.outside);
  await stage.quiet();
  meanwhile();
  await stage.ada.presses(last(), 'Add me here');
  await stage.pass(3_000);
}

describe('in a public channel the bot isn’t in', () => {
  test('a button adds it, and the command that was refused is run there, once', async () => {
    await begin();
    const { ada, outside, workspace } = stage;
    await ada.types('/imagine a cat --size 2k', outside);
    await stage.quiet();
    expect(whispered()[0]).toContain('Add me with the button');
    expect(drawn).toEqual([]);
    const offer = { ...last() };
    await ada.presses(last(), 'Add me here');
    await stage.pass(3_000);
    expect(outside.members.has(workspace.botUser)).toBe(true);
    expect(drawn).toMatchObject([{ prompt: 'a cat', size: '2k' }]);
    expect(stage.posts(outside).map(shown)).toEqual([expect.stringContaining('Drawn.')]);
    expect(last().text).toContain('in this channel now');
    await ada.presses(offer, 'Add me here');
    await stage.pass(3_000);
    expect(drawn).toHaveLength(1);
    expect(whispered().at(-1)).toContain('expired');
    // From now on it’s a member.
    await ada.types('/imagine a dog', outside);
    await stage.pass(3_000);
    expect(drawn).toHaveLength(2);
  });

  test('a press that names the channel with its message alone counts', async () => {
    await begin();
    stage.slack.world.pressedChannel = 'container';
    await takesTheButton();
    expect(drawn).toMatchObject([{ prompt: 'a cat' }]);
  });

  test('a command that would open a form opens it once the bot is there', async () => {
    await begin();
    const { ada, outside } = stage;
    await ada.types('/imagine', outside);
    await stage.quiet();
    expect(ada.form).toBeUndefined();
    await ada.presses(last(), 'Add me here');
    await stage.quiet();
    await ada.sends({ prompt: 'a cat' });
    await stage.pass(3_000);
    expect(drawn).toMatchObject([{ prompt: 'a cat' }]);
  });

  test('the rules are asked again', async () => {
    let isOn = true;
    await begin({
      rules: async (...asked) =>
        isOn ? allowing(...asked) : { kind: 'refused', text: 'Not here any more.' },
    });
    await takesTheButton(() => {
      isOn = false;
    });
    expect(whispered().at(-1)).toBe('Not here any more.\nYou typed: `/imagine a cat`');
    expect(drawn).toEqual([]);
  });

  test('an app that lacks the scope says how to invite it', async () => {
    await begin({ withoutScopes: ['channels:join'] });
    await takesTheButton();
    expect(last().text).toContain('channels:join');
    expect(last().text).toContain('/invite @troupe');
    expect(drawn).toEqual([]);
  });

  test('a channel that was archived meanwhile says that it can’t', async () => {
    await begin();
    await takesTheButton(() => setting({ archived: true })(stage.outside));
    expect(last().text).toContain('doesn’t let me join');
  });
});

test('in a private channel there is no button: it says how to invite it', async () => {
  await begin();
  const { slack, workspace, ada, ben } = stage;
  const secret = slack.channel(workspace, 'secret', [ada, ben], { withoutBot: true, kind: 'group' });
  await ada.types('/imagine a cat', secret);
  await stage.quiet();
  expect(whispered()[0]).toContain('/invite @troupe');
  expect(whispered()[0]).not.toContain('Add me here');
  // To run it again.
  expect(whispered()[0]).toContain('You typed: `/imagine a cat`');
});

test('speaks the person’s language', async () => {
  await begin();
  const { slack, workspace, ben } = stage;
  const open = slack.channel(workspace, 'open', [ben], { withoutBot: true });
  await ben.types('/imagine 一只猫', open);
  await stage.quiet();
  const [offer] = ben.whispers;
  expect(offer && blocksAsText(offer.blocks)).toContain('把我加进来');
  if (offer) await ben.presses(offer, '把我加进来');
  await stage.pass(3_000);
  expect(drawn).toMatchObject([{ prompt: '一只猫' }]);
});

test('of two presses at once, one takes the command', async () => {
  await begin();
  const { database, workspace, ada, outside } = stage;
  const store = openKeyv(database, 'offers', () => stage.clock.now());
  const offers = new JoinOffers(store, {} as SlackApi, {} as Channels);
  const refused = {
    ...{ command: '/imagine', text: 'a cat', user_id: ada.user.id, user_name: 'ada' },
    ...{ team_id: workspace.id, channel_id: outside.id, channel_name: 'outside' },
  };
  const { id } = await offers.button(refused, 'Add me here');
  const taken = await Promise.all([offers.take(id), offers.take(id)]);
  expect(taken.filter(Boolean)).toEqual([refused]);
});
