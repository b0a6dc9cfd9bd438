import { afterEach, expect, test, vi } from 'vitest';
import { DirectMessages } from '../../../../src/platforms/slack/post/channels/direct-messages.ts';
import { eventsComeWithin } from '../../../../src/port/index.ts';
import { createJobs } from '../../../../src/store/index.ts';
import { words } from '../../../../src/words/index.ts';
import { allowing, type CommandRules } from '../../../fakes/commands.ts';
import type { Acknowledged } from '../../../fakes/slack/events/delivery.ts';
import { saysWith, type Stage, startStage } from '../support/stage.ts';

let stage: Stage;
afterEach(() => void vi.restoreAllMocks());

/** Rules that wait until they are let go, once: between what arrives and its record. */
function gate() {
  const { promise: waits, resolve: open } = Promise.withResolvers<void>();
  let asked = 0;
  return {
    open,
    asked: () => asked,
    rules: async (...given: Parameters<CommandRules>) => {
      asked += 1;
      if (asked === 1) await waits;
      return allowing(...given);
    },
  };
}

const jobs = () => createJobs(stage.database).unfinished();

test.each(['socket', 'http'] as const)(
  'a message is acknowledged when it is on record, and not before (%s)',
  async (mode) => {
    const { rules, open, asked } = gate();
    const { promise: underWay, resolve: finish } = Promise.withResolvers<void>();
    stage = await startStage({ mode, rules, scripts: { ask: () => underWay } });
    const { ada } = stage;
    const [delivery] = ada.says('hello', ada.directMessages).deliveries;
    let result: Acknowledged | undefined;
    void delivery?.done.then((acknowledged) => {
      result = acknowledged;
    });
    await stage.until(() => asked() === 1);
    expect(result).toBeUndefined();
    open();
    expect(await delivery?.done).toMatchObject({ ok: true });
    expect(await jobs()).toHaveLength(1);
    finish();
  },
);

test('a message whose process dies before it is on record is sent again, and answered once', async () => {
  const { rules, asked } = gate();
  stage = await startStage({ rules });
  const { ada } = stage;
  ada.says('hello', ada.directMessages);
  await stage.until(() => asked() === 1);
  await stage.restart();
  await stage.until(() => stage.posts(ada.directMessages).length > 0, 400_000);
  await stage.pass(400_000);
  expect(stage.texts(ada.directMessages)).toEqual(['You asked: hello\nRegenerate']);
});

test('a message that’s deleted may not be on record yet, unless it’s older than events come', async () => {
  const heard: unknown[] = [];
  stage = await startStage({ deleted: async ({ recent }) => void heard.push(recent) });
  const { ada, general } = stage;
  const { message: old } = ada.says('old', general);
  await stage.pass(eventsComeWithin + 1_000);
  await ada.deletes(old).done;
  await ada.deletes(ada.says('new', general).message).done;
  expect(heard).toEqual([[], undefined]);
});

test('a command is acknowledged when it is on record, and before Slack gives up in any case', async () => {
  const { rules, open, asked } = gate();
  stage = await startStage({ rules });
  const { ada, general } = stage;
  let acknowledged = false;
  const typed = ada.types('/ask hello', general).then((outcome) => {
    acknowledged = true;
    return outcome;
  });
  await stage.until(() => asked() === 1);
  expect(acknowledged).toBe(false);
  await stage.pass(2_000);
  expect((await typed).acknowledged.ok).toBe(true);
  open();
  await stage.until(() => stage.texts(general).some((text) => text.includes('You asked: hello')));
});

test('who typed a command that was acknowledged, and could not be put on record, is told as soon as Slack can be reached', async () => {
  const { rules, open, asked } = gate();
  stage = await startStage({
    rules: async (...given) => {
      await rules(...given);
      throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR' });
    },
  });
  const { ada, general, slack } = stage;
  const typed = ada.types('/ask hello', general);
  await stage.until(() => asked() === 1);
  await stage.pass(2_000);
  expect((await typed).acknowledged.ok).toBe(true);
  slack.responseUrls.status = 503;
  open();
  await stage.pass(300_000);
  expect(ada.whispers).toEqual([]);
  slack.responseUrls.status = undefined;
  await stage.pass(120_000);
  expect(ada.whispers.map(({ text }) => text)).toEqual([words('en').errors.database]);
  await stage.pass(1_800_000);
  expect(ada.whispers).toHaveLength(1);
});

test('a command that is acknowledged at once is on record by then', async () => {
  const { promise: underWay, resolve: finish } = Promise.withResolvers<void>();
  stage = await startStage({ scripts: { ask: () => underWay } });
  await stage.ada.types('/ask hello', stage.general);
  expect((await jobs()).map(({ command }) => command)).toEqual(['ask']);
  finish();
});

test('a press is acknowledged when what it gives is on record', async () => {
  const { promise: underWay, resolve: finish } = Promise.withResolvers<void>();
  let asked = 0;
  stage = await startStage({
    scripts: {
      ask: async (invocation) => {
        asked += 1;
        if (asked > 1) await underWay;
        await saysWith('again', 'Again')(invocation);
      },
    },
  });
  const { ada, general } = stage;
  await ada.types('/ask hello', general);
  await stage.until(() => stage.posts(general).length === 1);
  await stage.quiet();
  const add = stage.clock.now();
  const [message] = stage.posts(general);
  if (!message) throw new Error('nothing was posted');
  const { acknowledged } = await ada.presses(message, 'Again');
  expect(acknowledged.ok).toBe(true);
  expect(stage.clock.now()).toBe(add);
  expect((await jobs()).map(({ command }) => command)).toEqual(['ask']);
  finish();
});

test('who sent a form whose command is on record is told where the database fails right after that', async () => {
  stage = await startStage();
  const { ada } = stage;
  const { isOwn } = DirectMessages.prototype;
  let failures = 0;
  vi.spyOn(DirectMessages.prototype, 'isOwn').mockImplementation(async function (
    this: DirectMessages,
    ...place
  ) {
    if (failures === 0 && (await jobs()).length > 0) {
      failures += 1;
      throw Object.assign(new Error('away'), { code: 'ERR_SQLITE_ERROR' });
    }
    return isOwn.apply(this, place);
  });
  await stage.openForm(ada, '/ask', ada.directMessages);
  await ada.sends({ prompt: 'hello' });
  expect(ada.form).toBeUndefined();
  await stage.until(() => stage.posts(ada.directMessages).length + ada.whispers.length > 0);
  expect(failures).toBe(1);
  expect([...stage.texts(ada.directMessages), ...ada.whispers.map(({ text }) => text)]).toEqual([
    expect.stringContaining(words('en').errors.database),
  ]);
  expect(await jobs()).toEqual([]);
});
