import { expect, test } from 'vitest';
import type { Job, LiveProgress } from '../../../../src/port/index.ts';
import { createJobs, createLiveAnswers } from '../../../../src/store/index.ts';
import { clip } from '../../../fakes/outgoing-files.ts';
import { shown } from '../../../fakes/slack/index.ts';
import { bringLate } from '../support/delivering.ts';
import { type Stage, startStage } from '../support/stage.ts';

let stage: Stage;

const sentences = Array.from({ length: 40 }, (_, index) => `Sentence ${index} is about tides. `);

/** An answer that grew until its process died, in direct messages if nothing else is said; what is on record of it. */
async function interrupted(
  ask = ({ ada }: Stage): unknown => ada.says('tides?', ada.directMessages),
  beforeRestart = () => {},
): Promise<{ readonly job: Job; readonly progress: LiveProgress }> {
  stage = await startStage({ writtenAsk: 'running' });
  ask(stage);
  await stage.until(() => stage.answers.length === 1);
  for (const sentence of sentences.slice(0, 20)) {
    stage.answers[0]?.append(sentence);
    await stage.pass(1_000);
  }
  await stage.pass(10_000);
  const [job] = await createJobs(stage.database).unfinished();
  const progress = job && (await createLiveAnswers(stage.database).find(job.id));
  if (!job || !progress) throw new Error('nothing is on record');
  await stage.kill();
  beforeRestart();
  await stage.startBot();
  return { job, progress };
}

test('an answer whose process died in the middle of its stream goes on below it: nobody reads its beginning twice', async () => {
  const { job, progress } = await interrupted();
  const message = { text: sentences.join('') };
  await bringLate(stage, job, { message, shown: progress.messages, shownText: progress.lastText });
  const [stream, below, ...more] = stage.posts(stage.ada.directMessages);
  expect(stream?.stream?.state).toBe('stopped');
  expect(stream && shown(stream)).toContain('Sentence 10 ');
  expect(more).toEqual([]);
  const all = [stream, below].map((message) => message && shown(message)).join(' ');
  for (let index = 0; index < 40; index++) expect(all.split(`Sentence ${index} `)).toHaveLength(2);
});

test('an answer that is completed while its Stop button is still being taken away stays whole', async () => {
  const ask = ({ ada, general }: Stage) => void ada.types('/ask tides?', general);
  // The message is read before it's completed, and the reading process knows it only afterwards.
  const { job, progress } = await interrupted(ask, () => {
    for (const method of ['conversations.history', 'conversations.replies'])
      stage.slack.api.faults.plan(method, { kind: 'delay', ms: 5_000 });
  });
  await stage.until(() => stage.slack.api.faults.outstanding < 2);
  const message = { text: sentences.join(''), buttons: [{ id: 'ask.regenerate:1', label: 'Regenerate' }] };
  await bringLate(stage, job, { message, shown: progress.messages, shownText: progress.lastText });
  await stage.pass(30_000);
  const texts = stage.texts(stage.general);
  expect(texts).toHaveLength(1);
  expect(texts[0]).toContain('Sentence 39 ');
  expect(texts[0]).toContain('Regenerate');
  expect(texts[0]).not.toContain('Stop');
});

test('what a deleted question in direct messages had bought comes there, below no thread', async () => {
  const { job } = await interrupted();
  await bringLate(stage, job, { message: { text: '> hello', files: [clip] }, isDeleted: true });
  const clips = stage.posts(stage.ada.directMessages).filter((message) => message.files.length > 0);
  expect(clips.map(({ threadTs }) => threadTs)).toEqual([undefined]);
});
