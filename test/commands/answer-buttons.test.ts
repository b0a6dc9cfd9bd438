import { beforeEach, describe, expect, it, vi } from 'vitest';
import { admin, ann, directWith, here, personCalled, Stage, type Standing } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});

const bob = personCalled('bob', { locale: 'zh-CN' });
const minutes = 60_000;

/** Asks, and returns the message with the answer. */
async function answered(prompt = 'Say something about tides'): Promise<Standing> {
  await stage.give('ask', { prompt });
  return stage.latest;
}

const clips = () =>
  stage.standing.filter(({ message }) => /^(?:voice|audio)$/.test(message.files?.[0]?.kind ?? ''));

it('a finished answer has what people use most in one row, the votes below', async () => {
  const answer = await answered();
  expect(answer.message.buttons?.map(({ label }) => label)).toEqual([
    ...['Reply', 'Regenerate', 'Listen', 'Draw it', 'Delete'],
    ...['👍', '👎'],
  ]);
  expect(answer.message.buttons?.map(({ row = 0 }) => row)).toEqual([0, 0, 0, 0, 0, 1, 1]);
  expect(answer.message.buttons?.at(-1)).toMatchObject({ description: 'Bad answer', vote: 'bad' });
});

describe('Listen', () => {
  it('makes a clip of the answer, for anyone, as /speak does: charged to the one who pressed it', async () => {
    const create = vi.spyOn(stage.service.speech, 'create');
    const answer = await answered();
    await stage.pressOn(answer, 'Listen', bob);
    const spoken = create.mock.calls[0]?.[0].input ?? '';
    expect(spoken.length).toBeGreaterThan(20);
    expect(spoken).not.toMatch(/[*`#]/);
    expect(clips()[0]?.message.text).toBe('回答的语音版。');
    await stage.give('usage', { by: 'kind' }, bob);
    expect(stage.text).toContain('1.');
  });

  it('isn’t made and paid twice for the same person; others get their own', async () => {
    const answer = await answered();
    const speech = vi.spyOn(stage.service.speech, 'create');
    const both = await Promise.all([stage.pressOn(answer, 'Listen'), stage.pressOn(answer, 'Listen')]);
    expect(both.map(({ kind }) => kind)).toContain('accepted');
    expect(speech).toHaveBeenCalledTimes(1);
    expect(await stage.pressOn(answer, 'Listen')).toMatchObject({
      kind: 'refused',
      text: expect.stringContaining('a moment ago'),
    });
    await stage.pressOn(answer, 'Listen', bob);
    expect(speech).toHaveBeenCalledTimes(2);
    await stage.clock.advance(2 * minutes + 1);
    await stage.pressOn(answer, 'Listen');
    expect(speech).toHaveBeenCalledTimes(3);
  });

  it('can be tried again at once where it failed', async () => {
    const answer = await answered();
    const speech = vi.spyOn(stage.service.speech, 'create').mockRejectedValueOnce(new Error('broken'));
    await stage.pressOn(answer, 'Listen');
    expect(clips()).toHaveLength(0);
    await stage.pressOn(answer, 'Listen');
    expect(clips()).toHaveLength(1);
    expect(speech).toHaveBeenCalledTimes(2);
  });

  it('reads what the message shows once the conversation was reset, and says so', async () => {
    const answer = await answered();
    await stage.give('reset', {}, admin);
    const speech = vi.spyOn(stage.service.speech, 'create');
    expect(await stage.pressOn(answer, 'Listen')).toMatchObject({
      kind: 'refused',
      text: expect.stringContaining('don’t have this answer'),
    });
    await stage.pressOn(answer, 'Listen', ann, undefined, 'The **last** part.');
    expect(speech.mock.calls[0]?.[0].input).toBe('The last part.');
    expect(clips()[0]?.message.text).toContain('What this message shows');
  });

  it('reads the beginning of what’s too long for a clip, up to the end of a sentence', async () => {
    const answer = await answered();
    await stage.give('reset', {}, admin);
    const speech = vi.spyOn(stage.service.speech, 'create');
    await stage.pressOn(answer, 'Listen', ann, undefined, '汉字很长。'.repeat(4_000));
    const input = speech.mock.calls[0]?.[0].input ?? '';
    expect(Buffer.byteLength(input)).toBeLessThanOrEqual(16_384);
    expect(input.endsWith('。')).toBe(true);
  });

  it('has nothing to read where an answer is only code', async () => {
    const answer = await answered();
    await stage.give('reset', {}, admin);
    expect(
      await stage.pressOn(answer, 'Listen', ann, undefined, '![](https://a.example/b.png)'),
    ).toMatchObject({
      kind: 'refused',
      text: expect.stringContaining('no text to read'),
    });
  });

  it('keeps a private answer private', async () => {
    await stage.give('ask', { prompt: 'Say something', private: true });
    const answer = stage.latest;
    expect(answer.seenBy).toBe('requester');
    await stage.pressOn(answer, 'Listen');
    expect(clips()[0]?.seenBy).toBe('requester');
  });

  it('asks before it spends much, as a typed /speak does', async () => {
    stage = await Stage.open({ settings: { confirmOver: 1 } });
    await stage.give('ask', { prompt: 'Hi' });
    if (stage.buttons.includes('Yes, go ahead')) await stage.press('Yes, go ahead');
    const answer = stage.standing.findLast(({ message }) =>
      message.buttons?.some(({ label }) => label === 'Listen'),
    );
    if (!answer) throw new Error('no answer');
    const speech = vi.spyOn(stage.service.speech, 'create');
    await stage.pressOn(answer, 'Listen');
    expect(speech).not.toHaveBeenCalled();
    expect(stage.buttons).toEqual(['Yes, go ahead', 'No']);
    await stage.press('Yes, go ahead');
    expect(speech).toHaveBeenCalledTimes(1);
  });
});

describe('Draw it', () => {
  it('opens the form of /imagine with the question and the answer’s beginning', async () => {
    const answer = await answered('Say something about tides');
    const prepared = await stage.pressOn(answer, 'Draw it', bob);
    if (prepared.kind !== 'form') throw new Error(prepared.kind);
    const { title, command, values } = prepared.form;
    expect({ title, command }).toEqual({ title: '画出来', command: 'imagine' });
    const [question, ...rest] = String(values.prompt).split('\n');
    expect(question).toBe('Say something about tides');
    expect(rest.join('\n').length).toBeGreaterThan(10);
    expect(Buffer.byteLength(rest.join('\n'))).toBeLessThanOrEqual(400);
    await stage.pressOn(answer, 'Draw it', bob, { prompt: 'the tides' });
    await stage.until(() => stage.standing.some(({ message }) => message.files?.[0]?.kind === 'image'));
  });
});

describe('👍 and 👎', () => {
  const feedback = async (who = admin) => {
    await stage.give('usage', { by: 'feedback' }, who);
    return stage.text;
  };

  it('count once for each person and answer, the last vote; who doesn’t like one may report it, which only they see', async () => {
    const answer = await answered();
    await stage.pressOn(answer, '👍');
    await stage.pressOn(answer, '👍', bob);
    expect(stage.latest).toBe(answer);
    await stage.pressOn(answer, '👎');
    await stage.pressOn(answer, '👎');
    expect(stage.latest.seenBy).toBe('requester');
    expect(stage.buttons).toEqual(['Report this']);
    expect(await feedback()).toMatch(/1\. .*: 👍 1 · 👎 1\n\nTogether: 👍 1 · 👎 1$/);
  });

  it('show administrators everybody’s, others their own, for the period; without names of people', async () => {
    const answer = await answered();
    await stage.pressOn(answer, '👍');
    await stage.pressOn(answer, '👎', bob);
    expect(await feedback(ann)).toMatch(/Together: 👍 1 · 👎 0$/);
    const all = await feedback();
    expect(all).not.toContain('bob');
    expect(stage.buttons).toEqual(['Only mine', 'As CSV']);
    await stage.press('As CSV', admin);
    expect(stage.text).toBe('2 votes, newest last.');
    const [head, ...rows] = Buffer.from(await stage.file())
      .toString()
      .trimEnd()
      .split('\r\n');
    expect(head).toBe('\uFEFFtime,platform,workspace,channel,answer,vote');
    expect(rows.map((row) => row.split(',').at(-1)).toSorted()).toEqual(['bad', 'good']);
    await stage.clock.advance(25 * 60 * minutes);
    expect(await feedback()).toBe(
      '**Feedback on answers, today (everyone here)**\nNobody has rated an answer.',
    );
    expect(await feedback(ann)).toContain('You haven’t rated an answer yet.');
    await stage.give('usage', { by: 'feedback', period: 'month' }, admin);
    expect(stage.text).toContain('Together: 👍 1 · 👎 1');
  });

  it('of one’s own direct messages are called that', async () => {
    await stage.give('ask', { prompt: 'Hi' }, ann, directWith(ann.id));
    await stage.pressOn(stage.latest, '👍');
    expect(await feedback(ann)).toContain('1. Our direct messages: 👍 1 · 👎 0');
  });

  it('are in a place of their own: another workspace’s administrators see nothing of them', async () => {
    await stage.pressOn(await answered(), '👍');
    const elsewhere = { ...here, workspace: 'other' };
    await stage.give('usage', { by: 'feedback' }, admin, elsewhere);
    expect(stage.text).toContain('Nobody has rated');
  });
});
