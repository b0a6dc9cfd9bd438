import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ann, directWith, personCalled, Stage, type Standing } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open({ crashes: true });
});

const [bob, eve] = [personCalled('bob'), personCalled('eve')];
const owner = personCalled('owner');
/** Who may delete what's reported here. */
const operators = ['owner', 'eve'].map((person) => ({ platform: 'console' as const, workspace: '', person }));

/** The reports that have reached somebody. */
const reports = () => stage.standing.filter(({ message }) => message.text?.startsWith('🚩'));
const labelsOf = ({ message }: Standing) => message.buttons?.map(({ label }) => label);

async function shared(): Promise<Standing> {
  await stage.give('ask', { prompt: 'Hush', private: true });
  await stage.press('Share here');
  const isShared = ({ message }: Standing) => message.text?.includes('Shared by');
  return stage.standing.findLast(isShared) as Standing;
}

describe('Delete it, beside a report', () => {
  it('names who deleted it, also of what somebody shared, whoever presses it after them', async () => {
    stage.owners = operators;
    const { id, address } = await shared();
    await stage.give('report', {}, bob, address, { reported: `console:${address.channel}:${id}` });
    stage.keepsMessages = 'no-permission';
    await stage.press('Delete it', eve);
    expect(stage.text).toContain('I couldn’t delete all of it');
    stage.keepsMessages = undefined;
    await stage.press('Delete it', owner);
    expect(stage.removed).toEqual([id]);
    await stage.press('Deleted by owner', eve);
    expect(stage.text).toContain('deleted already');
    expect(reports().map(labelsOf)).toEqual([['Deleted by owner']]);
  });

  it('says who did when it’s pressed again after a death between that and the deletion', async () => {
    stage.owners = operators;
    await stage.give('ask', { prompt: 'Hello' });
    const answer = stage.latest;
    const source = { reported: `console:${answer.address.channel}:${answer.id}` };
    for (const person of [ann, bob]) await stage.give('report', {}, person, answer.address, source);
    const dies = vi.spyOn(stage, 'relabels').mockReturnValueOnce(new Promise(() => {}));
    const [first] = reports() as [Standing];
    const remove = stage.buttonId('Delete it', first);
    stage.pressOn(first, 'Delete it', owner).catch(() => {});
    await stage.until(() => dies.mock.calls.length > 0);
    await stage.crash();
    await stage.pressId(remove, first, eve);
    // Another report of it was left as it was.
    await stage.press('Delete it', eve);
    expect(reports().map(labelsOf)).toEqual([['Deleted by owner'], ['Deleted']]);
    expect(stage.removed).toEqual([answer.id]);
  });
});

it('what stands though its question or its requester’s data was deleted can be reported and deleted, in Chinese, too', async () => {
  stage.owners = operators;
  await stage.give('help', {}, personCalled('owner', { locale: 'zh-CN' }));
  await stage.make('imagine', { prompt: 'x' });
  const image = stage.latest;
  for (const [what, person] of [
    ['question', bob],
    ['data', eve],
  ] as const) {
    await stage.database
      .updateTable('jobs')
      .set({ deleted: what })
      .where('command', '=', 'imagine')
      .execute();
    expect(await stage.pressOn(image, 'Report', person)).toMatchObject({ kind: 'form' });
    await stage.press('Report', person, { reason: what });
  }
  expect(reports().map(labelsOf)).toEqual([['删除它'], ['删除它']]);
  await stage.press('删除它', owner);
  expect(stage.removed).toEqual([image.id]);
});

it('who reports without their name what only they see isn’t named as who asked for it, either', async () => {
  await stage.give('ask', { prompt: 'Hush', private: true });
  await stage.give('report', { anonymous: true });
  const alone = { ...ann, direct: true } as const;
  await stage.give('ask', { prompt: 'Hello' }, alone, directWith('ann'));
  await stage.give('report', { anonymous: true }, alone, directWith('ann'));
  expect(reports().map(({ message }) => message.text)).toEqual([
    '🚩 Somebody reported something I made · `/ask` · general · private',
    '🚩 Somebody reported something I made · `/ask`',
  ]);
});
