import { beforeEach, expect, test } from 'vitest';
import { words } from '../../../../src/words/index.ts';
import type { Channel, Json } from '../../../fakes/slack/index.ts';
import { clip, type Delivering, startDelivering } from '../support/delivering.ts';
import type { Script, Stage } from '../support/stage.ts';

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
const completedDirectly = () =>
  stage.slack.api
    .of('files.completeUploadExternal')
    .filter(({ args, outcome }) => outcome === 'ok' && args.channel_id === stage.ada.directMessages.id);

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

/** How a channel shuts, and opens again. */
const shut: readonly [string, Change, Change][] = [
  [
    'takes replies alone',
    (channel) => {
      channel.threads = 'only';
    },
    (channel) => {
      channel.threads = 'allowed';
    },
  ],
  [
    'was archived',
    (channel) => {
      channel.archived = true;
    },
    (channel) => {
      channel.archived = false;
    },
  ],
  [
    'is read-only',
    (channel) => {
      channel.readOnly = true;
    },
    (channel) => {
      channel.readOnly = false;
    },
  ],
  [
    'has no bot any more',
    (channel) => void channel.members.delete(stage.workspace.botUser),
    (channel) => void channel.members.add(stage.workspace.botUser),
  ],
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
    expect(delivering.files(stage.general)).toEqual([]);
    expect(paid).toBe(1);
  },
);

test.each(shut)(
  'a clip whose channel %s comes once, though the process died and the channel opened again',
  async (_, shutIt, open) => {
    close = shutIt;
    void stage.ada.types('/speak hello', stage.general);
    await completed();
    await restart(() => open(stage.general));
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
    close = (channel) => {
      channel.archived = true;
    };
    const directly = ({ channel_id }: Json) => channel_id === ada.directMessages.id;
    const tries = () =>
      slack.api.of('files.completeUploadExternal').filter(({ args }) => directly(args as Json));
    slack.api.faults.plan('files.completeUploadExternal', { kind: 'cut', when }, 1, directly);
    void ada.types('/speak hello', general);
    while (tries().length === 0) await stage.pass(100);
    await restart(() => {
      general.archived = false;
    });
    await delivered();
    expect([...inDirect(), ...delivering.files(general)]).toHaveLength(1);
  },
);

test('what never came so far as to be sent directly comes in its channel, where that is open again', async () => {
  const { general, ada, slack } = stage;
  close = (channel) => {
    channel.archived = true;
  };
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
  close = (channel) => {
    channel.archived = true;
  };
  const directly = ({ channel_id }: Json) => channel_id === ada.directMessages.id;
  const calls = () =>
    slack.api.of('files.completeUploadExternal').filter(({ args }) => directly(args as Json));
  slack.api.faults.plan('files.completeUploadExternal', { kind: 'cut', when: 'before' }, 1, directly);
  void ada.types('/speak hello', general);
  while (calls().length === 0) await stage.pass(100);
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
  close = (channel) => {
    channel.threads = 'only';
  };
  stage.slack.shareFaults.push({ late: 70_000 }, { late: 70_000 });
  void stage.ada.types('/speak hello', stage.general);
  await delivered();
  expect(stage.whispers()).toEqual(['On it.', words('en').postedDirectly()]);
});
