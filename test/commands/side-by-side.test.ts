import { beforeEach, describe, expect, it } from 'vitest';
import { admin, ann, here, personCalled, Stage } from './support/stage.ts';

let stage: Stage;
const ada = personCalled('ada');
const bob = personCalled('bob');
beforeEach(async () => {
  stage = await Stage.open({ sandbox: { pace: 'human' } });
});

const long = { prompt: 'Write 5000 characters' };
/** What stands in the answers of the channel, oldest first. */
const answers = () =>
  stage.standing.filter(({ seenBy }) => seenBy === 'channel').map(({ message }) => message.text ?? '');
const isWriting = (text: string | undefined) =>
  text !== undefined && text.length > 0 && !text.includes('Yours comes next') && !text.includes('Thinking');
const stopAll = async () => {
  for (const answer of stage.standing)
    if (answer.message.buttons?.some(({ label }) => label === 'Stop'))
      await stage.pressOn(answer, 'Stop', admin);
};

describe('answers in one conversation', () => {
  it('give Bob his first words within 3 s while Ada’s long answer is being written', async () => {
    const adas = stage.give('ask', long, ada);
    await stage.until(() => isWriting(answers()[0]));
    const asked = stage.clock.now();
    const bobs = stage.give('ask', { prompt: 'Short?' }, bob);
    await stage.until(() => isWriting(answers()[1]));
    expect(stage.clock.now() - asked).toBeLessThanOrEqual(3_000);
    await bobs;
    expect(stage.standing[0]?.message.buttons?.map(({ label }) => label)).toEqual(['Stop']);
    await stopAll();
    await adas;
  });

  it('are one at a time for one person, who is told', async () => {
    const first = stage.give('ask', long, ada);
    await stage.until(() => isWriting(answers()[0]));
    const second = stage.give('ask', { prompt: 'Short?' }, ada);
    await stage.until(() => answers()[1] !== undefined);
    expect(answers()[1]).toContain('Yours comes next.');
    await stopAll();
    await Promise.all([first, second]);
  });

  it('are as many at once as the place has chosen', async () => {
    await stage.give('settings', { at_once: '1' }, admin);
    const adas = stage.give('ask', long, ada);
    await stage.until(() => isWriting(answers()[0]));
    const bobs = stage.give('ask', { prompt: 'Short?' }, bob);
    await stage.until(() => answers()[1] !== undefined);
    expect(answers()[1]).toContain('Yours comes next.');
    await stopAll();
    await Promise.all([adas, bobs]);
    expect(await stage.give('settings', { at_once: '11' }, admin)).toMatchObject({ kind: 'refused' });
  });
});

describe('one person’s questions in a conversation', () => {
  const full = 'You already have 3 questions waiting here.';

  it('wait three at most; the next is refused, and said once where no answer is owed', async () => {
    const given = [];
    for (let index = 0; index < 4; index++) {
      given.push(stage.give('ask', long, ada));
      await stage.until(() => answers().length === index + 1);
    }
    expect(await stage.give('ask', long, ada)).toEqual({
      kind: 'refused',
      text: expect.stringContaining(full),
      reason: 'waiting',
    });
    expect(await stage.give('ask', long, ada)).toMatchObject({ kind: 'refused', repeated: true });
    const wang = { ...ada, locale: 'zh-CN' as const };
    expect(await stage.give('ask', long, wang)).toMatchObject({
      text: expect.stringContaining('3 个问题在等待'),
    });
    const others = [
      stage.give('ask', { prompt: 'Short?' }, ada, { ...here, channel: 'other' }),
      stage.give('ask', { prompt: 'Short?' }, ann),
    ];
    expect((await Promise.all(others)).map(({ kind }) => kind)).toEqual(['accepted', 'accepted']);
    await stopAll();
    await given[0];
    await stopAll();
    expect(await stage.give('help', {}, ada)).toMatchObject({ kind: 'accepted' });
    await stage.until(async () => {
      await stopAll();
      return stage.standing.every(({ message }) => !message.buttons?.some(({ label }) => label === 'Stop'));
    });
    await Promise.all(given);
    const after = stage.give('ask', { prompt: 'Short?' }, ada);
    expect(await after).toMatchObject({ kind: 'accepted' });
  });

  it('wait three at most though 30 come at the same moment, by commands and by buttons', async () => {
    await stage.give('ask', { prompt: 'Short?' }, ada);
    const answered = stage.latest;
    const commands = Array.from({ length: 15 }, () => stage.give('ask', long, ada));
    const presses = Array.from({ length: 15 }, () => stage.pressOn(answered, 'Regenerate', ada));
    const all = Promise.all([...commands, ...presses]);
    const writing = () => stage.standing.filter(({ seenBy }) => seenBy === 'channel').length - 1;
    await stage.until(() => writing() >= 4);
    expect((await stage.jobStates()).filter((state) => state === 'running')).toHaveLength(4);
    await stage.until(async () => {
      await stopAll();
      return false;
    }, all);
    expect(writing()).toBe(4);
  });
});
