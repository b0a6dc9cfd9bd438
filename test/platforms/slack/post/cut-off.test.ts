import { expect, test } from 'vitest';
import type { Invocation } from '../../../../src/engine/index.ts';
import { type Stage, startStage } from '../support/stage.ts';

let stage: Stage;

test('a result that waits for its turn in a process that was taken for dead is posted by the other one alone', async () => {
  stage = await startStage({ twice: true });
  const place = { platform: 'slack', workspace: stage.workspace.id, channel: stage.general.id } as const;
  const post = (number: 0 | 1) => stage.adapterOf(number).post(place, { text: 'A cat surfs' }, 'result');
  const posted = () => stage.texts(stage.general).filter((text) => text.includes('A cat surfs'));
  stage.slack.api.faults.plan('chat.postMessage', { kind: 'too-many', seconds: 25 });
  const first = post(0).then(
    () => 'posted',
    (error: unknown) => error,
  );
  await stage.until(() => stage.slack.api.faults.outstanding === 0);
  await stage.takeForDead(0);
  const second = post(1);
  await stage.clock.advance(60_000);
  await stage.done(second);
  expect(await stage.done(first)).toMatchObject({ name: 'LeaseEndedError' });
  expect(posted()).toHaveLength(1);
});

test('a process that was taken for dead starts no stream: its answer is ended by the other one', async () => {
  stage = await startStage({ twice: true, writtenAsk: 'ended' });
  const { live } = await stage.answerTo(stage.ada.says('hello', stage.ada.directMessages));
  await stage.takeForDead(0);
  live.append('The first words of an answer');
  await stage.pass(5_000);
  expect(stage.slack.api.of('chat.startStream')).toEqual([]);
});

test('a process that was taken for dead tells nobody alone what the other one tells them', async () => {
  const gate = Promise.withResolvers<void>();
  const failures: unknown[] = [];
  const tell = async ({ reply }: Invocation<never>) => {
    await gate.promise;
    await reply.whisper({ text: 'It’s on its way' }).catch((error: unknown) => failures.push(error));
  };
  stage = await startStage({ twice: true, scripts: { ask: tell } });
  const { ada, general } = stage;
  await ada.types('/ask hello', general);
  ada.says(`<@${stage.workspace.botUser}> hello`, general);
  await stage.quiet();
  await stage.takeForDead(0);
  gate.resolve();
  await stage.until(() => failures.length === 2);
  expect(failures).toMatchObject([{ name: 'LeaseEndedError' }, { name: 'LeaseEndedError' }]);
  expect(stage.workspace.ephemerals).toEqual([]);
});
