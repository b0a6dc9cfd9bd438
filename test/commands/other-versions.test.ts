import { beforeEach, expect, it } from 'vitest';
import type { AnyValues, Job, PreparedRequest } from '../../src/port/index.ts';
import { createJobs } from '../../src/store/index.ts';
import { words } from '../../src/words/index.ts';
import { admin, ann, here, Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});

/** What a bot of another version left on record. */
async function left(options: AnyValues, command = 'ask'): Promise<Job> {
  const job = { id: 'old', command, options, address: here, requester: ann, createdAt: stage.clock.now() };
  await createJobs(stage.database).add(job, 'its event');
  return job;
}
const pressed = async (action: string) => {
  await stage.give('help');
  return stage.pressId(action, stage.latest);
};
const unreadable = words('en').faults('ask', [{ option: 'ask', code: 'other-version' }]);

it.each([
  ['what a button gave', { prompt: 'Why?', continues: 7 }, unreadable],
  [
    'an option that is allowed no more',
    { prompt: 'Why?', model: 'svc-llm-0' },
    words('en').faults('ask', [
      { option: 'model', code: 'not-a-choice', given: 'svc-llm-0', allowed: 'svc-llm-1.5, svc-llm-1.5-pro' },
    ]),
  ],
])('a button tells of %s that this version can’t read, and spends nothing', async (_, options, text) => {
  await left(options);
  expect(await pressed('ask.again:old')).toMatchObject({ kind: 'refused', text });
  expect(await stage.ledger()).toEqual([]);
});

it('a button reads what another version recorded beside the options', async () => {
  await left({ prompt: 'Why?', context: 'a quote', unknown: 'to this version' });
  expect(await pressed('ask.again:old')).toMatchObject({ kind: 'accepted' });
  expect(await stage.ledger()).toHaveLength(1);
});

it('who asked for what this version can’t read is told, with no button to try it again', async () => {
  const job = await left({ prompt: 'Why?', continues: 7 });
  stage.bot.recovery.notifyAll([job]);
  await stage.bot.recovery.settled();
  expect(stage.text).toBe(unreadable);
  expect(stage.buttons).toEqual([]);
});

/** What administrators chose there in a bot of another version. */
const chose = (choices: Readonly<Record<string, unknown>>) =>
  stage.database
    .insertInto('place_settings')
    .values(
      Object.entries(choices).map(([name, value]) => ({
        ...{ platform: here.platform, workspace: here.workspace, channel: '' },
        ...{ name, value: JSON.stringify(value) },
      })),
    )
    .execute();

it('what administrators chose that this version doesn’t have counts as not chosen: commands do what the bot does anywhere', async () => {
  await chose({
    ...{ model: 'svc-llm-0', image_size: '9k', language: 'klingon!', at_once: 99, conversation: 'planet' },
    ...{ video_duration: 99, video_resolution: '240p', video_quality: 'best', video_ratio: '7:3' },
  });
  const given = [
    await stage.give('ask', { prompt: 'Why?' }),
    await stage.give('speak', { text: 'Why?' }),
    await stage.give('imagine', { prompt: 'x' }),
    await stage.make('video', { prompt: 'x' }),
  ];
  expect(given.map((one) => one?.kind ?? 'made')).not.toContain('refused');
  expect((await stage.ledger()).map(({ model }) => model)).toEqual([
    'svc-llm-1.5',
    'svc-tts-1',
    'image 2k',
    'video balanced 720p',
  ]);
  await stage.give('settings', { page: 'answers' }, admin);
  expect(stage.text).toContain('`model`: `svc-llm-1.5` (default)');
});

it('a persona answers without what this version doesn’t have of it', async () => {
  const ada = { number: 7, name: 'Ada', prompt: 'You are Ada.', model: 'svc-llm-0', image_size: '9k' };
  await chose({ 'persona ada': ada });
  expect(await stage.give('ask', { prompt: 'Why?', as: 'Ada' })).toMatchObject({ kind: 'accepted' });
  expect((await stage.ledger()).map(({ model }) => model)).toEqual(['svc-llm-1.5']);
});

it('an administrator sees a persona without what this version doesn’t have of it, and changes the rest', async () => {
  await chose({ 'persona ada': { number: 7, name: 'Ada', prompt: 'You are Ada.', image_size: '9k' } });
  await stage.give('settings', { page: 'personas' }, admin);
  await stage.press('Ada', admin);
  expect(stage.text).toBe('**`Ada`**\n`You are Ada.`');
  const page = stage.latest;
  const form = await stage.press('Edit', admin);
  const { sentAs, values } = (form as Extract<PreparedRequest, { kind: 'form' }>).form;
  await stage.pressId(sentAs ?? '', page, admin, { ...values, prompt: 'You are Ida.' });
  expect(stage.text).toContain('- `Ada` · `You are Ida.`');
});
