import { expect, it } from 'vitest';
import type { Message } from '../../fakes/slack/index.ts';
import { type SlackScene, startSlackScene, textOf } from '../support/slack-scene.ts';

/** A question whose answer has begun to grow in its thread, and never ends by itself. */
async function growing(scene: SlackScene): Promise<{ question: Message; answer: Message }> {
  const { message: question } = asks(scene, 'Tell me about green [[stall]]');
  const answer = await scene.until('the answer', () => written(scene.said()));
  return { question, answer };
}
const asks = ({ ada, general }: SlackScene, question: string) => ada.says(`${ada.bot} ${question}`, general);
const written = (messages: readonly Message[]) =>
  messages.find((message) => textOf(message).includes('This is the sandbox'));
/** The service counts what was written once its stream is closed. */
const isStopped = (scene: SlackScene) =>
  scene.until('the end of the stream', async () => {
    const headers = { authorization: `Bearer ${scene.sandbox.key}` };
    const answer = await fetch(`${scene.sandbox.url}/sandbox/meter`, { headers });
    return ((await answer.json()) as { credits: number }).credits > 0;
  });

it('a growing answer that somebody deletes on Slack stops, and goes to its requester alone', async () => {
  const scene = await startSlackScene('socket');
  const { answer } = await growing(scene);
  scene.ben.deletes(answer);
  await isStopped(scene);
  const alone = await scene.until('what was written', () =>
    [
      ...scene.ada.whispers.map(({ text, blocks }) => `${text} ${JSON.stringify(blocks)}`),
      ...scene.said(scene.ada.directMessages).map(textOf),
    ].find((one) => one.includes('This is the sandbox')),
  );
  expect(alone).toContain('it was deleted there');
  expect(written(scene.said())).toBeUndefined();
});

it('a question on Slack that somebody deletes isn’t answered, though its thread has replies', async () => {
  const scene = await startSlackScene('socket');
  const { question } = await growing(scene);
  scene.slack.api.faults.plan('chat.delete', { kind: 'error', code: 'service_unavailable' });
  scene.ada.deletes(question);
  expect(question.tombstone).toBe(true);
  await isStopped(scene);
  await scene.until('nothing is left', () => scene.said().length === 0);
  expect(scene.said(scene.ada.directMessages)).toEqual([]);
  expect(scene.ada.whispers).toEqual([]);
});
