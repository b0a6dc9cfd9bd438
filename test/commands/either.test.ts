import { beforeEach, expect, it } from 'vitest';
import { ann, here, Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open({ settings: { confirmOver: 1 } });
});

const prompt = 'imagine a world without money';

/** The question whether an image or an answer is meant. */
async function askedWhich() {
  await stage.give('imagine', { prompt: 'a world without money' }, ann, here, undefined, {
    command: 'ask',
    options: { prompt },
  });
  expect(stage.buttons).toEqual(['Draw it · 22 credits', 'Just answer']);
  return stage.latest;
}

it('*Just answer* asks first where the same question asks first, and the answer is bought by a yes', async () => {
  const question = await askedWhich();
  const [order, instead] = question.message.buttons ?? [];
  await stage.press('Just answer');
  expect(stage.standing).toEqual([question]);
  expect(stage.text).toMatch(/credits.*Go ahead\?$/);
  expect(stage.buttons).toEqual(['Yes, go ahead', 'No']);
  expect(await stage.ledger()).toEqual([]);
  // What stood there before orders no image and no answer; the other button asks the same again.
  expect(await stage.pressId(order?.id ?? '', question)).toMatchObject({ kind: 'refused' });
  await stage.pressId(instead?.id ?? '', question);
  expect(await stage.ledger()).toEqual([]);
  await stage.press('Yes, go ahead');
  expect(await stage.ledger()).toMatchObject([{ kind: 'chat', state: 'spent' }]);
  expect(stage.text).toContain('world without money');
});

it('a no to what *Just answer* costs spends nothing', async () => {
  await askedWhich();
  await stage.press('Just answer');
  await stage.press('No');
  expect(stage.text).toBe('Nothing was sent and nothing was spent.');
  expect(await stage.ledger()).toEqual([]);
});
