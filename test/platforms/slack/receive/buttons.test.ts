import { afterEach, describe, expect, test, vi } from 'vitest';
import { actionId } from '../../../../src/port/index.ts';
import { asking } from '../../../fakes/commands.ts';
import { type Json, shown } from '../../../fakes/slack/index.ts';
import { labelsOf, saysWith, type Stage, type StageOptions, startStage } from '../support/stage.ts';

let stage: Stage;
afterEach(() => void vi.restoreAllMocks());
const begin = async (options?: StageOptions) => (stage = await startStage(options));

const last = () => {
  const message = stage.posts(stage.general).at(-1);
  if (!message) throw new Error('nothing was posted');
  return message;
};
const whisper = () => JSON.stringify(stage.ben.whispers.at(-1)?.blocks ?? []);

describe.each(['socket', 'http'] as const)('buttons in %s mode', (mode) => {
  test('Regenerate answers again, in the same place', async () => {
    const { ada, general } = await begin({ mode });
    const { message } = ada.says(`${ada.bot} hello`, general);
    await stage.until(() => stage.texts(general).some((text) => text.includes('Regenerate')));
    await stage.pass(3_000);
    const { acknowledged } = await ada.presses(last(), 'Regenerate');
    expect(acknowledged.ok).toBe(true);
    await stage.until(() => stage.posts(general, message.ts).length === 2);
  });
});

test('a press that names only its message, and no container, is answered where that stands', async () => {
  const { ada, general, slack } = await begin();
  slack.world.optionalFields = 'absent';
  const { message } = ada.says(`${ada.bot} hello`, general);
  await stage.until(() => stage.texts(general).some((text) => text.includes('Regenerate')));
  await stage.pass(3_000);
  await ada.presses(last(), 'Regenerate');
  await stage.until(() => stage.posts(general, message.ts).length === 2);
  await ada.types('/ask hello --private true', general);
  await stage.until(() => ada.whispers.some((said) => shown(said).includes('Regenerate')));
  const before = ada.whispers.length;
  const mine = ada.whispers.at(-1);
  if (!mine) throw new Error('nothing was said');
  await ada.presses(mine, 'Regenerate');
  await stage.until(() => ada.whispers.length > before);
  await stage.pass(5_000);
  expect(stage.posts(general)).toHaveLength(2);
});

test('a press whose channel is null is answered where its container says', async () => {
  const { ada, general, slack } = await begin();
  const { message } = ada.says(`${ada.bot} hello`, general);
  await stage.until(() => stage.texts(general).some((text) => text.includes('Regenerate')));
  await stage.pass(3_000);
  slack.world.optionalFields = 'null';
  await ada.presses(last(), 'Regenerate');
  await stage.until(() => stage.posts(general, message.ts).length === 2);
});

test('a command without a text opens its form, also where Slack leaves the text out', async () => {
  const { ada, general, slack } = await begin();
  slack.world.optionalFields = 'absent';
  await ada.types('/ask', general);
  await stage.until(() => ada.form !== undefined);
});

test('commands and presses are told apart where something stands in for Slack whose trigger is always the same', async () => {
  const { ada, general, slack } = await begin();
  vi.spyOn(slack.views, 'trigger').mockReturnValue('13345224609.738474920.8088930838d88f008e0');
  for (const [index, line] of ['/ask hello', '/ask hello', '/ask good day'].entries()) {
    await ada.types(line, general);
    await stage.until(() => stage.posts(general).length === index + 1);
    await stage.pass(3_000);
  }
  for (const before of [3, 4]) {
    await ada.presses(last(), 'Regenerate');
    await stage.until(() => stage.posts(general).length === before + 1);
    await stage.pass(3_000);
  }
});

test('a command keeps nothing of its response address for longer than that counts', async () => {
  const { ada, general, database } = await begin();
  const { responseUrl = '' } = await ada.types('/ask hello', general);
  await stage.until(() => stage.posts(general).length === 1);
  const [secret = ''] = responseUrl.split('/').slice(-1);
  expect(secret).not.toBe('');
  const jobs = await database.selectFrom('jobs').select(['event_id', 'id']).execute();
  expect(jobs).toHaveLength(1);
  expect(JSON.stringify(jobs)).not.toContain(secret);
});

test('a button works after a restart, and after a month', async () => {
  const { ada, general, clock } = await begin();
  await ada.types('/ask hello', general);
  await stage.until(() => stage.texts(general).some((text) => text.includes('Regenerate')));
  await stage.kill();
  await clock.advance(30 * 86_400_000);
  await stage.startBot();
  await ada.presses(last(), 'Regenerate');
  await stage.until(() => stage.posts(general).length === 2);
});

test("somebody else's button is answered with a private word in their language", async () => {
  const { ada, ben, general } = await begin();
  ada.says(`${ada.bot} hello`, general);
  await stage.until(() => stage.texts(general).some((text) => text.includes('Regenerate')));
  await ben.presses(last(), 'Regenerate');
  await stage.until(() => ben.whispers.length === 1);
  expect(whisper()).toMatch(/[\u4e00-\u9fff]/);
  await stage.pass(5_000);
  expect(stage.posts(general)).toHaveLength(1);
});

// A `response_url` reaches no thread (bolt-js#963).
test('what a press in a thread tells its presser alone stands there, and in the channel once the bot was taken out', async () => {
  const { ada, ben, general, workspace } = await begin();
  const { message } = ada.says(`${ada.bot} hello`, general);
  await stage.until(() => stage.texts(general).some((text) => text.includes('Regenerate')));
  await ben.presses(last(), 'Regenerate');
  await stage.until(() => ben.whispers.length === 1);
  expect(ben.whispers[0]).toMatchObject({ threadTs: message.ts });
  general.members.delete(workspace.botUser);
  await ben.presses(last(), 'Regenerate');
  await stage.until(() => ben.whispers.length === 2);
  expect(ben.whispers[1]?.via).toBe('response_url');
});

test('moderators are those who administer the workspace', async () => {
  const removed: string[] = [];
  const { ada, ben, chief, general } = await begin({
    scripts: { imagine: saysWith('remove', 'Delete') },
    presses: {
      'imagine.remove': async ({ message, requester }) => {
        removed.push(requester.name);
        await stage.platform.adapter.remove(message);
      },
    },
  });
  await ada.types('/imagine a cat', general);
  await stage.until(() => stage.posts(general).length === 1);
  await ben.presses(last(), 'Delete');
  await stage.until(() => ben.whispers.length === 1);
  await chief.presses(last(), 'Delete');
  await stage.until(() => stage.posts(general).length === 0);
  expect(removed).toEqual(['chief']);
});

test('a button’s id counts only under the message that has the button', async () => {
  const { ada, ben, general } = await begin({
    scripts: { imagine: saysWith('remove', 'Delete') },
    presses: { 'imagine.remove': async ({ message }) => stage.platform.adapter.remove(message) },
  });
  await ada.types('/imagine a cat', general);
  await stage.until(() => stage.posts(general).length === 1);
  const hers = last();
  await ben.types('/imagine a cat', general);
  await stage.until(() => stage.posts(general).length === 2);
  const his = last();
  const [, id = ''] = /"action_id":"(imagine\.remove:[^"]+)"/.exec(JSON.stringify(his.blocks)) ?? [];
  expect(id).not.toBe('');
  await ben.presses(hers, 'Delete', id);
  await stage.until(() => ben.whispers.length === 1);
  expect(stage.posts(general)).toEqual([hers, his]);
  await ben.presses(his, 'Delete');
  await stage.until(() => stage.posts(general).length === 1);
  expect(stage.posts(general)).toEqual([hers]);
});

test('a button that needs more opens a form with what is known, and runs with what is entered', async () => {
  const entered: Json[] = [];
  const { ada, general } = await begin({
    scripts: {
      video: async (asked) => {
        entered.push(asked.options as Json);
        await saysWith('edit', 'Edit')(asked);
      },
    },
  });
  await ada.types('/video a cat --duration 8', general);
  await stage.until(() => stage.posts(general).length === 1);
  await ada.presses(last(), 'Edit');
  await stage.until(() => ada.form !== undefined);
  await ada.sends({ prompt: 'a dog', ratio: '9:16' });
  await stage.until(() => entered.length === 2);
  expect(entered[1]).toMatchObject({ prompt: 'a dog', duration: 8, ratio: '9:16' });
});

test('a question is asked of the requester alone, and its answer runs the command once', async () => {
  const ran: string[] = [];
  const { ada, general } = await begin({
    rules: asking('This costs 800 credits. Go on?', 'video'),
    scripts: {
      video: async ({ reply }) => {
        ran.push('video');
        await reply.say({ text: 'filming' });
      },
    },
  });
  await ada.types('/video a cat', general);
  await stage.until(() => ada.whispers.length === 1);
  expect(stage.posts(general)).toEqual([]);
  const [question] = ada.whispers;
  if (!question) throw new Error('no question');
  const [yes = ''] = labelsOf(question);
  await ada.presses(question, yes);
  await stage.until(() => stage.posts(general).length === 1);
  expect(ran).toEqual(['video']);
  // The question's buttons are gone.
  expect(question.blocks.some(({ type }) => type === 'actions')).toBe(false);
});

test('a yes that is refused is not used up: nothing is on record, and the same button works after the invitation', async () => {
  let ran = 0;
  const { ada, general, workspace } = await begin({
    rules: asking('This costs 800 credits. Go on?', 'video'),
    scripts: {
      video: async ({ reply }) => {
        ran += 1;
        await reply.say({ text: 'filming' });
      },
    },
  });
  const states = () => stage.database.selectFrom('jobs').select('state').execute();
  await ada.types('/video a cat', general);
  await stage.until(() => ada.whispers.length === 1);
  const [question] = ada.whispers;
  if (!question) throw new Error('no question');
  const [yes = '', no = ''] = labelsOf(question);
  general.members.delete(workspace.botUser);
  await ada.presses(question, yes);
  await stage.until(() => ada.whispers.length === 2);
  expect(JSON.stringify(ada.whispers[1])).toContain('/invite');
  expect(await states()).toEqual([{ state: 'asked' }]);
  expect(labelsOf(question)).toEqual([yes, no]);
  general.members.add(workspace.botUser);
  await ada.presses(question, yes);
  await stage.until(() => stage.posts(general).length === 1);
  expect(ran).toBe(1);
  await stage.pass(1_000);
  expect(await states()).toEqual([{ state: 'done' }]);
});

test('a button of another app, or of a job long gone, does no harm', async () => {
  const { ben, general } = await begin();
  const old = { id: actionId('ask', 'regenerate', 'gone'), label: 'Old' };
  const address = { platform: 'slack', workspace: stage.workspace.id, channel: general.id } as const;
  await stage.platform.adapter.post(
    address,
    { text: 'x', buttons: [old, { id: 'foreign', label: 'Foreign' }] },
    'k',
  );
  await ben.presses(last(), 'Foreign');
  await ben.presses(last(), 'Old');
  await stage.until(() => ben.whispers.length === 1);
});

test('a fault in a command is told to people, with a button to try again', async () => {
  let faults = 1;
  const { chief, general } = await begin({
    scripts: {
      reset: async ({ reply }) => {
        if (faults-- > 0) throw new Error('out of paint');
        await reply.say({ text: 'done' });
      },
    },
  });
  await chief.types('/troupe reset', general);
  await stage.until(() => stage.texts(general).some((text) => text.includes('fault: out of paint')));
  await stage.pass(2_000);
  await chief.presses(last(), 'Try again');
  await stage.until(() => stage.texts(general).some((text) => text.includes('done')));
});

test('a press for what cannot be posted here any more is refused before anything is paid for', async () => {
  let paid = 0;
  const { ada, general, workspace } = await begin({
    scripts: {
      imagine: async (asked) => {
        paid += 1;
        await saysWith('again', 'Again')(asked);
      },
    },
  });
  await ada.types('/imagine a cat', general);
  await stage.until(() => stage.posts(general).length === 1);
  general.members.delete(workspace.botUser);
  await ada.presses(last(), 'Again');
  await stage.until(() => JSON.stringify(ada.whispers).includes('/invite'));
  expect(paid).toBe(1);
  general.members.add(workspace.botUser);
  await ada.presses(last(), 'Again');
  await stage.until(() => stage.posts(general).length === 2);
  expect(paid).toBe(2);
});
