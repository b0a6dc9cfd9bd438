import { beforeEach, expect, test } from 'vitest';
import { words } from '../../../../src/words/index.ts';
import type { Channel, Json } from '../../../fakes/slack/index.ts';
import { clip, type Delivering, startDelivering } from '../support/delivering.ts';
import { type Script, setting, type Stage } from '../support/stage.ts';

const minute = 60_000;
let delivering: Delivering;
let stage: Stage;
let paid: number;
let isBrought: boolean;
let close: (channel: Channel) => void;

/** A command whose place shuts while it is at work. */
const speak: Script = async ({ job, reply }) => {
  paid += 1;
  close(stage.general);
  await delivering.deliveries.deliver(job, clip, () => reply.say(clip));
  isBrought = true;
};
beforeEach(async () => {
  paid = 0;
  isBrought = false;
  delivering = await startDelivering({ scripts: { speak, usage: speak } });
  stage = delivering.stage;
});

const inDirect = () => delivering.files(stage.ada.directMessages);
const directly = ({ channel_id }: Json) => channel_id === stage.ada.directMessages.id;
const triedDirectly = () =>
  stage.slack.api.of('files.completeUploadExternal').filter(({ args }) => directly(args as Json));
const completedDirectly = () => triedDirectly().filter(({ outcome }) => outcome === 'ok');

/** The disk takes its own time, whatever the clock says. */
async function completed(): Promise<void> {
  while (completedDirectly().length === 0) await stage.pass(100);
}

async function delivered(): Promise<void> {
  while (!isBrought) await stage.pass(1_000);
  await delivering.delivered();
  await stage.pass(10 * minute);
}

async function restart(meanwhile?: () => void): Promise<void> {
  await delivering.restart(meanwhile);
  isBrought = true;
}

type Change = (channel: Channel) => void;
const archived = setting({ archived: true });

/** How a channel shuts, and opens again. */
const shut: readonly [string, Change, Change][] = [
  ['takes replies alone', setting({ threads: 'only' }), setting({ threads: 'allowed' })],
  ['was archived', archived, setting({ archived: false })],
  ['is read-only', setting({ readOnly: true }), setting({ readOnly: false })],
  [
    'has no bot any more',
    (channel) => void channel.members.delete(stage.workspace.botUser),
    (channel) => void channel.members.add(stage.workspace.botUser),
  ],
];

test.each(
  shut.flatMap(([how, shutIt, open]) => [
    [how, ' over it', shutIt, () => {}] as const,
    [how, ', and the channel opened again', shutIt, open] as const,
  ]),
)(
  'a clip whose channel %s comes directly, once, though the process died%s',
  async (_, __, shutIt, meanwhile) => {
    close = shutIt;
    void stage.ada.types('/speak hello', stage.general);
    await completed();
    await restart(() => meanwhile(stage.general));
    await delivered();
    expect(inDirect()).toHaveLength(1);
    expect(delivering.files(stage.general)).toEqual([]);
    expect(paid).toBe(1);
  },
);

test.each([
  ['takes the file in, and its answer is lost', 'after'],
  ['does not hear of it', 'before'],
] as const)(
  'a clip whose channel opens again while Slack, asked for it directly, %s: it comes once',
  async (_, when) => {
    const { general, ada, slack } = stage;
    close = archived;
    slack.api.faults.plan('files.completeUploadExternal', { kind: 'cut', when }, 1, directly);
    void ada.types('/speak hello', general);
    while (triedDirectly().length === 0) await stage.pass(100);
    await restart(() => {
      general.archived = false;
    });
    await delivered();
    expect([...inDirect(), ...delivering.files(general)]).toHaveLength(1);
  },
);

test('what never came so far as to be sent directly comes in its channel, where that is open again', async () => {
  const { general, ada, slack } = stage;
  close = archived;
  slack.api.faults.plan('conversations.open', { kind: 'status', status: 503, when: 'before' }, 1_000);
  void ada.types('/speak hello', general);
  while (slack.api.of('conversations.open').length === 0) await stage.pass(100);
  await restart(() => {
    general.archived = false;
    slack.api.faults.clear();
  });
  await delivered();
  expect(delivering.files(general)).toHaveLength(1);
  expect(inDirect()).toEqual([]);
});

test('what was begun directly and is refused there comes in its channel, where that is open again', async () => {
  const { general, ada, slack } = stage;
  close = archived;
  slack.api.faults.plan('files.completeUploadExternal', { kind: 'cut', when: 'before' }, 1, directly);
  void ada.types('/speak hello', general);
  while (triedDirectly().length === 0) await stage.pass(100);
  await restart(() => {
    general.archived = false;
    const code = 'messages_tab_disabled';
    slack.api.faults.plan('files.completeUploadExternal', { kind: 'error', code }, 1_000, directly);
  });
  await delivered();
  expect(delivering.files(general)).toHaveLength(1);
  expect(inDirect()).toEqual([]);
});

test.each(shut)('a clip whose channel %s comes directly, once, though Slack is slow', async (_, shutIt) => {
  close = shutIt;
  stage.slack.shareFaults.push({ late: 70_000 }, { late: 70_000 });
  void stage.ada.types('/speak hello', stage.general);
  await delivered();
  expect(inDirect()).toHaveLength(1);
  expect(delivering.files(stage.general)).toEqual([]);
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
  close = setting({ threads: 'only' });
  stage.slack.shareFaults.push({ late: 70_000 }, { late: 70_000 });
  void stage.ada.types('/speak hello', stage.general);
  await delivered();
  expect(stage.whispers()).toEqual(['On it.', words('en').postedDirectly()]);
});
