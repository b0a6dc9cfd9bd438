import { describe, expect, test } from 'vitest';
import type { Job, LiveAnswer, Reply } from '../../../../src/port/index.ts';
import type { Channel } from '../../../fakes/slack/index.ts';
import { bringLate } from '../support/delivering.ts';
import { askButtons, type Stage, startStage } from '../support/stage.ts';

let stage: Stage;
let opened: { readonly job: Job; readonly reply: Reply; readonly live: LiveAnswer }[];

const text = 'An answer that was paid for.';
const takeOut = (channel: Channel) => void channel.members.delete(stage.workspace.botUser);
const isIn = (channel: Channel) => stage.texts(channel).join().includes(text);

/** Ada asks by a command, which leaves a response address. */
async function asked(where: (stage: Stage) => Channel) {
  opened = [];
  stage = await startStage({
    scripts: {
      ask: async ({ job, reply }) => {
        opened.push({ job, reply, live: reply.stream({ buttons: askButtons(job.id) }) });
        await new Promise(() => {});
      },
    },
  });
  await stage.ada.types('/ask tides?', where(stage));
  await stage.until(() => opened.length === 1);
  return opened[0]!;
}

describe('an answer whose process died before its first words', () => {
  async function comesLate(job: Job, meanwhile = () => {}): Promise<void> {
    await stage.kill();
    meanwhile();
    await stage.startBot();
    await bringLate(stage, job, { message: { text } });
  }

  // Fact: A `response_url` may work where the bot was removed (slash commands)
  test('comes directly where somebody took the bot out of the channel meanwhile', async () => {
    const { job } = await asked(({ general }) => general);
    await comesLate(job, () => takeOut(stage.general));
    expect(isIn(stage.general)).toBe(false);
    expect(isIn(stage.ada.directMessages)).toBe(true);
  });

  test('comes by the response address where the bot never was a member', async () => {
    const { job } = await asked(({ outside }) => outside);
    await comesLate(job);
    expect(isIn(stage.outside)).toBe(true);
    expect(isIn(stage.ada.directMessages)).toBe(false);
  });

  test('comes by it, too, where the bot was taken out long before', async () => {
    await asked(({ general }) => general);
    takeOut(stage.general);
    await stage.pass(10 * 60_000);
    await stage.ben.types('/ask stars?', stage.general);
    await stage.until(() => opened.length === 2);
    await comesLate(opened[1]!.job);
    expect(isIn(stage.general)).toBe(true);
  });

  test('comes by it where the bot is a member whose posts are refused', async () => {
    const { job } = await asked(({ general }) => general);
    stage.slack.api.faults.plan('chat.postMessage', { kind: 'error', code: 'restricted_action' }, 1_000);
    await comesLate(job);
    expect(isIn(stage.general)).toBe(true);
  });
});

test('an answer comes directly where somebody took the bot out before its first words', async () => {
  const { live } = await asked(({ general }) => general);
  takeOut(stage.general);
  live.append(text);
  await stage.done(live.finish({ kind: 'done' }));
  expect(isIn(stage.general)).toBe(false);
  expect(isIn(stage.ada.directMessages)).toBe(true);
});

test('a text that a command says is for who asked alone where somebody took the bot out before it', async () => {
  const { reply } = await asked(({ general }) => general);
  takeOut(stage.general);
  await stage.done(reply.say({ text }));
  expect(isIn(stage.general)).toBe(false);
  expect(JSON.stringify(stage.ada.whispers)).toContain(text);
});

test('what’s for everybody isn’t shown to who asked alone where somebody took the bot out before it', async () => {
  const { reply } = await asked(({ general }) => general);
  takeOut(stage.general);
  const said = reply.say({ text }, { forEverybody: true }).catch(({ kind }) => kind);
  expect(await stage.done(said)).toBe('not-a-member');
  expect(isIn(stage.general)).toBe(false);
  expect(JSON.stringify(stage.ada.whispers)).not.toContain(text);
});
