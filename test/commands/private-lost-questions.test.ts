import { describe, expect, it } from 'vitest';
import { eventsComeWithin } from '../../src/port/index.ts';
import { words } from '../../src/words/index.ts';
import { deletionsOn } from './support/deletions.ts';
import { ann, Stage, type Standing } from './support/stage.ts';

let stage: Stage;

const { deletesQuestions, sentBy, untilSent } = deletionsOn(() => stage);
const said = 'Tides are the rise and fall of the sea, caused by the moon.';
const times = ['at once', 'under way', 'later'] as const;
/** Asks privately, deletes the words then, and finds what stands of the answer. */
async function answered(prompt: string, when: (typeof times)[number]): Promise<Standing> {
  if (when === 'at once') await deletesQuestions(1);
  const given = stage.give('ask', { prompt, private: 'true' });
  if (when === 'under way') {
    await untilSent();
    await deletesQuestions(1);
  }
  await given;
  if (when === 'later') await deletesQuestions(1);
  return stage.latest;
}

/** Presses a button of an answer, as a platform that sends its text along. */
function press(label: string, on: Standing, values?: Record<string, string>) {
  return stage.pressOn(on, label, ann, values, on.message.text);
}

describe.each(times)('a private answer whose question its requester deletes %s', (when) => {
  it('can be replied to', async () => {
    stage = await Stage.open();
    await stage.control({ answers: [said] });
    const answer = await answered('What is a tide? [[slow 3]]', when);
    const sent = await sentBy(() => press('Reply', answer, { prompt: 'Make it shorter' }));
    expect(sent).toContain('caused by the moon');
    expect(sent).not.toContain('What is a tide?');
  });

  it('can be continued', async () => {
    stage = await Stage.open();
    const answer = await answered('Tides? [[slow 3]] [[length]]', when);
    const sent = await sentBy(() => press('Continue', answer));
    expect(sent).toContain('a stand-in for the chat service');
  });

  it('can be given anew; the next private question isn’t sent with what was asked', async () => {
    stage = await Stage.open();
    const answer = await answered('My pin is 4711. [[slow 3]]', when);
    expect(await press('Regenerate', answer)).toMatchObject({ kind: 'accepted' });
    expect((await stage.ledger()).length).toBe(2);
    const sent = await sentBy(() => stage.give('ask', { prompt: 'And now?', private: 'true' }));
    expect(sent).toContain('And now?');
    expect(sent).not.toContain('4711');
  });

  it('can’t be shared, however much later, and its requester is told why', async () => {
    stage = await Stage.open();
    const answer = await answered('What is a tide? [[slow 3]]', when);
    await stage.clock.advance(2 * eventsComeWithin);
    const prepared = await press('Share here', answer);
    const { questionDeleted, sharing } = words('en');
    const told = prepared.kind === 'refused' ? prepared.text : stage.latest.message.text;
    expect(told).toContain(when === 'later' ? questionDeleted : sharing.questionDeleted);
    expect(stage.standing.every(({ seenBy }) => seenBy === 'requester')).toBe(true);
  });
});

it('what’s left of one whose process died offers no Continue, which would know nothing of it', async () => {
  stage = await Stage.open({ crashes: true });
  const prompt = 'Write 2000 characters about tides [[stall]]';
  stage.give('ask', { prompt, private: 'true' }).catch(() => {});
  await stage.until(() => stage.standing.some(({ message }) => (message.text?.length ?? 0) > 60));
  await deletesQuestions(1);
  await stage.crash();
  await stage.bot.recovery.settled();
  const labels = stage.standing.flatMap(({ message }) => message.buttons?.map(({ label }) => label) ?? []);
  expect(labels).toContain('Try again');
  expect(labels).not.toContain('Continue');
});
