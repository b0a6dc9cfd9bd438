import { beforeEach, expect, test } from 'vitest';
import { slackWords } from '../../../../src/platforms/slack/words.ts';
import type { Fault } from '../../../fakes/slack/faults.ts';
import type { Channel } from '../../../fakes/slack/index.ts';
import { clip, type Delivering, startDelivering } from '../support/delivering.ts';
import type { Script, Stage } from '../support/stage.ts';

const minute = 60_000;
const inLine = 'You are third in line';
const away: Fault = { kind: 'status', status: 503, when: 'before' };
let delivering: Delivering;
let stage: Stage;
let isBrought: boolean;
/** Whether the requester waits in line, and Slack is away when the clip comes. */
let waits: boolean;
/** Whether Slack refuses the first message, in every form. */
let isRefused: boolean;

/** Brings a clip, as `/speak` does. */
const speak: Script = async ({ job, reply }) => {
  const { faults } = stage.slack.api;
  if (isRefused) {
    faults.plan('chat.postMessage', { kind: 'error', code: 'msg_too_long' }, 100);
    await expect(reply.say({ text: 'It works.' })).rejects.toThrow();
    faults.clear();
    await reply.say({ text: 'It failed.' });
    isBrought = true;
    return;
  }
  if (waits) {
    await reply.whisper({ text: inLine });
    faults.plan('files.completeUploadExternal', { kind: 'cut', when: 'after' }, 1);
    faults.plan('files.info', away, 8);
  }
  await delivering.deliveries.deliver(job, clip, () => reply.say(clip));
  isBrought = true;
};
beforeEach(async () => {
  isBrought = false;
  waits = false;
  isRefused = false;
  delivering = await startDelivering({ scripts: { speak } });
  stage = delivering.stage;
});

async function spoken(channel: Channel): Promise<void> {
  void stage.ada.types('/speak hello', channel);
  while (!isBrought) await stage.pass(1_000);
  await delivering.delivered();
  await stage.pass(10 * minute);
}

test('a clip that comes late to direct messages is not taken for the word that told their place in line', async () => {
  waits = true;
  await spoken(stage.ada.directMessages);
  expect(stage.texts(stage.ada.directMessages).map((text) => text.includes(inLine))).toEqual([true, false]);
  expect(delivering.files(stage.ada.directMessages)).toHaveLength(1);
});

test('a failure says who asked for what, though what was to be posted before it was refused', async () => {
  isRefused = true;
  await spoken(stage.general);
  expect(stage.texts(stage.general)).toEqual([expect.stringMatching(/ada.*\/speak[\s\S]*It failed\./)]);
});

test('a clip comes though the word that it comes directly had to be said where it comes', async () => {
  const between = stage.slack.between(stage.workspace, [stage.ada, stage.ben]);
  stage.slack.responseUrls.receive = () => ({ status: 503, answer: '' });
  await spoken(between);
  expect(stage.texts(stage.ada.directMessages).join()).toContain(slackWords('en').goesDirect);
  expect(delivering.files(stage.ada.directMessages)).toHaveLength(1);
});
