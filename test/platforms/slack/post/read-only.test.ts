import { describe, expect, test } from 'vitest';
import { slackWords } from '../../../../src/platforms/slack/words.ts';
import { bring } from '../../../fakes/bring.ts';
import { clip, image } from '../../../fakes/outgoing-files.ts';
import { type Channel, type FakePerson, shown } from '../../../fakes/slack/index.ts';
import {
  askButtons,
  type Script,
  setting,
  type Stage,
  type StageOptions,
  startStage,
} from '../support/stage.ts';

const minute = 60_000;
let stage: Stage;
let ran: number;

const speak: Script = async ({ reply }) => {
  ran += 1;
  await reply.say({ text: '> hello', files: [clip] });
};
const ask: Script = async ({ job, reply, options }) => {
  ran += 1;
  const live = reply.stream({ buttons: askButtons(job.id) });
  live.append(`You asked: ${(options as { prompt: string }).prompt}`);
  await live.finish({ kind: 'done' });
};

async function begin(close: (channel: Channel) => void, options: StageOptions = {}): Promise<Stage> {
  ran = 0;
  stage = await startStage({ scripts: { speak, ask, imagine: speak, video: speak }, ...options });
  close(stage.general);
  return stage;
}

const readOnly = setting({ readOnly: true });
const threadsOnly = setting({ threads: 'only' });
const archived = setting({ archived: true });
const open = () => {};
const unannounced = (channel: Channel) => {
  readOnly(channel);
  stage.slack.world.readings.channelSettingsTold = 'refused';
};
const toldTo = (person: FakePerson) =>
  [
    ...person.whispers.map((whisper) => JSON.stringify(whisper)),
    ...stage.posts(person.directMessages).map(shown),
  ].join();
const files = (channel: Channel) => stage.posts(channel).filter((message) => message.files.length > 0);
const because = slackWords('en').postingRefused;
const settings = because(undefined);

const shut: readonly [string, (channel: Channel) => void, string][] = [
  ['whose settings keep the bot from posting', readOnly, settings],
  ['that takes replies alone', threadsOnly, because('restricted_action_thread_only_channel')],
  ['that was archived', archived, because('is_archived')],
];

describe.each(shut)('in a channel %s', (_, close, why) => {
  test.each(['/speak hello', '/ask hello', '/imagine a cat', '/video a cat'])(
    '%s is refused before anything is spent, and says why',
    async (line) => {
      const { ada, general } = await begin(close);
      await ada.types(line, general);
      await stage.until(() => ada.whispers.length > 0);
      expect(toldTo(ada)).toContain(why);
      expect(ran).toBe(0);
      expect(stage.posts(general)).toEqual([]);
    },
  );
});

test.each([
  ['whose settings keep the bot from posting', readOnly, settings],
  ['that was archived', archived, because('is_archived')],
])('a mention in a channel %s is refused privately before anything is spent', async (_, close, why) => {
  const { ada, general } = await begin(close);
  ada.says(`${ada.bot} hello`, general);
  await stage.until(() => toldTo(ada).includes(why));
  expect(ran).toBe(0);
  expect(stage.posts(general)).toEqual([]);
});

test('a mention in a channel that takes replies alone is answered in its thread', async () => {
  const { ada, general } = await begin(threadsOnly);
  const { message } = ada.says(`${ada.bot} hello`, general);
  await stage.until(() => stage.texts(general, message.ts).join().includes('You asked: hello'));
});

test('a button that asks again, where the channel no longer allows posts, spends nothing', async () => {
  const { ada, general, chief } = await begin(open);
  const { message } = ada.says(`${ada.bot} hello`, general);
  await stage.until(() => stage.texts(general, message.ts).join().includes('Regenerate'));
  const [answer] = stage.posts(general);
  if (!answer) throw new Error('no answer');
  await stage.done(chief.setsPosting(general, { readOnly: true }).done);
  await ada.presses(answer, 'Regenerate');
  await stage.until(() => toldTo(ada).includes(settings));
  expect(ran).toBe(1);
});

test('in the language of who gave it', async () => {
  const { ben, general } = await begin(readOnly);
  await ben.types('/speak hello', general);
  await stage.until(() => ben.whispers.length > 0);
  expect(JSON.stringify(ben.whispers[0])).toContain(slackWords('zh-CN').postingRefused(undefined));
});

test('by a form: it says so, and stays open', async () => {
  const { ada } = await begin(readOnly);
  await stage.openForm(ada, '/speak');
  await ada.sends({ text: 'hello' });
  expect(JSON.stringify(ada.form?.errors)).toContain(settings);
  expect(ran).toBe(0);
});

test('what one person alone is to see comes to them directly', async () => {
  const { ada, general } = await begin(readOnly, { scripts: { usage: speak } });
  await ada.types('/troupe usage', general);
  await stage.until(() => files(ada.directMessages).length === 1);
  expect(ran).toBe(1);
});

test('what costs nothing is answered all the same', async () => {
  const { ada, general } = await begin(readOnly);
  await ada.types('/troupe help', general);
  await stage.until(() => toldTo(ada).includes('What I can do here'));
  expect(stage.slack.api.of('conversations.info')).toEqual([]);
});

test('a channel that is open is asked about once for many questions, and again after a change', async () => {
  const { ada, general, chief } = await begin(open);
  const question = async () => {
    const before = ran;
    ada.says(`${ada.bot} hello`, general);
    await stage.until(() => ran > before || toldTo(ada).includes(settings));
    await stage.pass(5_000);
  };
  for (let count = 0; count < 3; count++) await question();
  expect(stage.slack.api.of('conversations.info')).toHaveLength(1);
  await stage.done(chief.setsPosting(general, { readOnly: true }).done);
  await question();
  expect(ran).toBe(3);
  expect(stage.slack.api.of('conversations.info')).toHaveLength(2);
});

test('a public channel counts as shared with another organization as soon as Slack tells that it is, and no longer', async () => {
  const { ada, general, slack, workspace, platform } = await begin(open);
  const address = { platform: 'slack', workspace: workspace.id, channel: general.id } as const;
  const other = slack.addWorkspace('sister');
  const isExternal = () => stage.done(platform.adapter.isExternal(address));
  expect(await isExternal()).toBe(false);
  for (const isShared of [true, false]) {
    await ada.sharesWith(general, other, isShared)?.done;
    expect(await isExternal()).toBe(isShared);
  }
});

test('a question waits for nobody where Slack does not tell in time', async () => {
  const { ada, general, slack } = await begin(open);
  slack.api.faults.plan('conversations.info', { kind: 'delay', ms: 60_000 }, 10);
  ada.says(`${ada.bot} hello`, general);
  await stage.pass(3_000);
  expect(ran).toBe(1);
});

describe('where Slack does not tell beforehand', () => {
  const refusedOnce = async () => {
    const { ada, general } = stage;
    void ada.types('/speak hello', general);
    await stage.until(() => files(ada.directMessages).length === 1, 300_000);
    expect(ran).toBe(1);
  };

  test('what was paid for still arrives directly', async () => {
    const { slack } = await begin(readOnly);
    slack.api.faults.plan('conversations.info', { kind: 'error', code: 'internal_error' }, 1_000);
    await refusedOnce();
  });

  test.each(['/speak hello', '/ask hello'])('the next command (%s) spends nothing', async (line) => {
    const { ben, general } = await begin(unannounced);
    await refusedOnce();
    await ben.types(line, general);
    await stage.until(() => ben.whispers.length > 0);
    expect(toldTo(ben)).toContain(slackWords('zh-CN').postingRefused(undefined));
    expect(ran).toBe(1);
  });

  test('nor does a mention, in another process either', async () => {
    const { ben, general } = await begin(unannounced);
    await refusedOnce();
    await stage.restart();
    ben.says(`${ben.bot} hello`, general);
    await stage.until(() => toldTo(ben).includes(slackWords('zh-CN').postingRefused(undefined)));
    expect(ran).toBe(1);
  });

  test('words that were refused there count as well', async () => {
    const { ada, general } = await begin(unannounced);
    ada.says(`${ada.bot} hello`, general);
    await stage.until(() => toldTo(ada).includes('You asked: hello'), 300_000);
    await ada.types('/speak hello', general);
    await stage.until(() => toldTo(ada).includes(settings));
    expect(ran).toBe(1);
  });

  test('ten minutes later it is tried again', async () => {
    const { ada, general } = await begin(unannounced);
    await refusedOnce();
    general.readOnly = false;
    await stage.pass(10 * minute);
    await ada.types('/speak hello', general);
    await stage.until(() => files(general).length === 1);
  });

  test('as soon as Slack tells of a change of the channel, too', async () => {
    const { ada, chief, general } = await begin(unannounced);
    await refusedOnce();
    await stage.done(chief.setsPosting(general, { readOnly: false }).done);
    await ada.types('/speak hello', general);
    await stage.until(() => files(general).length === 1);
  });

  test('and as soon as something is taken there', async () => {
    const { ada, general, platform, workspace } = await begin(unannounced);
    await refusedOnce();
    general.readOnly = false;
    const place = { platform: 'slack', workspace: workspace.id, channel: general.id } as const;
    await stage.done(platform.adapter.post(place, { text: 'of a render' }, 'progress'));
    await ada.types('/speak hello', general);
    await stage.until(() => files(general).length === 1);
  });

  test('a refusal outside of threads says nothing of a thread', async () => {
    const { ada, general } = await begin((channel) => {
      channel.threads = 'only';
      stage.slack.world.readings.channelSettingsTold = 'refused';
    });
    await refusedOnce();
    const { message } = ada.says(`${ada.bot} hello`, general);
    await stage.until(() => stage.texts(general, message.ts).join().includes('You asked: hello'));
    await ada.types('/speak hello', general);
    await stage.until(() => toldTo(ada).includes(because('restricted_action_thread_only_channel')));
    expect(ran).toBe(2);
  });
});

describe('what was paid for before its channel refused posts', () => {
  test.each([
    ['clip', clip],
    ['image', image],
  ])('a %s is uploaded once, for its requester alone', async (_, file) => {
    const { ada, general, slack } = await begin(open, {
      scripts: {
        speak: async ({ reply }) => {
          general.readOnly = true;
          await reply.say({ text: '> hello', files: [file] });
        },
      },
    });
    void ada.types('/speak hello', general);
    await stage.until(() => stage.posts(ada.directMessages).length > 0);
    // Whether the workspace takes such files is asked with an address that is never used.
    const uploads = slack.api.of('files.getUploadURLExternal');
    expect(uploads.filter(({ args }) => args.filename === file.name)).toHaveLength(1);
    expect(stage.posts(general)).toEqual([]);
  });

  test('by the doors, too', async () => {
    const { ada, general, slack, workspace } = await begin(archived);
    const place = { platform: 'slack', workspace: workspace.id, channel: general.id } as const;
    const message = { text: 'A cat', files: [image], mentions: [ada.user.id] };
    await stage.done(bring(stage, place, message, 'ready'));
    expect(stage.posts(ada.directMessages)).toHaveLength(1);
    expect(slack.api.of('files.getUploadURLExternal')).toHaveLength(1);
  });

  test.each([
    ['clip', clip],
    ['image', image],
  ])('a %s that stood there already stands there once, though its process died', async (_, file) => {
    const { ada, general, slack, platform, workspace } = await begin(open);
    const place = { platform: 'slack', workspace: workspace.id, channel: general.id } as const;
    const message = { text: 'A cat', files: [file], mentions: [ada.user.id] };
    slack.api.faults.plan('chat.postMessage', { kind: 'cut', when: 'after' });
    void platform.adapter.post(place, message, 'ready').catch(() => undefined);
    await stage.until(() => stage.texts(general).join().includes('A cat'));
    await stage.kill();
    general.archived = true;
    await stage.startBot();
    await stage.done(stage.platform.adapter.post(place, message, 'ready'));
    expect(stage.texts(general).filter((text) => text.includes('A cat'))).toHaveLength(1);
    expect(stage.posts(ada.directMessages)).toEqual([]);
  });
});

test('a refusal that an invitation mends is not remembered', async () => {
  const { ada, general, slack } = await begin(open);
  slack.api.faults.plan('files.completeUploadExternal', { kind: 'error', code: 'no_permission' }, 1);
  void ada.types('/speak hello', general);
  await stage.until(() => files(ada.directMessages).length === 1, 300_000);
  general.members.delete(stage.workspace.botUser);
  await ada.types('/speak hello', general);
  await stage.until(() => toldTo(ada).includes('/invite'));
  expect(toldTo(ada)).not.toContain(settings);
  general.members.add(stage.workspace.botUser);
  await ada.types('/speak hello', general);
  await stage.until(() => files(general).length === 1);
});
