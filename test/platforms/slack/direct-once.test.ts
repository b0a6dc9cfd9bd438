import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Deliveries } from '../../../src/deliveries/index.ts';
import { fileOf, type Message } from '../../../src/port/index.ts';
import { words } from '../../../src/words/index.ts';
import { type Channel, shown } from '../../fakes/slack/index.ts';
import { deliveriesOf } from './delivering.ts';
import { type Script, type Stage, startStage } from './stage.ts';

const minute = 60_000;
const clip: Message = {
  text: '> Good morning',
  files: [
    fileOf(new Uint8Array([1, 2, 3]), {
      name: 'speech.mp3',
      contentType: 'audio/mpeg',
      kind: 'voice',
      description: 'Good morning',
    }),
  ],
};

let stage: Stage;
let create: () => Deliveries;
let deliveries: Deliveries;
let paid: number;
let isBrought: boolean;
let close: (channel: Channel) => void;

/** A command whose place shuts while it is at work. */
const speak: Script = async ({ job, reply }) => {
  paid += 1;
  close(stage.general);
  await deliveries.bring(job, clip, () => reply.say(clip));
  isBrought = true;
};
beforeEach(async () => {
  paid = 0;
  isBrought = false;
  stage = await startStage({ scripts: { speak, usage: speak } });
  create = await deliveriesOf(stage);
  deliveries = create();
});
afterEach(async () => {
  deliveries.stop();
  await stage.stop();
});

const files = (channel: Channel) => stage.posts(channel).filter((message) => message.files.length > 0);
const inDirect = () => files(stage.ada.directMessages);
const completedDirectly = () =>
  stage.slack.api
    .of('files.completeUploadExternal')
    .filter(({ args, outcome }) => outcome === 'ok' && args.channel_id === stage.ada.directMessages.id);

/** The disk takes its own time, whatever the clock says. */
async function completed(): Promise<void> {
  while (completedDirectly().length === 0) await stage.pass(100);
}

async function delivered(): Promise<void> {
  while (!isBrought || (await deliveries.kept()).length > 0) await stage.pass(1_000);
  await stage.pass(10 * minute);
}

async function restart(): Promise<void> {
  deliveries.stop();
  await stage.kill();
  await stage.pass(10_000);
  await stage.startBot();
  deliveries = create();
  isBrought = true;
  await deliveries.resume();
}

const shut: readonly [string, (channel: Channel) => void][] = [
  [
    'takes replies alone',
    (channel) => {
      channel.threads = 'only';
    },
  ],
  [
    'was archived',
    (channel) => {
      channel.archived = true;
    },
  ],
  ['has no bot any more', (channel) => void channel.members.delete(stage.workspace.botUser)],
];

test.each(shut)(
  'a clip whose channel %s comes directly, once, though the process died over it',
  async (_, shutIt) => {
    close = shutIt;
    void stage.ada.types('/speak hello', stage.general);
    await completed();
    await restart();
    await delivered();
    expect(inDirect()).toHaveLength(1);
    expect(files(stage.general)).toEqual([]);
    expect(paid).toBe(1);
  },
);

test.each(shut)('a clip whose channel %s comes directly, once, though Slack is slow', async (_, shutIt) => {
  close = shutIt;
  stage.slack.shareFaults.push({ late: 70_000 }, { late: 70_000 });
  void stage.ada.types('/speak hello', stage.general);
  await delivered();
  expect(inDirect()).toHaveLength(1);
  expect(files(stage.general)).toEqual([]);
  expect(paid).toBe(1);
});

test('what one person alone is to see comes once, though the process died over it', async () => {
  close = () => {};
  void stage.ada.types('/troupe usage', stage.general);
  await completed();
  await restart();
  await delivered();
  expect(inDirect()).toHaveLength(1);
});

test('who asked is told truly where it is', async () => {
  close = (channel) => {
    channel.threads = 'only';
  };
  stage.slack.shareFaults.push({ late: 70_000 }, { late: 70_000 });
  void stage.ada.types('/speak hello', stage.general);
  await delivered();
  const whispers = stage.ada.whispers.map(({ blocks, text }) => shown({ blocks, text } as never) || text);
  expect(whispers).toEqual([words('en').postedDirectly]);
});
