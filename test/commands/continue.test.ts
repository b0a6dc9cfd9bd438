import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { deletionsOn } from './support/deletions.ts';
import type { Standing } from './support/stage.ts';
import { admin, ann, personCalled, Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => void vi.restoreAllMocks());

const { stopped } = deletionsOn(() => stage);
/** Presses Continue under it and returns the question that the service gets. */
async function continued(on: Standing, shown?: string) {
  const sent = vi.spyOn(stage.service.chat, 'stream');
  const prepared = await stage.pressOn(on, 'Continue', ann, undefined, shown);
  return { prepared, question: String(sent.mock.calls.at(-1)?.[0].messages.at(-1)?.content ?? '') };
}

it('*Continue* tells which answer is meant, whatever others asked since', async () => {
  const answer = await stopped();
  await stage.give('ask', { prompt: 'A recipe for soup' }, personCalled('bob'));
  const { question } = await continued(answer);
  expect(question).toContain('quoted your own message, which this replies to');
  expect(question).toContain(answer.message.text?.slice(0, 30));
  expect(question).toContain('Continue from where you stopped.');
});

it('*Continue* after a reset brings the text of its message, and is refused without it', async () => {
  const answer = await stopped();
  await stage.give('reset', {}, admin);
  const gone = { kind: 'refused', text: 'I don’t have this answer any more. Nothing was spent.' };
  expect((await continued(answer)).prepared).toMatchObject(gone);
  const { question } = await continued(answer, 'Green is a colour of leaves and');
  expect(question).toContain('Green is a colour of leaves and');
});
